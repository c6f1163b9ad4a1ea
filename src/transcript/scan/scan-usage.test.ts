import { chmod, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scanFile } from "./scan-file.ts";
import { scanUsage } from "./scan-usage.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "skein-transcript-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function write(name: string, records: readonly unknown[], end = "\n"): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, records.map((record) => JSON.stringify(record)).join("\n") + end);
  return path;
}

const answer = (
  id: string,
  output: number,
  more: { readonly model?: string; readonly final?: boolean; readonly usage?: object } = {},
) => ({
  type: "assistant",
  uuid: `${id}-${output}`,
  sessionId: "s",
  cwd: "/work/app",
  timestamp: "2026-11-15T23:30:00.000Z",
  message: {
    id,
    model: more.model ?? "claude-sonnet-4-5-20250929",
    content: [{ type: "text", text: "x" }],
    stop_reason: more.final === false ? null : "end_turn",
    usage: { input_tokens: 0, output_tokens: output, ...more.usage },
  },
});

describe("scanUsage", () => {
  it("counts a message once, by its last record in a file and by the fuller one of two files", async () => {
    const one = await write("one.jsonl", [
      answer("a", 1, { final: false }),
      answer("a", 900_000, { final: true }),
      answer("b", 7),
    ]);
    const two = await write("two.jsonl", [answer("a", 5, { final: false }), answer("b", 7), answer("c", 100_000)]);
    const scan = await scanUsage([one, two], { timeZone: "UTC" });
    expect(scan.total).toMatchObject({ messages: 3, lowerBounds: 0, unpriced: 0, usage: { outputTokens: 1_000_007 } });
    expect(scan.total.costUsd).toBe(15.000_105);
    expect(scan).toMatchObject({ files: 2, problems: [], skipped: [] });
    expect(Object.keys(scan.byDay)).toEqual(["2026-11-15"]);
    expect(Object.keys((await scanUsage([one], { timeZone: "Asia/Tokyo" })).byDay)).toEqual(["2026-11-16"]);
    expect(scan.byProject["/work/app"]).toEqual(scan.total);
  });

  it("says how many counts are lower bounds, and which models have no price", async () => {
    const path = await write("trust.jsonl", [
      answer("a", 1, { final: false }),
      answer("b", 2, { model: "qwen3-coder:30b" }),
      answer("c", 0, { model: "<synthetic>" }),
    ]);
    const scan = await scanUsage([path]);
    expect(scan.total).toMatchObject({ messages: 3, lowerBounds: 1, unpriced: 1 });
    expect(scan.unpricedModels).toEqual(["qwen3-coder:30b"]);
  });

  it("prices five minutes, an hour, fast mode, long prompts, searches and advisors each by themselves", async () => {
    const million = 1_000_000;
    const split = { ephemeral_5m_input_tokens: 1, ephemeral_1h_input_tokens: million };
    const path = await write("prices.jsonl", [
      answer("a", 0, { usage: { cache_creation_input_tokens: 2 * million, cache_creation: split } }),
      answer("b", million, { model: "claude-opus-5-5", usage: { speed: "fast" } }),
      answer("c", million, { model: "claude-haiku-5-5", usage: { input_tokens: 200_000 } }),
      answer("d", 0, { usage: { server_tool_use: { web_search_requests: 3 } } }),
      answer("e", 0, {
        usage: { iterations: [{ type: "advisor_message", model: "claude-opus-4-1", output_tokens: million }] },
      }),
      answer("f", million, { usage: { inference_geo: "us" } }),
    ]);
    const { byModel } = await scanUsage([path]);
    expect(Object.fromEntries(Object.entries(byModel).map(([model, { costUsd }]) => [model, costUsd]))).toEqual({
      "claude-sonnet-4-5-20250929": 3.75 + 6 + 0.03 + 16.5,
      "claude-opus-5-5": 40,
      "claude-haiku-5-5": 2.6,
      "claude-opus-4-1": 75,
    });
    expect(byModel["claude-opus-4-1"]).toMatchObject({ messages: 0, usage: { outputTokens: million } });
  });

  it("reads glued records and a last line without an end, and reports a broken line", async () => {
    const [a, b] = [JSON.stringify(answer("a", 1)), JSON.stringify(answer("b", 2))];
    const path = join(folder, "broken.jsonl");
    await writeFile(path, `{}\n${a}${b}\n${a.slice(0, -9)}\n${JSON.stringify(answer("c", 3))}`);
    const scan = await scanUsage([path]);
    expect(scan.total.usage.outputTokens).toBe(6);
    expect(scan.problems).toMatchObject([{ kind: "broken", path, line: 3, offset: 4 + a.length + b.length }]);
    await writeFile(path, `${a}\n${b.slice(0, -9)}`);
    expect(await scanUsage([path])).toMatchObject({ problems: [], total: { messages: 1 } });
  });

  it("reads lines longer than a block", async () => {
    const long = { ...answer("long", 5), extra: 'x"\\'.repeat(700_000) };
    const path = await write("long.jsonl", [answer("a", 1), long, answer("b", 2)]);
    expect((await scanUsage([path])).total).toMatchObject({ messages: 3, usage: { outputTokens: 8 } });
    expect([...scanFile(path)].map(({ lengthBytes }) => lengthBytes)[1]).toBe(Buffer.byteLength(JSON.stringify(long)));
  });

  it("reads a file that begins with a byte order mark, as an index does", async () => {
    const path = join(folder, "marked.jsonl");
    await writeFile(path, `\u{FEFF}${JSON.stringify(answer("a", 1))}\n${JSON.stringify(answer("b", 2))}`);
    expect(await scanUsage([path])).toMatchObject({ problems: [], total: { usage: { outputTokens: 3 } } });
    expect([...scanFile(path)].map(({ type }) => type)).toEqual(["record", "record"]);
  });

  it("leaves out what it cannot read, and says so", async () => {
    const good = await write("good.jsonl", [answer("a", 1)]);
    const loop = join(folder, "loop.jsonl");
    await symlink(loop, loop);
    const scan = await scanUsage([loop, join(folder, "gone.jsonl"), folder, good]);
    expect(scan.skipped.map(({ code }) => code)).toEqual(["ELOOP", "ENOENT", "ENOTFILE"]);
    expect(scan.total.messages).toBe(1);
  });

  it("leaves out a file that it may not read", async () => {
    const closed = await write("closed.jsonl", [answer("a", 1)]);
    await chmod(closed, 0);
    const scan = await asOrdinaryUser(() => scanUsage([closed]));
    expect(scan.skipped).toMatchObject([{ path: closed, code: "EACCES" }]);
  });

  it("stops when it is told to", async () => {
    const path = await write("stop.jsonl", [answer("a", 1)]);
    await expect(scanUsage([path], { signal: AbortSignal.abort() })).rejects.toMatchObject({ kind: "cancelled" });
  });
});

