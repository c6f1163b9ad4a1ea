import { identify, isRunning, SkeinError, type Clock } from "../../core/internal.ts";
import { errorFromData } from "../../protocol/index.ts";
import type { RunSummary } from "../runs/run-data.ts";
import type { Runs } from "../runs/runs.ts";
import { launch, type LaunchedProcess, type LaunchOrder } from "./launch.ts";
import { findLaunch, readEnvelope, readLastLine, sweepLaunches, type Envelope } from "./launch-folder.ts";

/** The commands that a server starts. It holds none of them: each is a process of its own, and what it came to is in the data folder. */
export interface Launches {
  /** Starts a command, and gives its run as soon as there is one; fails as the command does where it ends before. */
  start(order: LaunchOrder, kind: RunSummary["kind"]): Promise<RunSummary>;
  /** What the command of a run came to; undefined where it was not started by a server of this data folder. Waits for its end, for as long as it may. */
  result(run: RunSummary, mostMs: number): Promise<Result | undefined>;
}

export interface Result {
  /** Whether its process still runs. */
  readonly isRunning: boolean;
  readonly envelope: Envelope | undefined;
}

/** How long a command may take to begin its run: it snapshots the directory before. */
const BEGIN_MS = 120_000;

const LOOK_EVERY_MS = 100;

export function createLaunches(
  dataHome: string,
  { runs, clock, env }: { readonly runs: Runs; readonly clock: Clock; readonly env: NodeJS.ProcessEnv },
): Launches {
  async function begun({ process: child, ended, folder }: LaunchedProcess, kind: string): Promise<RunSummary> {
    const identity = child.pid === undefined ? undefined : await identify(child.pid);
    const isOwn = (run: RunSummary): boolean =>
      run.kind === kind && run.process.pid === child.pid && run.process.startTime === identity?.startTime;
    const untilMs = clock.now() + BEGIN_MS;
    let hasEnded = false;
    void ended.finally(() => (hasEnded = true)).catch(() => undefined);
    while (clock.now() < untilMs) {
      // It is asked before the runs are looked at: a run that has begun is known when its process is gone.
      const isOver = hasEnded;
      if (isOver) await runs.scan();
      const run = runs.known().find(isOwn);
      if (run) return run;
      if (isOver) throw await failure(folder);
      await clock.sleep(LOOK_EVERY_MS);
    }
    throw new SkeinError("The run has not begun yet", {
      kind: "timeout",
      target: folder,
      hint: "It may still begin: look at the list of runs before you start another",
    });
  }

  return {
    async start(order, kind) {
      await sweepLaunches(dataHome).catch(() => undefined);
      const launched = await launch(order, { dataHome, env, clock }).catch((cause: unknown) => {
        throw new SkeinError(`The command cannot be started: ${(cause as Error).message}`, { kind: "process", cause });
      });
      return await begun(launched, kind);
    },
    async result(run, mostMs) {
      const folder = await findLaunch(dataHome, run.process);
      if (folder === undefined) return undefined;
      const untilMs = clock.now() + mostMs;
      let alive = await isRunning(run.process);
      for (; alive && clock.now() < untilMs; alive = await isRunning(run.process)) await clock.sleep(LOOK_EVERY_MS);
      return { isRunning: alive, envelope: alive ? undefined : await readEnvelope(folder) };
    },
  };
}

/** Why a command ended before its run began, in its own words. */
async function failure(folder: string): Promise<SkeinError> {
  const envelope = await readEnvelope(folder);
  if (envelope?.error) return errorFromData(envelope.error);
  const line = await readLastLine(folder);
  return new SkeinError(`The command ended before its run began${line === "" ? "" : `: ${line}`}`, {
    kind: "process",
    target: folder,
  });
}
