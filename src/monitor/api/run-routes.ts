import { z } from "zod";
import { RUN_KINDS, RunId } from "../../core/internal.ts";
import { toWire } from "../../protocol/index.ts";
import { RUN_STATES, RunData, toRunData, type RunSummary } from "../runs/run-data.ts";
import type { Runs } from "../runs/runs.ts";
import { notFound } from "./not-found.ts";
import { pageFields, pageOf, pageQuery, route } from "./route.ts";

const RunList = z.strictObject({ runs: z.array(RunData).describe("The runs, newest first"), ...pageFields });

const listQuery = z.strictObject({
  ...pageQuery,
  state: z.enum(RUN_STATES).optional().describe("Only runs in this state"),
  workspace: z.string().optional().describe("Only runs of the workspace with this path"),
});

export const listRuns = route({
  path: "/api/runs",
  operation: "listRuns",
  summary: "Turns, searches and programs of which there are events, newest first",
  query: z.strictObject({
    ...listQuery.shape,
    kind: z.enum(RUN_KINDS).optional().describe("Only turns, searches, or programs that tell of themselves"),
  }),
  data: RunList,
  answer: async (query, { runs }) => await list(query, runs),
});

export const listSearches = route({
  path: "/api/searches",
  operation: "listSearches",
  summary: "Searches, newest first; their branches are among their events",
  query: listQuery,
  data: RunList,
  answer: async (query, { runs }) => await list({ ...query, kind: "search" }, runs),
});

type ListQuery = z.infer<typeof listQuery> & { readonly kind?: RunSummary["kind"] | undefined };

/** No more journals are read than the page needs. */
async function list(
  { limit, offset, state, kind, workspace }: ListQuery,
  runs: Runs,
): Promise<z.infer<typeof RunList>> {
  const found: RunData[] = [];
  for (const id of runs.ids()) {
    if (found.length > offset + limit) break;
    const run = await runs.read(id);
    const data = run && toRunData(run);
    if (!data || (state !== undefined && data.state !== state)) continue;
    if ((kind === undefined || data.kind === kind) && (workspace === undefined || data.workspace === workspace))
      found.push(data);
  }
  const { items, next_offset } = pageOf(found.slice(offset), { limit, offset });
  return { runs: [...items], next_offset };
}

const runParameters = z.strictObject({ run: RunId });

export const getRun = route({
  path: "/api/runs/{run}",
  operation: "getRun",
  summary: "A run",
  parameters: runParameters,
  data: z.strictObject({ run: RunData.describe("The run") }),
  async answer({ run: id }, { runs }) {
    return { run: toRunData(await readRun(id, runs)) };
  },
});

export const getRunEvents = route({
  path: "/api/runs/{run}/events",
  operation: "listRunEvents",
  summary: "The events of a run, in order",
  parameters: runParameters,
  query: z.strictObject({
    after: z.coerce.number().int().min(0).default(0).describe("Only what comes after this line"),
    limit: z.coerce.number().int().min(1).max(5000).default(1000).describe("How many lines at most"),
  }),
  data: z.strictObject({
    events: z
      .array(
        z.strictObject({
          line: z.int().describe("The line of the run's journal"),
          event: z.looseObject({ type: z.string() }).describe("What happened, with its fields in snake_case"),
        }),
      )
      .describe("The events"),
    last_line: z.int().describe("The last line that was looked at: what to ask for next is after it"),
  }),
  async answer({ run: id, after, limit }, { runs }) {
    await readRun(id, runs);
    const lines = await runs.events(id, after, limit);
    const events = lines.flatMap(({ line, event }) =>
      event ? [{ line, event: toWire(event) as { readonly type: string } }] : [],
    );
    return { events, last_line: lines.at(-1)?.line ?? after };
  },
});

async function readRun(id: string, runs: Runs): Promise<RunSummary> {
  // Lines are told as they are in the journal, which may be ahead of what was told of it: who has read the end is not to be told that it goes on.
  if (await runs.read(id)) await runs.follow(id, Infinity);
  const run = await runs.read(id);
  if (run) return run;
  throw notFound("run", id);
}
