import { resolve } from "node:path";
import {
  createId,
  isoTime,
  openEventJournal,
  SkeinError,
  type ControlRequest,
  type EventJournal,
} from "../core/internal.ts";
import {
  ClaudeEngine,
  createDualAgentOptions,
  createSecretRedactor,
  type ClaudeOptions,
  type Engine,
} from "../engine/internal.ts";
import { confineAsAgent, confineAsIsolated, isolatedEngine, type Confine } from "../isolation/internal.ts";
import { RECORDING_MS, recordPresent, readStateFile, takeDirectory, type State } from "../trace/internal.ts";
import { tryLock, type HeldLock } from "../database/index.ts";
import { Workspace } from "../workspace/internal.ts";
import { z } from "zod";
import { askRemotely } from "./ask-remotely.ts";
import { TeamDesk } from "./desk.ts";
import { gatesOn, shareOf } from "./do-item.ts";
import { checkGates } from "./gates.ts";
import { createManager } from "./manager.ts";
import type { TeamAnswer, TeamEvent, TeamQuestion, TeamResult } from "./team-events.ts";
import { beginJournal, listTeams, readJournal, type TeamJournal } from "./team-journal.ts";
import { resumedSettings, toBudget, toTeamSettings, type DualAgentOptions } from "./team-options.ts";
import { TeamRun } from "./team-run.ts";
import { createWorkers } from "./worker.ts";

/**
 * A manager that plans and reviews, and workers that do: items of work, each on a branch of its own, accepted by what is in the files and by
 * what the gates say. What they do is recorded as it happens, so that a team that was cut off goes on where it was.
 */
export class DualAgent {
  readonly #options: DualAgentOptions;

  constructor(options: DualAgentOptions) {
    this.#options = options;
  }

  /** Brings a goal about; gives what happens, and in the end what it came to. Whoever leaves early cancels the team. */
  async *run(goal: string): AsyncGenerator<TeamEvent, TeamResult, void> {
    const options = this.#options;
    const settings = toTeamSettings(goal, options);
    await checkGates(settings.gates, resolve(options.workspace));
    await using workspace = await Workspace.open(options.workspace, options.workspaceOptions);
    const journal = await beginJournal(workspace, createId(workspace.clock), settings);
    return yield* conduct(options, { workspace, journal, isResumed: false });
  }

  /** Goes on with a team that was cut off, or ended before all was done; the last one unless one is named. No completed turn is paid for twice. */
  async *resume(name?: string): AsyncGenerator<TeamEvent, TeamResult, void> {
    const options = this.#options;
    await using workspace = await Workspace.open(options.workspace, options.workspaceOptions);
    const known = await listTeams(workspace);
    const before = await readJournal(workspace, name ?? known[0] ?? "");
    const journal = { ...before, settings: resumedSettings(before.settings, options) };
    if (journal.outcome === "completed") {
      throw new SkeinError(`The team ${journal.id} has done all of it`, { kind: "usage", target: journal.id });
    }
    await checkGates(journal.settings.gates, workspace.path);
    // A merge that was cut off while it changed the directory is brought to its end first.
    if (await workspace.halfRestore()) await workspace.recoverRestore("finish");
    await journal.resume();
    return yield* conduct(options, { workspace, journal, isResumed: true });
  }
}

interface Conducting {
  readonly workspace: Workspace;
  readonly journal: TeamJournal;
  readonly isResumed: boolean;
}

async function* conduct(
  options: DualAgentOptions,
  { workspace, journal, isResumed }: Conducting,
): AsyncGenerator<TeamEvent, TeamResult, void> {
  const startedAtMs = workspace.clock.now();
  // Its journal has one writer: a team that goes on is not gone on with from elsewhere.
  await using _ = await holdTeam(workspace, journal.id);
  const budget = toBudget(options.budget);
  countEarlier(budget, journal);
  let tell: (event: TeamEvent) => void = () => {};
  const desk = new TeamDesk({ workspace, journal, budget, signal: options.signal, onEvent: (event) => tell(event) });
  using log = await openLog(desk, journal.settings.goal);
  tell = log.add;
  const working = work(options, { desk, isResumed, startedAtMs, tell: log.tell }).finally(() => desk.events.end());
  // A failure before the first event is told by awaiting it below.
  working.catch(() => undefined);
  try {
    yield* desk.events;
    const result = await working;
    await journal.end(result.outcome);
    const event: TeamEvent = { type: "team-end", result };
    log.add(event);
    yield event;
    return result;
  } finally {
    desk.stop("cancelled");
    desk.events.end();
    await working.catch(() => undefined);
  }
}

async function holdTeam({ home }: Workspace, id: string): Promise<HeldLock> {
  const held = await tryLock(resolve(home, "teams", `${id}.lock`));
  if (held) return held;
  throw new SkeinError(`The team ${id} works already, in another process`, {
    kind: "workspace_busy",
    target: id,
    hint: "Wait until it ends, or interrupt it",
  });
}

/** Money and tokens that were spent before the team was cut off are spent. */
function countEarlier(budget: ReturnType<typeof toBudget>, { steps }: TeamJournal): void {
  for (const { spent } of steps.values()) if (spent) budget?.count(spent);
}

