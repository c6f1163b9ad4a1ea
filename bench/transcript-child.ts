import { findTranscriptFiles, load, openTranscriptIndex, readLastPage, scanUsage } from "skein/transcript";

/** What a child process tells: how long each round of its work took, its memory at the most, and what it found. */
export interface ChildReport {
  readonly roundsMs: readonly number[];
  /** Processor time of all rounds, in all threads: a busy machine changes it less. */
  readonly cpuMs: number;
  readonly maxRssMb: number;
  readonly found: number;
}

const [job = "", ...args] = process.argv.slice(2);
const [first = "", second = ""] = args;
const rounds = job === "scan" || job === "search" || job === "idle" ? 3 : 1;

/** Each gives a number by which its work can be checked. */
const JOBS: Readonly<Record<string, () => Promise<number>>> = {
  nothing: () => Promise.resolve(0),
  scan: async () => (await scanUsage((await findTranscriptFiles({ base: first })).paths)).total.usage.outputTokens,
  index: () => withIndex(async (index) => (await index.refresh()).linesRead),
  idle: () => withIndex(async (index) => (await index.refresh()).files),
  search: () => withIndex(async (index) => (await index.search(args.slice(2).join(" "))).hits.length),
  page: () => Promise.resolve(readLastPage(first, 50).messages.length),
  load: async () => (await load(first)).messages.length,
  // Loaded only here: the other jobs are not to pay for it.
  sdk: async () => (await (await import("@anthropic-ai/claude-agent-sdk")).getSessionMessages(first)).length,
};

type Index = Awaited<ReturnType<typeof openTranscriptIndex>>;
let opened: Index | undefined;

/** Opening is part of the first round only. */
async function withIndex(work: (index: Index) => Promise<number>): Promise<number> {
  opened ??= await openTranscriptIndex({ transcriptsHome: first, home: second });
  return await work(opened);
}

const roundsMs: number[] = [];
let found = 0;
const before = process.cpuUsage();
for (let round = 0; round < rounds; round += 1) {
  const startedMs = performance.now();
  found = (await JOBS[job]?.()) ?? 0;
  roundsMs.push(performance.now() - startedMs);
}
const { user, system } = process.cpuUsage(before);
await opened?.close();
const report: ChildReport = {
  roundsMs,
  cpuMs: (user + system) / 1000,
  maxRssMb: process.resourceUsage().maxRSS / 1024,
  found,
};
process.stdout.write(JSON.stringify(report));
