import type { SDKUserMessage } from "@anthropic-ai/claude-agent-sdk";
import { AsyncQueue, defined, type Clock } from "../../core/internal.ts";
import { mintServers, type SessionOptions } from "../options/tool-server.ts";
import { watchQuestions } from "../permissions/open-questions.ts";
import type { CliProcess } from "../processes/cli-process.ts";
import type { ProcessManager } from "../processes/process-manager.ts";
import { CliSession, trackSpawn } from "./cli-session.ts";
import { createStandIns } from "./stand-ins.ts";

/** A CLI that has started and waits to be somebody's. */
export interface Spare {
  readonly key: string;
  readonly process: CliProcess | undefined;
  /** Makes it the process of a session, which it may yet refuse. Throws where it has died. */
  claim(options: SessionOptions): ClaimedSpare;
  /** Resolves when it is gone. */
  release(): Promise<void>;
}

interface ClaimedSpare {
  readonly session: CliSession;
  /** Undefined once it has taken the session up; otherwise why it does not. */
  readonly refused: Promise<string | undefined>;
}

export interface SpareOptions {
  readonly key: string;
  readonly processes: ProcessManager;
  readonly clock: Clock;
}

/** Starts a process for any session whose options have the key; undefined where the CLI cannot be started so. */
export async function startSpare(
  options: SessionOptions,
  { key, processes, clock }: SpareOptions,
): Promise<Spare | undefined> {
  const { prewarm } = await import("@anthropic-ai/claude-agent-sdk");
  await processes.prepare();
  const { live, handOver } = createStandIns(options);
  const { spawn, spawned } = trackSpawn(processes, defined({ stderr: live.stderr }), { isParked: true });
  const { options: minted, release: releaseServers } = await mintServers(options);
  const { watched, questions } = watchQuestions({ ...minted, ...live }, clock);
  const { cwd: _, additionalDirectories: __, title: ___, ...startUp } = watched;
  const parked = await prewarm({ options: { ...startUp, spawnClaudeCodeProcess: spawn } }).catch(() => undefined);
  if (!parked) {
    releaseServers();
    await spawned()?.end(0);
    return undefined;
  }
  parked.claimed.catch(() => undefined);
  return {
    key,
    process: spawned(),
    claim(session) {
      const { cwd = process.cwd(), model, permissionMode, additionalDirectories, title } = session;
      const input = new AsyncQueue<SDKUserMessage>();
      handOver(session);
      const claimed = { cwd, ...defined({ model, permissionMode, additionalDirectories, title }) };
      const query = parked.claim({ prompt: input, options: claimed });
      const answer = parked.claimed.then(() => undefined, reasonOf);
      const refused = within(answer, { clock, otherwise: "no_answer" });
      const isBound = refused.then((reason) => reason === undefined);
      const cli = { input, query, process: spawned, release: releaseServers, questions, isBound };
      return { session: new CliSession(cli, clock), refused };
    },
    async release() {
      parked.close();
      await spawned()?.end(0);
      releaseServers();
    },
  };
}

/** A spare answers within milliseconds, unless something is wrong with it. */
const ANSWER_MS = 10_000;

async function within<Answer>(
  answer: Promise<Answer>,
  { clock, otherwise }: { readonly clock: Clock; readonly otherwise: Answer },
): Promise<Answer> {
  const answered = new AbortController();
  const late = clock.sleep(ANSWER_MS, answered.signal).then(
    () => otherwise,
    () => otherwise,
  );
  try {
    return await Promise.race([answer, late]);
  } finally {
    answered.abort();
  }
}

/** The SDK begins what it says with a word for the reason: `cwd_not_found: …`. */
function reasonOf(error: unknown): string {
  return /^\w+/u.exec(error instanceof Error ? error.message : "")?.[0] ?? "unknown";
}
