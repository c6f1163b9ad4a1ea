// Transcripts as Claude Code writes them, with ids, times and figures of their own.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Three sessions of two projects, with a tool that failed and words to search for. */
export function writeSessions(projects) {
  write(projects, "-work-shop", "11110000-0000-4000-8000-000000000001", "/work/shop", "2036-06-01T18:00:00.000Z", [
    {
      prompt: "Why is the checkout test flaky? It fails on every third run",
      answer: "It waits for the clock instead of the answer.",
      tool: "Bash",
      output: 420,
    },
    {
      prompt: "Mend the flaky test",
      answer: "Mended: it waits for the answer now.",
      tool: "Edit",
      isError: true,
      output: 900,
    },
  ]);
  write(projects, "-work-shop", "22220000-0000-4000-8000-000000000002", "/work/shop", "2036-06-02T09:20:00.000Z", [
    {
      prompt: "値段を円で表示して、テストも書いてください",
      answer: "Prices are in yen; see src/price.ts and its flaky neighbour.",
      tool: "Write",
      output: 2400,
    },
  ]);
  write(projects, "-work-blog", "33330000-0000-4000-8000-000000000003", "/work/blog", "2036-05-28T08:00:00.000Z", [
    {
      prompt: "Set up a blog with an archive by year, tags, and a feed that readers can subscribe to",
      answer: "The blog has all three.",
      tool: "Bash",
      output: 52_000,
      model: "claude-opus-4-1-20250805",
    },
  ]);
}

function write(projects, folder, sessionId, cwd, startedAt, turns) {
  const records = turns.flatMap((turn, place) =>
    turnRecords(turn, { sessionId, cwd, place, atMs: Date.parse(startedAt) + place * 240_000 }),
  );
  mkdirSync(join(projects, folder), { recursive: true });
  writeFileSync(
    join(projects, folder, `${sessionId}.jsonl`),
    records.map((record) => `${JSON.stringify(record)}\n`).join(""),
  );
}

function turnRecords(turn, { sessionId, cwd, place, atMs }) {
  const { prompt, answer, tool, output, isError = false, model = "claude-sonnet-4-5-20250929" } = turn;
  const id = `${sessionId.slice(0, 8)}-0000-4000-8000-0000000000${place}`;
  const at = (seconds) => new Date(atMs + seconds * 1000).toISOString();
  const common = { sessionId, cwd, isSidechain: false, version: "2.1.300" };
  const usage = { input_tokens: 30, output_tokens: output, cache_read_input_tokens: 12_000 };
  const call = { type: "tool_use", id: `toolu_${id}`, name: tool, input: { command: "npm test" } };
  const said = (uuid, parentUuid, seconds, content, stop) => ({
    ...common,
    type: "assistant",
    uuid,
    parentUuid,
    timestamp: at(seconds),
    message: { id: `msg_${uuid}`, role: "assistant", model, content, stop_reason: stop, usage },
  });
  const given = (uuid, parentUuid, seconds, content) => ({
    ...common,
    type: "user",
    uuid,
    parentUuid,
    timestamp: at(seconds),
    message: { role: "user", content },
  });
  const result = {
    type: "tool_result",
    tool_use_id: call.id,
    content: isError ? "no such file" : "ok",
    is_error: isError,
  };
  return [
    given(`${id}a`, place === 0 ? null : `${id.slice(0, -1)}${place - 1}d`, 0, prompt),
    said(`${id}b`, `${id}a`, 4, [call], "tool_use"),
    given(`${id}c`, `${id}b`, 9, [result]),
    said(`${id}d`, `${id}c`, 14, [{ type: "text", text: answer }], "end_turn"),
  ];
}
