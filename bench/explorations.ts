import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ClaudeEngine, claudePrompt } from "skein/engine";
import { ClaudeEnvironment } from "skein/search";
import { startBenchAgent } from "./bench-agent.ts";
import { alternate, timeOf } from "./harness/alternate.ts";
import type { Bench } from "./harness/bench.ts";
import { row, type Row } from "./harness/row.ts";
import { makeTree } from "./make-tree.ts";

const FILES = 10_000;
const TURNS = 9;

/** Both start a process. */
export const explorations: Bench = {
  name: "explorations",
  summary: "a turn of a search, on a branch of its own and recorded, beside the same turn of the engine alone",
  run: async () => [await timeExplored()],
};

async function timeExplored(): Promise<Row> {
  const root = await mkdtemp(join(tmpdir(), "skein-bench-explorations-"));
  try {
    const directory = join(root, "workspace");
    await makeTree(directory, FILES);
    await using agent = await startBenchAgent({
      steps: [
        { call: [{ tool: "Write", input: { file_path: "{{cwd}}/answer.txt", content: "{{prompt}}" } }] },
        { say: "Written." },
      ],
    });
    const engine = new ClaudeEngine({ ...agent.skein, permissionMode: "acceptEdits" });
    await using environment = await ClaudeEnvironment.open(directory, {
      engine,
      workspace: { home: join(root, "home") },
    });
    const start = await environment.checkpoint("start");
    let turn = 0;
    // The first branch of a state also writes its base.
    await environment.exploreFrom(start, "the first");
    const next = (): string => `turn ${(turn += 1)}`;
    const { skein, alone } = await alternate(TURNS, {
      skein: () => timeOf(() => environment.exploreFrom(start, next())),
      alone: () => timeOf(() => engine.execute(claudePrompt(next()), { cwd: directory })),
    });
    return row({
      name: `explored-turn-${FILES}`,
      what: `explored turn, ${FILES.toLocaleString("en-US")} files`,
      ours: skein.ms,
      unit: "ms",
      beside: { name: "the engine alone", value: alone.ms },
      aim: { of: "difference", atMost: 100 },
    });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
