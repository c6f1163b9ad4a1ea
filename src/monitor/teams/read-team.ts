import { basename } from "node:path";
import { microUsd, SkeinError, sumMicroUsd, toUsd, type Spending } from "../../core/internal.ts";
import { listTeams, readTeamLines, WORK_STEP, type TeamJournalLine, type TeamSettings } from "../../team/internal.ts";
import { readTransitionOf } from "../../trace/internal.ts";
import type { FoundStore } from "../../workspace/internal.ts";
import type { ApiContext } from "../api/route.ts";
import type { RunSummary } from "../runs/run-data.ts";
import { linesOfSteps, type StepTurn } from "./step-lines.ts";
import { TeamLine } from "./team-line.ts";
import type { TeamStory } from "./team-story.ts";
import { tellTeam } from "./tell-team.ts";

/** Where a team's own journal lies. */
export interface TeamPlace {
  readonly id: string;
  readonly store: FoundStore;
}

/** A turn of the manager's, by its step: which round it looked at, what it cost. */
export interface ManagerTurn {
  readonly step: string;
  readonly at: string;
  readonly stateId: string;
  readonly costUsd: number;
  /** The worker's state whose round it judged. */
  readonly workStateId?: string | undefined;
}

/** All that is known of a team: its own journal, its runs, and what they tell. */
export interface ReadTeam extends TeamPlace {
  readonly settings: TeamSettings;
  readonly startedAt: string;
  /** Its processes' runs, the first one first. */
  readonly runs: readonly RunSummary[];
  readonly state: "running" | "ended" | "interrupted";
  readonly updatedAt: string;
  readonly outcome: string | undefined;
  readonly story: TeamStory;
  readonly managerTurns: readonly ManagerTurn[];
  readonly costUsd: number;
  readonly managerCostUsd: number;
}

/** The teams of all workspaces, the newest first: their ids have their time in them. */
export async function findTeams({ workspaces }: Pick<ApiContext, "workspaces">): Promise<readonly TeamPlace[]> {
  const stores = (await workspaces.list()).map(({ store }) => store);
  const found = await Promise.all(stores.map(async (store) => (await listTeams(store)).map((id) => ({ id, store }))));
  return found.flat().toSorted((left, right) => (left.id < right.id ? 1 : -1));
}

/** Reads a team; undefined where its journal went meanwhile. */
export async function readTeam({ id, store }: TeamPlace, context: ApiContext): Promise<ReadTeam | undefined> {
  const journal = await readTeamLines(store, id);
  const [begin] = journal ?? [];
  if (!journal || !begin) return undefined;
  if (begin.type !== "begin") throw new SkeinError("The team's journal does not begin", { kind: "parse", target: id });
  const runs = await runsOf(id, journal, context);
  const told = (await Promise.all(runs.map(async ({ run }) => await linesOf(run, context)))).flat();
  const lines = told.length > 0 ? told : await linesOfSteps(journal, turnsIn(store, context));
  const story = tellTeam(lines);
  const managerTurns = managerTurnsOf(journal);
  const last = journal.at(-1) ?? begin;
  const run = runs.at(-1);
  const isGoing = run !== undefined && !run.hasEnded && !run.isCutOff;
  const managerCostUsd = sumUsd(managerTurns.map(({ costUsd }) => costUsd));
  return {
    id,
    store,
    settings: begin.settings,
    startedAt: begin.at,
    runs,
    state: last.type === "end" ? "ended" : isGoing ? "running" : "interrupted",
    updatedAt: [last.at, ...(isGoing ? [run.updatedAt] : [])].toSorted().at(-1) ?? last.at,
    outcome: last.type === "end" ? last.outcome : undefined,
    story,
    managerTurns,
    managerCostUsd,
    costUsd: sumUsd([managerCostUsd, ...story.rounds.map(({ costUsd }) => costUsd)]),
  };
}

function sumUsd(amounts: readonly number[]): number {
  return toUsd(sumMicroUsd(amounts.map((amount) => microUsd(amount))));
}

/** How many runs after a team's beginning are looked at for its own: mostly it is the first. */
const MOST_LOOKED_AT = 200;

/** Each process of a team begins its run right after the line that says so in the team's journal. */
async function runsOf(
  team: string,
  journal: readonly TeamJournalLine[],
  { runs }: Pick<ApiContext, "runs">,
): Promise<readonly RunSummary[]> {
  const ids = runs.ids().toReversed();
  const found = new Map<string, RunSummary>();
  for (const { type, at } of journal) {
    if (type !== "begin" && type !== "resume") continue;
    const sinceMs = Date.parse(at);
    const from = ids.findIndex((id) => timeOf(id) >= sinceMs);
    for (const id of from === -1 ? [] : ids.slice(from, from + MOST_LOOKED_AT)) {
      const run = await runs.read(id);
      if (run?.kind !== "team" || run.team !== team) continue;
      found.set(id, run);
      break;
    }
  }
  return [...found.values()];
}

/** When an id was made: it begins with that. */
function timeOf(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

async function linesOf(run: string, { runs }: Pick<ApiContext, "runs">): Promise<readonly TeamLine[]> {
  const lines = await runs.events(run, 0, Infinity);
  return lines.flatMap(({ event }) => TeamLine.safeParse(event).data ?? []);
}

/** Turns by their states, as far as the workspace can be opened. */
function turnsIn(store: FoundStore, { workspaces }: Pick<ApiContext, "workspaces">) {
  return async (state: string): Promise<StepTurn | undefined> => {
    const reading = workspaces.use(
      basename(store.home),
      async ({ workspace }) => await readTransitionOf(workspace, state),
    );
    const transition = await reading.catch(() => undefined);
    if (!transition) return undefined;
    const { structuredOutput, offline = false } = transition.execution;
    return { structuredOutput, offline, conversationId: transition.conversationId };
  };
}

/** Every step that was paid for and is no round of work is the manager's. */
function managerTurnsOf(journal: readonly TeamJournalLine[]): readonly ManagerTurn[] {
  const works = new Map<string, string>();
  return journal.flatMap((line) => {
    if (line.type !== "step") return [];
    const { name, value, spent, at } = line;
    if (WORK_STEP.test(name)) works.set(name, String(value));
    if (WORK_STEP.test(name) || !isPaid(spent)) return [];
    const workStateId = works.get(name.replace(/\/review(?:\/\d+)?$/u, ""));
    return { step: name, at, stateId: String(value), costUsd: spent.costUsd, workStateId };
  });
}

function isPaid(spent: Spending | undefined): spent is Spending {
  return spent !== undefined;
}
