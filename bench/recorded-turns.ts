import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { query, type SDKUserMessage } from "@anthropic-ai/claude-agent-sdk";
import { AsyncQueue } from "skein/core";
import { ClaudeEngine } from "skein/engine";
import { Conversation } from "skein/trace";
import { Workspace } from "skein/workspace";
import { startBenchAgent } from "./bench-agent.ts";
import { compare, report } from "./compare.ts";
import { makeTree } from "./make-tree.ts";

const FILES = 10_000;
const TURNS = 20;

/** The same later turn, one that writes a file, recorded with all files before and after and on the bare SDK. */
export async function benchRecordedTurns(): Promise<readonly string[]> {
  const root = await mkdtemp(join(tmpdir(), "skein-bench-turns-"));
  try {
    const directory = join(root, "workspace");
    await makeTree(directory, FILES);
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
    const { skein, sdk } = await compare(TURNS, {
      async skein() {
        const startedAt = performance.now();
        await conversation.send(`turn ${(turn += 1)}`);
        return { firstMs: 0, resultMs: performance.now() - startedAt };
      },
      async sdk() {
        const startedAt = performance.now();
        const content = `turn ${(turn += 1)}`;
        await input.push({ type: "user", message: { role: "user", content }, parent_tool_use_id: null });
        for (;;) {
          const { done, value } = await bare.next();
          if (done || value.type === "result") return { firstMs: 0, resultMs: performance.now() - startedAt };
        }
      },
    });
    input.end();
    bare.close();
    return [report(`recorded turn, ${FILES} files`, skein.resultMs, sdk.resultMs)];
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
