import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { query, type Query, type SDKUserMessage } from "@anthropic-ai/claude-agent-sdk";
import { AsyncQueue } from "skein/core";
import { ClaudeEngine } from "skein/engine";
import { Conversation } from "skein/trace";
import { Workspace } from "skein/workspace";
import { startBenchAgent } from "./bench-agent.ts";
import { alternate, timeOf } from "./harness/alternate.ts";
import type { Bench } from "./harness/bench.ts";
import { row, type Row } from "./harness/row.ts";
import { makeTree } from "./make-tree.ts";

const TURNS = 20;

export const recordedTurns: Bench = {
  name: "turns",
  summary: "a later turn that writes a file, recorded with all files before and after, beside the bare SDK's",
  async run(tell) {
    const rows: Row[] = [];
    for (const [files, atMostMs] of [
      [10_000, 60],
      [50_000, 150],
    ] as const) {
      tell(`${files} files`);
      rows.push(await timeTurns(files, atMostMs));
    }
    return rows;
  },
};

async function timeTurns(files: number, atMostMs: number): Promise<Row> {
  const root = await mkdtemp(join(tmpdir(), "skein-bench-turns-"));
  try {
    const directory = join(root, "workspace");
    await makeTree(directory, files);
    await using agent = await startBenchAgent({
      steps: [
        { call: [{ tool: "Write", input: { file_path: "{{cwd}}/answer.txt", content: "{{prompt}}" } }] },
        { say: "Written." },
      ],
    });
    await using workspace = await Workspace.open(directory, { home: join(root, "home") });
    const options = { permissionMode: "acceptEdits" } as const;
    const engine = new ClaudeEngine({ ...agent.skein, ...options });
    await using conversation = await Conversation.start(workspace, { engine });
    const input = new AsyncQueue<SDKUserMessage>();
    const bare = query({ prompt: input, options: { ...agent.sdk, ...options, cwd: directory } });
    let turn = 0;
    const next = (): string => `turn ${(turn += 1)}`;
    const { skein, sdk } = await alternate(TURNS, {
      skein: () => timeOf(() => conversation.send(next())),
      sdk: () =>
        timeOf(async () => {
          await input.push({ type: "user", message: { role: "user", content: next() }, parent_tool_use_id: null });
          await untilResult(bare);
        }),
    });
    input.end();
    bare.close();
    return row({
      name: `recorded-turn-${files}`,
      what: `recorded turn, ${files.toLocaleString("en-US")} files`,
      ours: skein.ms,
      unit: "ms",
      beside: { name: "bare SDK", value: sdk.ms },
      aim: { of: "difference", atMost: atMostMs },
    });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function untilResult(turns: Query): Promise<void> {
  for (;;) {
    const { done, value } = await turns.next();
    if (done || value.type === "result") return;
  }
}
