import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { createLineFile, defined, formatJsonl, isoTime, SkeinError, type Spending } from "../core/internal.ts";
import type { Workspace } from "../workspace/internal.ts";
import { Plan } from "./plan.ts";

const text = z.string();

/** What holds for a team from its beginning to its end, however often its process dies in between. */
export const TeamSettings = z.strictObject({
  goal: text,
  workers: z.int().positive(),
  gates: z.array(text),
  protect: z.array(text),
  maxRounds: z.int().positive(),
  maxAttempts: z.int().positive(),
  maxIterations: z.int().positive(),
  approvePlan: z.boolean(),
  plan: Plan.optional(),
});

export type TeamSettings = Readonly<z.infer<typeof TeamSettings>>;

const amount = z.number().nonnegative();

/** What a turn has used up. */
const Spent: z.ZodType<Spending> = z.strictObject({
  costUsd: amount,
  turns: amount,
  responses: amount,
  inputTokens: amount,
  outputTokens: amount,
  cacheReadTokens: amount,
  cacheWriteTokens: amount,
});

const Line = z.discriminatedUnion("type", [
  z.strictObject({ version: z.literal(1), type: z.literal("begin"), at: text, settings: TeamSettings }),
  z.strictObject({ version: z.literal(1), type: z.literal("resume"), at: text }),
  z.strictObject({
    version: z.literal(1),
    type: z.literal("step"),
    at: text,
    name: text,
    value: z.unknown(),
    spent: Spent.optional(),
  }),
  z.strictObject({ version: z.literal(1), type: z.literal("end"), at: text, outcome: text }),
]);

type Line = z.infer<typeof Line>;

/** A line of a team's journal: its beginning, a step that is done, that it goes on, its end. */
export type TeamJournalLine = Readonly<Line>;

/** A step that is done: what it came to, and what it cost. */
export interface TeamStep {
  readonly value: unknown;
  readonly spent?: Spending | undefined;
}

/** What a team has done so far, on the disk after every step: who goes on with it does no step again. */
export interface TeamJournal {
  readonly id: string;
  readonly settings: TeamSettings;
  readonly steps: ReadonlyMap<string, TeamStep>;
  /** How it ended the last time; undefined where it goes on or was cut off. */
  readonly outcome: string | undefined;
  readonly startedAt: string;
  add(name: string, step: TeamStep): Promise<void>;
  resume(): Promise<void>;
  end(outcome: string): Promise<void>;
}

/** Reads what a team has written down, by its id; undefined where there is no such team in the workspace. */
export async function readTeamLines(
  workspace: Pick<Workspace, "home">,
  id: string,
): Promise<readonly TeamJournalLine[] | undefined> {
  // It is looked for among those that there are: no path is made of what somebody asks for.
  if (!(await listTeams(workspace)).includes(id)) return undefined;
  return await readLines(join(folderOf(workspace), `${id}.jsonl`));
}

function folderOf({ home }: Pick<Workspace, "home">): string {
  return join(home, "teams");
}

/** Begins the journal of a new team. */
export async function beginJournal(workspace: Workspace, id: string, settings: TeamSettings): Promise<TeamJournal> {
  const at = isoTime(workspace.clock.now());
  const journal = createJournal(workspace, { id, settings, startedAt: at, steps: new Map() });
  await journal.write({ version: 1, type: "begin", at, settings });
  return journal;
}

/** Reads the journal of a team, to go on with it; by its id or the only one that begins so. */
export async function readJournal(workspace: Workspace, name: string): Promise<TeamJournal> {
  const ids = await listTeams(workspace);
  const found = ids.filter((id) => id.startsWith(name));
  const [id] = found;
  if (id === undefined || found.length > 1) {
    throw new SkeinError(found.length > 1 ? `Several teams begin with ${name}` : `There is no team ${name}`, {
      kind: "state_not_found",
      target: name,
      hint: ids.length === 0 ? "No team has worked in this workspace" : `There are ${ids.join(", ")}`,
    });
  }
  const lines = await readLines(join(folderOf(workspace), `${id}.jsonl`));
  const [begin] = lines;
  if (begin?.type !== "begin") throw unreadable(id, 1);
  const steps = new Map<string, TeamStep>();
  for (const line of lines) if (line.type === "step") steps.set(line.name, { value: line.value, spent: line.spent });
  const last = lines.at(-1);
  const outcome = last?.type === "end" ? last.outcome : undefined;
  return createJournal(workspace, { id, settings: begin.settings, startedAt: begin.at, steps, outcome });
}

/** The teams that have worked in a workspace, the newest first. */
export async function listTeams(workspace: Pick<Workspace, "home">): Promise<readonly string[]> {
  const names = await readdir(folderOf(workspace)).catch(() => []);
  const ids = names.filter((name) => name.endsWith(".jsonl")).map((name) => name.slice(0, -".jsonl".length));
  // Ids are made in the order of time.
  return ids.toSorted().toReversed();
}

interface JournalParts extends Pick<TeamJournal, "id" | "settings" | "startedAt"> {
  readonly steps: Map<string, TeamStep>;
  readonly outcome?: string | undefined;
}

function createJournal(workspace: Workspace, parts: JournalParts): TeamJournal & { write(line: Line): Promise<void> } {
  const { id, settings, startedAt, steps, outcome } = parts;
  const file = createLineFile(join(folderOf(workspace), `${id}.jsonl`));
  const write = async (line: Line): Promise<void> => await file.append(formatJsonl(line));
  const at = (): string => isoTime(workspace.clock.now());
  // Several workers end at once; a file of lines takes one after another.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = async (line: Line): Promise<void> => {
    const written = last.then(() => write(line));
    last = written.catch(() => undefined);
    await written;
  };
  return {
    id,
    settings,
    startedAt,
    steps,
    outcome,
    write: inTurn,
    async add(name, { value, spent }) {
      await inTurn({ version: 1, type: "step", at: at(), name, value, ...defined({ spent }) });
      steps.set(name, { value, spent });
    },
    resume: async () => await inTurn({ version: 1, type: "resume", at: at() }),
    end: async (outcomeNow) => await inTurn({ version: 1, type: "end", at: at(), outcome: outcomeNow }),
  };
}

async function readLines(path: string): Promise<readonly Line[]> {
  const lines: Line[] = [];
  for await (const record of createLineFile(path).records()) {
    const { data } = Line.safeParse(record.type === "value" ? record.value : undefined);
    if (!data) throw unreadable(path, record.line.number);
    lines.push(data);
  }
  return lines;
}

function unreadable(target: string, line: number): SkeinError {
  return new SkeinError(`Line ${line} of the team's journal cannot be read`, {
    kind: "parse",
    target,
    hint: "A newer Skein may have written it; begin a new team",
  });
}
