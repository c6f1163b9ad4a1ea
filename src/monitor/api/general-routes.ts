import { readFile } from "node:fs/promises";
import { z } from "zod";
import { isoTime, type ProcessIdentity } from "../../core/internal.ts";
import { readOwnPackage } from "../../protocol/index.ts";
import { ACTIVITIES, toRunData, type RunSummary } from "../runs/run-data.ts";
import { API_VERSION } from "./api-version.ts";
import { route, type ApiContext } from "./route.ts";

export const health = route({
  path: "/api/health",
  operation: "getHealth",
  summary: "Whether the server is there, and what it watches",
  data: z.strictObject({
    status: z.literal("ok").describe("Always ok: a server that is not does not answer"),
    api_version: z
      .int()
      .describe("The version of this interface: it rises when something is taken away or means something else"),
    version: z.string().describe("The version of Skein that the server is of"),
    read_only: z.boolean().describe("Whether nothing can be changed by it"),
    allow_commands: z
      .boolean()
      .describe("Whether requests may have commands run as you: rewards, answers from elsewhere, `bypassPermissions`"),
    data_home: z.string().describe("Skein's data folder: all that is shown lies in it"),
    started_at: z.string().describe("When the server was started, ISO 8601"),
    process_id: z.int().describe("The server's process"),
    memory_bytes: z.int().describe("The memory that the server holds"),
    running: z.int().describe("Runs that go on now"),
    stream: z
      .strictObject({
        seq: z.int().describe("The number of the last message on the WebSocket"),
        clients: z.int().describe("How many listen to it"),
      })
      .describe("The WebSocket at /api/stream"),
  }),
  async answer(_, { dataHome, startedAtMs, readOnly, allowCommands, runs, stream }) {
    const { seq, clients } = stream();
    return {
      status: "ok" as const,
      api_version: API_VERSION,
      version: readOwnPackage().version,
      read_only: readOnly,
      allow_commands: allowCommands && !readOnly,
      data_home: dataHome,
      started_at: isoTime(startedAtMs),
      process_id: process.pid,
      memory_bytes: process.memoryUsage.rss(),
      running: runs.known().filter((run) => isGoing(run) && run.kind !== "program").length,
      stream: { seq, clients },
    };
  },
});

const ProcessData = z.strictObject({
  process_id: z.int().describe("The process's id"),
  state: z
    .enum(ACTIVITIES)
    .describe(
      "What goes on in it: `working` where any of its runs works, else `starting` or `waiting` for a person's answer; `idle` where none goes on, `dead` where it was killed with one",
    ),
  state_since: z.string().describe("Since when, ISO 8601"),
  state_limit_ms: z
    .number()
    .nullable()
    .describe("After how long in it its run is ended, or its question denied; null where that is not limited"),
  end_reason: z.string().nullable().describe("Why it is dead: `killed`; null where it is there"),
  runs: z.array(z.string()).describe("The runs that go on in it"),
  age_ms: z.number().nullable().describe("How long it has been there, in milliseconds; null where that is not known"),
  memory_bytes: z
    .int()
    .nullable()
    .describe("The memory that it holds, without that of its children; null where that is not known"),
});

export const processes = route({
  path: "/api/processes",
  operation: "listProcesses",
  summary: "The Skein processes of this machine that run something, or have told the server that they are there",
  data: z.strictObject({ processes: z.array(ProcessData).describe("The processes") }),
  answer: async (_, context) => ({ processes: await listProcesses(context) }),
});

/** Skein's processes with what goes on in them, apart from the server's own. */
export async function listProcesses(context: ProcessSources): Promise<z.infer<typeof ProcessData>[]> {
  return await Promise.all(processesOf(context).map(describe));
}

type ProcessSources = Pick<ApiContext, "runs" | "tellers" | "clock">;

/** How long a process is told of that was killed with a run in it. */
const KILLED_TOLD_MS = 60 * 60_000;

interface SeenProcess {
  readonly process: ProcessIdentity;
  /** When it told that it is there, where it has. */
  readonly connectedAtMs: number | undefined;
  /** The runs that go on in it, or those that it was killed with. */
  readonly runs: readonly RunSummary[];
}

function processesOf({ runs, tellers, clock }: ProcessSources): readonly SeenProcess[] {
  const found = new Map<string, SeenProcess>();
  const see = (process: ProcessIdentity, seen: Partial<SeenProcess>): void => {
    const key = `${process.pid} ${process.startTime}`;
    const { connectedAtMs, runs: before = [] } = found.get(key) ?? {};
    found.set(key, { process, connectedAtMs, ...seen, runs: [...before, ...(seen.runs ?? [])] });
  };
  for (const { process, connectedAtMs } of tellers()) see(process, { connectedAtMs });
  for (const run of runs.known()) {
    const isTold = run.isCutOff ? clock.now() - Date.parse(run.activitySince) < KILLED_TOLD_MS : !run.hasEnded;
    // That a program could tell something is no work.
    if (isTold) see(run.process, { runs: run.kind === "program" ? [] : [run] });
  }
  return [...found.values()];
}

function isGoing({ hasEnded, isCutOff }: RunSummary): boolean {
  return !hasEnded && !isCutOff;
}

/** What goes on in a process with several runs: the first of these that any of them does. */
const MOST_TELLING = ["working", "starting", "waiting", "dead"] as const;

function stateOf({ runs, connectedAtMs = 0 }: SeenProcess) {
  const state = MOST_TELLING.find((each) => runs.some(({ activity }) => activity === each));
  const [first] = runs
    .filter(({ activity }) => activity === state)
    .toSorted((left, right) => Date.parse(left.activitySince) - Date.parse(right.activitySince));
  if (!first || !state) return { state: "idle" as const, state_since: isoTime(connectedAtMs), state_limit_ms: null };
  return { state, state_since: first.activitySince, state_limit_ms: toRunData(first).activity_limit_ms };
}

async function describe(seen: SeenProcess): Promise<z.infer<typeof ProcessData>> {
  const { pid } = seen.process;
  const own = stateOf(seen);
  const told = { process_id: pid, ...own, runs: seen.runs.map(({ run }) => run) };
  // Another process may have its number by now.
  if (own.state === "dead") return { ...told, end_reason: "killed", age_ms: null, memory_bytes: null };
  const [status, stat, uptime] = await Promise.all(
    [`/proc/${pid}/status`, `/proc/${pid}/stat`, "/proc/uptime"].map((path) =>
      readFile(path, "latin1").catch(() => ""),
    ),
  );
  const kib = /^VmRSS:\s*(\d+) kB$/mu.exec(status ?? "")?.[1];
  // The name stands in brackets and may hold anything; the start is the 20th field after it, in hundredths of a second.
  const started = stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  const ageMs = started && uptime ? Number(uptime.split(" ")[0]) * 1000 - Number(started) * 10 : null;
  return {
    ...told,
    end_reason: null,
    age_ms: ageMs === null ? null : Math.max(0, Math.round(ageMs)),
    memory_bytes: kib === undefined ? null : Number(kib) * 1024,
  };
}