interface Working {
  readonly desk: TeamDesk;
  readonly isResumed: boolean;
  readonly startedAtMs: number;
  readonly tell: TeamLog["tell"];
}

async function work(options: DualAgentOptions, { desk, isResumed, startedAtMs, tell }: Working): Promise<TeamResult> {
  const {
    engine: given = new ClaudeEngine(),
    isolation,
    isIsolated = false,
    workspaceOptions = {},
    attempts,
  } = options;
  const engine: Engine = isolation && !isIsolated ? isolatedEngine(given, isolation, { hostEnv: process.env }) : given;
  const start = await begin(desk);
  await using manager = createManager({
    desk,
    engine,
    start,
    workspace: workspaceOptions,
    options: managerOptions(options.manager),
  });
  const profiles = [options.worker ?? {}].flat().map(workerOptions);
  const [first = {}] = profiles;
  const confine = (directory: string): Promise<Confine> =>
    isolation ? confineAsIsolated(isolation, directory) : confineAsAgent(first, directory);
  const gateOptions = { confine };
  await using workers = createWorkers({
    desk,
    engine,
    profiles,
    workspace: workspaceOptions,
    attempts,
    reward: async ({ state }) => shareOf(await gatesOn(desk, state, gateOptions)),
  });
  const trunk = await desk.once("trunk", z.string(), async () => createId(desk.workspace.clock));
  const merging = { desk, trunk, gateOptions };
  const ask = (question: TeamQuestion): Promise<TeamAnswer> => askInTime(options, { desk, tell }, question);
  const parts = {
    desk,
    manager,
    workers,
    merging,
    gateOptions,
    profiles: profiles.length,
    ask,
    isResumed,
    startedAtMs,
  };
  return await new TeamRun(parts).conduct();
}

async function begin(desk: TeamDesk): Promise<State> {
  const { workspace } = desk;
  const id = await desk.once("start", z.string(), async () => {
    await using _ = await takeDirectory(workspace, { waitMs: RECORDING_MS });
    return (await recordPresent(workspace)).id;
  });
  return await readStateFile(workspace.states, id);
}

/** The preset says who a manager is; what it reads are files, and a goal takes more than a chat's few responses. */
function managerOptions(given: ClaudeOptions = {}): ClaudeOptions {
  return createDualAgentOptions("manager", { tools: ["Read", "Glob", "Grep"], ...LIMITS, ...given });
}

function workerOptions(given: ClaudeOptions): ClaudeOptions {
  return createDualAgentOptions("worker", { ...LIMITS, ...given });
}

const LIMITS = { maxResponses: 200, timeoutMs: 3_600_000 } as const;

/** A person's answer; `unanswered` where there is nobody to ask, or nobody answers in time. */
async function askInTime(
  { ask, askTimeoutMs: timeoutMs = 3_600_000 }: DualAgentOptions,
  { desk: { signal, workspace }, tell }: Pick<Working, "desk" | "tell">,
  question: TeamQuestion,
): Promise<TeamAnswer> {
  if (!ask) return UNANSWERED;
  const { clock, home } = workspace;
  const [late, over] = [new AbortController(), new AbortController()];
  const until = AbortSignal.any([signal, late.signal]);
  const giveUp = (): TeamAnswer => {
    late.abort("deadline");
    return UNANSWERED;
  };
  const deadline = clock.sleep(timeoutMs, AbortSignal.any([signal, over.signal])).then(giveUp, giveUp);
  const dataHome = resolve(home, "../..");
  const asked =
    ask === "remote"
      ? askRemotely({ dataHome, clock, tell }, question, { signal: until, timeoutMs })
      : ask(question, until);
  try {
    return await Promise.race([asked, deadline]);
  } finally {
    over.abort();
  }
}

const UNANSWERED: TeamAnswer = { choice: "unanswered" };

interface TeamLog extends Disposable {
  add(event: TeamEvent): void;
  /** Tells what is no event of the team's own: a question, as agents ask it. */
  tell(event: { readonly type: string; readonly timestamp: string }): void;
}

/** What happens in the team, for whoever looks on: its turns tell of themselves. */
async function openLog(desk: TeamDesk, goal: string): Promise<TeamLog> {
  const { home, origin, path, clock } = desk.workspace;
  const about = {
    run: createId(clock),
    kind: "team" as const,
    workspace: origin,
    directory: path,
    prompt: goal,
    team: desk.id,
  };
  const onControl = ({ type, target }: ControlRequest): void => {
    if (type !== "interrupt") throw new SkeinError("A team can only be interrupted", { kind: "usage", target });
    desk.stop("cancelled");
  };
  const journal: EventJournal = await openEventJournal(resolve(home, "../.."), about, { clock, onControl });
  const secrets = createSecretRedactor([process.env]);
  return {
    tell: (event) => journal.add(secrets.value(event)),
    add: (event) => journal.add({ timestamp: isoTime(clock.now()), ...secrets.value(event) }),
    [Symbol.dispose]: () => journal[Symbol.dispose](),
  };
}
