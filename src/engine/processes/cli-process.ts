import type { SpawnOptions } from "@anthropic-ai/claude-agent-sdk";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { enterPrivate, enterShown, systemClock, type Clock } from "../../core/internal.ts";
import { measureHidden } from "../resources/hidden-files.ts";
import type { GroupParent } from "../resources/memory-group.ts";
import { createMemoryLimiter } from "../resources/memory-limiter.ts";
import { MARK_VARIABLE, endAll, endMarked, findFamily, identifyFamily } from "./process-family.ts";
import { clearRemains, expectedRemains, writeRemainsList, type CliFolders } from "./remains.ts";

export const DEFAULT_GRACE_MS = 2000;

const TAIL_LENGTH = 4000;

/** A CLI process and all that it starts. */
export type CliProcess = ReturnType<typeof spawnCli>;

export interface SpawnCliOptions {
  readonly mark: string;
  readonly onStderr?: ((text: string) => void) | undefined;
  readonly groupParent?: GroupParent | undefined;
  readonly folders?: CliFolders | undefined;
  /** Whether it sees its directory as agents do, where that is by another path. */
  readonly isShown?: boolean | undefined;
  /** Where it is put down what it would leave if it were killed. */
  readonly recordFolder?: string | undefined;
  readonly clock?: Clock;
}

/** Starts the CLI in a group of its own, with a mark by which all that it starts can be found and ended with it. */
export function spawnCli(
  { signal, ...asked }: SpawnOptions,
  { mark, onStderr, groupParent, folders = {}, isShown = false, recordFolder, clock = systemClock }: SpawnCliOptions,
) {
  const wanted = { ...asked, args: withOwnSettings(asked.args, mark) };
  const { command, args, cwd, env } = isShown ? enterShown(wanted) : enterPrivate(wanted);
  const expectRemains = (where: CliFolders): void => {
    if (recordFolder === undefined) return;
    writeRemainsList(recordFolder, mark, expectedRemains(where, wanted.env["CLAUDE_CONFIG_DIR"]));
  };
  expectRemains(folders);
  const child = spawn(command, args, {
    cwd,
    env: { ...env, [MARK_VARIABLE]: mark },
    signal,
    stdio: ["pipe", "pipe", "pipe"],
    // Ctrl-C on the terminal is for Skein, which ends the turn in order.
    detached: true,
  });
  // The SDK listens for the exit in as many places as it waits for an answer; that is no leak.
  child.setMaxListeners(0);
  let tail = "";
  child.stderr.setEncoding("utf8");
  child.stderr.on("data", (text: string) => {
    tail = (tail + text).slice(-TAIL_LENGTH);
    onStderr?.(text);
  });
  let ending: Promise<void> | undefined;
  const family = (): Promise<readonly number[]> => findFamily(child.pid, mark);
  const memory = createMemoryLimiter({ mark, family, parent: groupParent });
  const endFamily = async (graceMs: number): Promise<void> => {
    // What cleared its environment is only known as long as its parents live.
    const known = await identifyFamily(child.pid, mark);
    await endProcess(child, mark, graceMs, clock);
    await endAll(known);
    await memory.remove();
    if (recordFolder !== undefined) await clearRemains(recordFolder, mark, { wasKilled: child.signalCode !== null });
  };
  return {
    child,
    pid: child.pid,
    /** Milliseconds since the epoch. */
    startedAt: clock.now(),
    env: wanted.env,
    stderrTail: () => tail.trim(),
    /** Memory of the CLI and its children; undefined where the system does not tell. */
    measureBytes: async () => (process.platform === "linux" ? await memory.usedBytes() : undefined),
    countProcesses: async () => (await family()).length,
    /** Bytes in files that they hold open without a name, and in file systems that only they see. */
    measureHiddenBytes: async () => (await measureHidden(await family())).files,
    limitMemory: memory.limit,
    ranOutOfMemoryBy: memory.ranOutBy,
    /** Puts down what it would leave in these folders if it were killed now, before a turn begins. */
    expectRemains,
    /** SIGTERM, a grace, SIGKILL; then the children of its tools. Resolves when all of them are proven gone. */
    end: (graceMs = DEFAULT_GRACE_MS): Promise<void> => (ending ??= endFamily(graceMs)),
  };
}

async function endProcess(child: ChildProcess, mark: string, graceMs: number, clock: Clock): Promise<void> {
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
    const waiting = new AbortController();
    const exited = once(child, "exit", { signal: waiting.signal });
    if (graceMs > 0) child.kill("SIGTERM");
    await Promise.race([exited, clock.sleep(graceMs, waiting.signal)]).catch(() => undefined);
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL");
      await exited.catch(() => undefined);
    }
    waiting.abort();
    await exited.catch(() => undefined);
  }
  await endMarked(mark, { isOwn: true });
}

/**
 * The arguments with settings that no other process has. The CLI names a temporary file by the content of settings that
 * are given as text; its sandbox makes that file before each command and removes it afterwards. Of two agents with the
 * same settings, one would remove what the other is about to mount, and the other's command would fail.
 */
function withOwnSettings(args: readonly string[], mark: string): string[] {
  return args.map((arg, index) => {
    if (args[index - 1] !== "--settings" || !arg.startsWith("{")) return arg;
    const settings = JSON.parse(arg) as { readonly env?: object };
    return JSON.stringify({ ...settings, env: { ...settings.env, [MARK_VARIABLE]: mark } });
  });
}
