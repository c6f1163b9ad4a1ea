import { mkdtemp, rm, writeFile } from "node:fs/promises";
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
      rows.push(...(await timeTurns(files, atMostMs)));
    }
    return rows;
  },
};

/** Each side has files of its own: what the one writes would be somebody else's change to the other. */
async function timeTurns(files: number, atMostMs: number): Promise<readonly Row[]> {
  const root = await mkdtemp(join(tmpdir(), "skein-bench-turns-"));
  try {
    const directory = join(root, "workspace");
    const bareDirectory = join(root, "bare");
    for (const each of [directory, bareDirectory]) await makeTree(each, files);
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
    const bare = query({ prompt: input, options: { ...agent.sdk, ...options, cwd: bareDirectory } });
    let turn = 0;
    const next = (): string => `turn ${(turn += 1)}`;
    const { skein, edited, sdk } = await alternate(TURNS, {
      skein: () => timeOf(() => conversation.send(next())),
      edited: async () => {
        await writeFile(join(directory, "by-hand.txt"), next());
        return await timeOf(() => conversation.send(next()));
      },
      sdk: () =>
        timeOf(async () => {
          await input.push({ type: "user", message: { role: "user", content: next() }, parent_tool_use_id: null });
          await untilResult(bare);
        }),
    });
    input.end();
    bare.close();
    const beside = { name: "bare SDK", value: sdk.ms };
    const many = `${files.toLocaleString("en-US")} files`;
    return [
      row({
        name: `recorded-turn-${files}`,
        what: `recorded turn, ${many}`,
        ours: skein.ms,
        unit: "ms",
        beside,
        aim: { of: "difference", atMost: atMostMs },
      }),
      row({
        name: `recorded-turn-edited-${files}`,
        what: `recorded turn after a file was changed by hand, which is recorded too, ${many}`,
        ours: edited.ms,
        unit: "ms",
        beside,
      }),
    ];
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
