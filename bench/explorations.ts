import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ClaudeEngine, claudePrompt } from "skein/engine";
import { ClaudeEnvironment } from "skein/search";
import { startBenchAgent } from "./bench-agent.ts";
import { compare, report } from "./compare.ts";
import { makeTree } from "./make-tree.ts";

const FILES = 10_000;
const TURNS = 9;

/** A turn of a search, on a branch of its own and recorded, beside the same turn of the engine alone: both start a process. */
export async function benchExplorations(): Promise<readonly string[]> {
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
    const timed = async (
      work: (prompt: string) => Promise<unknown>,
    ): Promise<{ firstMs: number; resultMs: number }> => {
      const startedAt = performance.now();
      await work(`turn ${(turn += 1)}`);
      return { firstMs: 0, resultMs: performance.now() - startedAt };
    };
    // The first branch of a state also writes its base.
    await environment.exploreFrom(start, "the first");
    const { skein, sdk } = await compare(TURNS, {
      skein: () => timed((prompt) => environment.exploreFrom(start, prompt)),
      sdk: () => timed((prompt) => engine.execute(claudePrompt(prompt), { cwd: directory })),
    });
    return [report(`explored turn, ${FILES} files`, skein.resultMs, sdk.resultMs, "the engine alone")];
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
