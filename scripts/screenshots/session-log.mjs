import { createHash } from "node:crypto";

const VERSION = "2.1.300";

/** The records of one turn as Claude Code would have written them: `files` has those of each place, "" for the session's own and one a sub-agent. */
export function createSessionLog({ story, model, clock, ids, cwd, sessionId }) {
  const files = new Map([["", []]]);
  const last = new Map();
  const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  let responses = 0;

  const record = (type, content, { agent, ...more } = {}) => {
    const [place, uuid] = [agent ? `subagents/agent-${agent}` : "", ids.uuid()];
    if (!files.has(place)) files.set(place, []);
    const about = { isSidechain: agent !== undefined, ...(agent ? { agentId: agent } : {}), ...more };
    const common = { parentUuid: last.get(place) ?? null, uuid, timestamp: new Date(clock.now()).toISOString() };
    files.get(place).push({ type, ...common, sessionId, cwd, version: VERSION, ...about, ...content });
    last.set(place, uuid);
  };

  return {
    files,
    usage: () => ({ ...usage }),
    responses: () => responses,
    /** What a person or a tool gave. */
    given: (content, about) => record("user", { message: { role: "user", content } }, about),
    /** A block that the model wrote. */
    said(block, { agent, isCall = false }) {
      const own = usageOf(block, responses, story);
      responses += 1;
      for (const key of Object.keys(usage)) usage[key] += own[key];
      const message = { id: `msg_${ids.short()}`, type: "message", role: "assistant", model, content: [block] };
      const end = { stop_reason: isCall ? "tool_use" : "end_turn", usage: apiUsage(own) };
      record("assistant", { message: { ...message, ...end } }, { agent });
    },
  };
}

/** Ids that look like others, and are the same each time; `name` keeps those of two engines apart. */
export function createIds(name) {
  let count = 0;
  const next = () =>
    createHash("sha256")
      .update(`${name} ${(count += 1)}`)
      .digest("hex");
  return {
    uuid: () => next().replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/u, "$1-$2-4$3-8$4-$5"),
    short: () => next().slice(0, 24),
  };
}

/** Tokens as a response of this length would have used. */
function usageOf(block, place, { tokens = 1 }) {
  const written = Math.ceil(JSON.stringify(block).length / 3.4);
  return {
    inputTokens: Math.round((40 + place * 3) * tokens),
    outputTokens: Math.round(written * tokens),
    cacheReadTokens: Math.round((11_800 + place * 640) * tokens),
    cacheWriteTokens: Math.round(720 * tokens),
  };
}

function apiUsage({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }) {
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cache_read_input_tokens: cacheReadTokens,
    cache_creation_input_tokens: cacheWriteTokens,
  };
}
