// An engine that plays what it is told of each prompt: it changes files, tells every event, and leaves the session that Claude Code would have.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createEngine } from "skein/engine";
import { createIds, createSessionLog } from "./session-log.mjs";

/** A clock that is set by hand, and goes on as turns take their time. */
export function createStoryClock(startMs) {
  let now = startMs;
  return {
    now: () => now,
    set: (ms) => (now = ms),
    pass: (ms) => (now += ms),
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  };
}

/**
 * The engine, and `tell`, by which it learns what happens at a prompt: `steps` of `think`, `say` or `call` with its input, output and `agent`'s own steps,
 * and what it cost. A `Write` and an `Edit` change the file that they name.
 */
export function createStoryEngine(name, clock) {
  const stories = new Map();
  const ids = createIds(name);
  const engine = createEngine(async function* play({ text: prompt }, options) {
    const story = typeof stories.get(prompt) === "function" ? stories.get(prompt)() : stories.get(prompt);
    return yield* playStory(story, { prompt, clock, ids, ...options });
  });
  return { engine, tell: (prompt, story) => stories.set(prompt, story) };
}

async function* playStory(story, { prompt, clock, ids, cwd, resume, sessionStore }) {
  const { model = "claude-sonnet-4-5-20250929", steps = [], seconds = 8, costUsd = 0, fails } = story;
  const sessionId = resume ?? ids.uuid();
  const told = { model, clock, ids, cwd, sessionId };
  const log = createSessionLog({ ...told, story });
  const teller = createTeller({ ...told, log, paceMs: (seconds * 1000) / (steps.length + 1) });
  const startedMs = clock.now();
  yield { ...teller.base(), type: "turn-start", model, cwd, tools: [], permissionMode: "acceptEdits" };
  log.given(prompt);
  for (const step of steps) yield* teller.step(step);
  const text = steps.findLast(({ say }) => say !== undefined)?.say ?? "";
  const error = fails && { name: "SkeinError", retryable: true, ...fails };
  if (error) yield { ...teller.base(), type: "error", error };
  for (const [subpath, entries] of log.files) {
    await sessionStore.append({ projectKey: "story", sessionId, ...(subpath === "" ? {} : { subpath }) }, entries);
  }
  const result = {
    text,
    sessionId,
    isError: error !== undefined,
    ...(error ? { error, terminalReason: "api_error" } : {}),
    usage: log.usage(),
    usageByModel: { [model]: { ...log.usage(), costUsd } },
    costUsd,
    durationMs: clock.now() - startedMs,
    responses: log.responses(),
    model,
    permissionDenials: [],
  };
  yield { ...teller.base(), type: "turn-end", result };
  return result;
}

/** Plays the steps of a turn: the events of each, while the log gets the records. */
function createTeller({ log, model, clock, ids, cwd, sessionId, paceMs }) {
  const base = (parent) => ({
    timestamp: new Date(clock.now()).toISOString(),
    sessionId,
    ...(parent ? { parentToolUseId: parent } : {}),
  });

  async function* step(wanted, at = {}) {
    const { think, say, ms } = wanted;
    clock.pass(ms ?? Math.round(at.agent ? paceMs / 4 : paceMs));
    if (think !== undefined) {
      log.said({ type: "thinking", thinking: think, signature: "story" }, at);
      yield { ...base(at.parent), type: "thinking", text: think, model };
    } else if (say !== undefined) {
      log.said({ type: "text", text: say }, at);
      yield { ...base(at.parent), type: "text", text: say, model };
    } else yield* call(wanted, at);
  }

  async function* call({ call: tool, input = {}, output = "", isError = false, isDenied = false, ms, agent }, at) {
    const toolUseId = `toolu_${ids.short()}`;
    const whole = withPaths(input, cwd);
    log.said({ type: "tool_use", id: toolUseId, name: tool, input: whole }, { ...at, isCall: true });
    yield { ...base(at.parent), type: "tool-start", toolUseId, tool, input: whole, model };
    const startedMs = clock.now();
    applyCall(tool, whole);
    if (agent) {
      const inner = { parent: toolUseId, agent: agent.id };
      log.given(input.prompt, inner);
      for (const each of agent.steps) yield* step(each, inner);
    }
    clock.pass(ms ?? Math.round(paceMs / 5));
    const block = { type: "tool_result", tool_use_id: toolUseId, content: output, is_error: isError };
    log.given([block], agent ? { ...at, toolUseResult: { agentId: agent.id, status: "completed" } } : at);
    const durationMs = clock.now() - startedMs;
    yield { ...base(at.parent), type: "tool-end", toolUseId, tool, output, isError, isDenied, durationMs };
  }

  return { base, step };
}

function withPaths(input, cwd) {
  return input.file_path === undefined ? input : { ...input, file_path: join(cwd, input.file_path) };
}

function applyCall(call, { file_path: path, content, old_string: before, new_string: after }) {
  if (call === "Write") writeFiles({ [path]: content });
  if (call === "Edit") {
    const text = readFileSync(path, "utf8");
    if (!text.includes(before)) throw new Error(`the story edits what ${path} does not hold: ${before}`);
    writeFileSync(
      path,
      text.replace(before, () => after),
    );
  }
}

/** Writes files, with the folders that they lie in. */
export function writeFiles(files, folder = "") {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}