describe("scanFile", () => {
  it("goes on from the byte that it returned, and leaves half a line for the next time", async () => {
    const path = await write("index.jsonl", [answer("a", 1), { type: "api-request-shape", sessionId: "s", shape: {} }]);
    const half = JSON.stringify(answer("b", 2));
    await writeFile(path, half.slice(0, 30), { flag: "a" });
    const first = drain(scanFile(path));
    expect(first.items.map((item) => (item.type === "record" ? item.recordType : "broken"))).toEqual([
      "assistant",
      "api-request-shape",
    ]);
    await writeFile(path, `${half.slice(30)}\n`, { flag: "a" });
    const second = drain(scanFile(path, { fromOffset: first.next }));
    expect(second.items).toMatchObject([
      { offset: first.next, messageId: "b", usage: { usage: { outputTokens: 2 } }, text: "x" },
    ]);
    expect(drain(scanFile(path, { fromOffset: second.next }))).toEqual({ items: [], next: second.next });
  });
});

function drain<Item>(generator: Generator<Item, number>): { readonly items: readonly Item[]; readonly next: number } {
  const items: Item[] = [];
  for (;;) {
    const step = generator.next();
    if (step.done) return { items, next: step.value };
    items.push(step.value);
  }
}

/** Root may read everything: for the time of a call it is nobody. */
async function asOrdinaryUser<Result>(work: () => Promise<Result>): Promise<Result> {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}
