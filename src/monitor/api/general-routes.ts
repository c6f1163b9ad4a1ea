import { readFile } from "node:fs/promises";
import { z } from "zod";
import { isoTime, type ProcessIdentity } from "../../core/internal.ts";
import { readOwnPackage } from "../../protocol/index.ts";
import type { RunSummary } from "../runs/run-data.ts";
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
  async answer(_, { dataHome, startedAtMs, readOnly, runs, stream }) {
    const { seq, clients } = stream();
    return {
      status: "ok" as const,
      api_version: API_VERSION,
      version: readOwnPackage().version,
      read_only: readOnly,
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
  state: z.enum(["working", "idle"]).describe("Whether a run goes on in it"),
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
export async function listProcesses(
  context: Pick<ApiContext, "runs" | "tellers">,
): Promise<z.infer<typeof ProcessData>[]> {
  return await Promise.all([...processesOf(context)].map(async ([pid, runs]) => await describe(pid, runs)));
}

function processesOf({ runs, tellers }: Pick<ApiContext, "runs" | "tellers">): ReadonlyMap<number, readonly string[]> {
  const found = new Map<number, string[]>();
  const add = ({ pid }: ProcessIdentity): string[] => {
    const of = found.get(pid) ?? [];
    found.set(pid, of);
    return of;
  };
  for (const teller of tellers()) add(teller.process);
  for (const run of runs.known().filter(isGoing)) {
    const own = add(run.process);
    // That a program could tell something is no work.
    if (run.kind !== "program") own.push(run.run);
  }
  return found;
}

function isGoing({ hasEnded, isCutOff }: RunSummary): boolean {
  return !hasEnded && !isCutOff;
}

async function describe(pid: number, runs: readonly string[]): Promise<z.infer<typeof ProcessData>> {
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
    process_id: pid,
    state: runs.length > 0 ? ("working" as const) : ("idle" as const),
    runs: [...runs],
    age_ms: ageMs === null ? null : Math.max(0, Math.round(ageMs)),
    memory_bytes: kib === undefined ? null : Number(kib) * 1024,
  };
}
