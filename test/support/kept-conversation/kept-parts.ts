import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type ClaudeOptions } from "../../../src/engine/index.ts";
import { ProcessManager } from "../../../src/engine/internal.ts";
import { createFakeClock, startOfflineAgent, type OfflineAgent } from "../../../src/testing/index.ts";
import { type FakeClock } from "../../../src/testing/internal.ts";
import { scanUsage } from "../../../src/transcript/index.ts";
import { keptScenario } from "./script.ts";

/** How long nothing may be heard in a turn, on a clock that moves only when it is told to. */
export const IDLE_LIMIT_MS = 60_000;

/** The model that every conversation begins with. */
export const FIRST_MODEL = "claude-sonnet-5-5";

/** What a conversation is set up with: the limits and the permissions it begins with. */
export type Setup = Pick<ClaudeOptions, "maxCostUsd" | "maxConversationCostUsd" | "permissionMode">;

/** What every face is made of. */
export interface KeptParts {
  readonly agent: OfflineAgent;
  readonly processes: ProcessManager;
  readonly clock: FakeClock;
  readonly options: ClaudeOptions;
  pids(): readonly number[];
  /** Runs what closes something: who waits for a grace then is not left waiting, though the clock stands. */
  closing(close: () => Promise<void>): Promise<void>;
  /** The tokens that were written, by the transcripts in the home. */
  tokensInTranscripts(): Promise<number>;
  /** Takes it all down. */
  close(): Promise<void>;
}

/** Starts the offline model, and what watches over processes. */
export async function startKeptParts(setup: Setup): Promise<KeptParts> {
  const limits = Object.fromEntries(Object.entries(setup).filter(([, value]) => value !== undefined));
  const agent = await startOfflineAgent(keptScenario, {
    allowedTools: ["Bash"],
    model: FIRST_MODEL,
    idleTimeoutMs: IDLE_LIMIT_MS,
    ...limits,
    // As root, the CLI refuses to bypass permissions where nothing says that it is in a sandbox.
    env: { IS_SANDBOX: "1" },
  });
  const processes = new ProcessManager(join(agent.home, "processes"));
  const clock = createFakeClock();
  return {
    agent,
    processes,
    clock,
    options: agent.options,
    pids: () => processes.processes().flatMap(({ pid }) => pid ?? []),
    async closing(close) {
      const passing = setInterval(() => clock.advance(1000), 100);
      await close().finally(() => clearInterval(passing));
    },
    async tokensInTranscripts() {
      const names = await readdir(join(agent.home, ".claude", "projects"), { recursive: true }).catch(() => []);
      const files = names.filter((name) => name.endsWith(".jsonl"));
      const { total } = await scanUsage(files.map((name) => join(agent.home, ".claude", "projects", name)));
      return total.usage.outputTokens;
    },
    async close() {
      await processes[Symbol.asyncDispose]();
      await agent.close();
    },
  };
}
