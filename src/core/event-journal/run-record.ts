import { join } from "node:path";
import { z } from "zod";
import { ProcessIdentitySchema } from "../process-identity.ts";

/** The id of a run: of a recorded turn the transition's. Nothing else is taken for a name of a file. */
export const RunId = z
  .string()
  .regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u)
  .describe("The run's id; of a turn it is the transition's");

const timestamp = z.iso.datetime({ offset: true }).describe("When it happened, ISO 8601");

/** What can have a journal: a recorded turn, a search that runs many, a manager and its workers, or a program of a user's that tells of itself. */
export const RUN_KINDS = ["turn", "search", "team", "program"] as const;

/** What the kind of a run says, for schemas. */
export const RUN_KIND =
  "Whether it is one recorded turn, a search that runs many, a manager with its workers, or a program of a user's that tells of itself";

/** What a run is, known as it begins. */
export const RunAbout = z.object({
  run: RunId,
  kind: z.enum(RUN_KINDS).describe(RUN_KIND),
  workspace: z.string().describe("The workspace's real path; of a turn on a branch the one that it is a branch of"),
  directory: z.string().describe("The directory that the agent works in"),
  conversationId: z.string().exactOptional().describe("The conversation that the turn goes on with"),
  turn: z.int().exactOptional().describe("The turn's number in its session, from 1"),
  beforeStateId: z.string().exactOptional().describe("The state that it begins from"),
  prompt: z.string().exactOptional().describe("The turn's prompt, or the team's goal"),
  team: z.string().exactOptional().describe("The team's id: it stays the same when the team is resumed"),
  idleLimitMs: z
    .number()
    .exactOptional()
    .describe("After how long without a sign of life the turn is ended, in milliseconds"),
  strategy: z.string().exactOptional().describe("How a search chooses what to try next"),
  program: z.string().exactOptional().describe("What a program calls itself"),
});

export type RunAbout = Readonly<z.infer<typeof RunAbout>>;

/** The first line of a run's journal. */
export const RunStart = RunAbout.extend({
  type: z.literal("run-start").describe("What happened"),
  version: z.literal(1).describe("The version of the journal's format"),
  timestamp,
  process: ProcessIdentitySchema.describe("The process that runs it"),
});

export type RunStart = Readonly<z.infer<typeof RunStart>>;

/** Any line of a journal, as far as all are alike. */
export const JournalLine = z.looseObject({ type: z.string().describe("What happened"), timestamp });

export type JournalLine = Readonly<z.infer<typeof JournalLine>>;

/** The folder of the journals in Skein's data folder. */
export function eventFolder(dataHome: string): string {
  return join(dataHome, "events");
}

/** Where the journal of a run lies. */
export function journalPath(dataHome: string, run: string): string {
  return join(eventFolder(dataHome), `${run}.jsonl`);
}

/** The run that a file in the folder of journals is of; undefined where it is none. */
export function runOfFile(name: string): string | undefined {
  return name.endsWith(".jsonl") ? RunId.safeParse(name.slice(0, -".jsonl".length)).data : undefined;
}
