import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { alternate, timed } from "./harness/alternate.ts";
import type { Bench } from "./harness/bench.ts";
import { CCUSAGE } from "./harness/describe-machine.ts";
import { median } from "./harness/median.ts";
import { row, type Row } from "./harness/row.ts";
import { makeHistory, makeSession, type History } from "./make-history.ts";
import { runChild, runProgram } from "./run-child.ts";
import type { ChildReport } from "./transcript-child.ts";

const MEGABYTE = 1024 * 1024;
const HISTORY_BYTES = 500 * MEGABYTE;
const SESSION_BYTES = 100 * MEGABYTE;
const ROUNDS = 3;
const SKEIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

export const transcripts: Bench = {
  name: "transcripts",
  summary: `a generated history of ${HISTORY_BYTES / MEGABYTE} MB beside ccusage, wc and the SDK, in time and memory`,
  async run(tell) {
    const root = await mkdtemp(join(tmpdir(), "skein-bench-transcripts-"));
    try {
      tell("the history is made");
      const history = makeHistory(join(root, "history", "projects"), 400, HISTORY_BYTES);
      const session = makeSession(join(root, "large", "projects"), SESSION_BYTES);
      tell("usage");
      const ccusage = await installCcusage(join(root, "ccusage"));
      const environment = { ...process.env, HOME: root, CLAUDE_CONFIG_DIR: join(history.base, "..") };
      const peer = (): Promise<string> => runProgram(ccusage, ["claude", "daily", "--json", "--offline"], environment);
      const scanned = await benchScan(history, { environment, peer });
      tell("the first skein stats ever");
      const first = await benchFirstStats({ ...environment, SKEIN_HOME: join(root, "first") }, peer);
      tell("the index");
      const indexed = await benchIndex(history, join(root, "home"));
      tell("a large session");
      return [...first, ...scanned, ...indexed, ...(await benchLargeSession(session, join(root, "large")))];
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  },
};

async function benchFirstStats(environment: NodeJS.ProcessEnv, peer: () => Promise<string>): Promise<readonly Row[]> {
  const stats = (): Promise<string> => runProgram(process.execPath, [SKEIN, "stats"], environment);
  const times = await alternate(ROUNDS, {
    ccusage: () => single(peer),
    async stats() {
      await rm(environment["SKEIN_HOME"] ?? "", { recursive: true, force: true });
      return { ms: await timed(stats), warmMs: await timed(stats) };
    },
  });
  const beside = { name: "ccusage", value: times.ccusage.ms };
  const size = `${HISTORY_BYTES / MEGABYTE} MB`;
  return [
    row({
      name: "first-stats",
      what: `first skein stats ever, ${size}`,
      ours: times.stats.ms,
      unit: "ms",
      beside,
      aim: { of: "ratio", atMost: 1.2 },
    }),
    row({
      name: "stats-again",
      what: "the second, with nothing changed",
      ours: times.stats.warmMs,
      unit: "ms",
      beside,
    }),
  ];
}

interface Peer {
  readonly environment: NodeJS.ProcessEnv;
  readonly peer: () => Promise<string>;
}

/** Whole processes, one after the other in turn. */
async function benchScan(history: History, { environment, peer }: Peer): Promise<readonly Row[]> {
  const reports: ChildReport[] = [];
  const times = await alternate(ROUNDS, {
    async scan() {
      const startMs = await timed(() => runChild("transcript-child", ["nothing"]));
      const report = await runChild("transcript-child", ["scan", history.base]);
      reports.push(report);
      // The child scans three times: the first belongs to the cold process.
      const [coldMs = Number.NaN, ...warmMs] = report.roundsMs;
      return { ms: startMs + coldMs, warmMs: median(warmMs) };
    },
    ccusage: () => single(peer),
    wc: () => single(() => runProgram("sh", ["-c", 'cat "$0"/*/*.jsonl | wc -l', history.base], environment)),
  });
  const beside = { name: "ccusage", value: times.ccusage.ms };
  const memory = Math.max(...reports.map(({ maxRssMb }) => maxRssMb));
  const counted = outputTokensOf(await peer());
  const what = `usage of ${HISTORY_BYTES / MEGABYTE} MB in ${history.paths.length} files`;
  return [
    row({
      name: "usage-new-process",
      what: `${what}, a new process`,
      ours: times.scan.ms,
      unit: "ms",
      beside,
      aim: { of: "ratio", atMost: 0.8 },
    }),
    row({ name: "usage-running", what: `${what}, in a running one`, ours: times.scan.warmMs, unit: "ms", beside }),
    row({
      name: "usage-beside-wc",
      what: `${what}, in a running one`,
      ours: times.scan.warmMs,
      unit: "ms",
      beside: { name: "cat | wc -l", value: times.wc.ms },
    }),
    row({
      name: "usage-memory",
      what: "memory of that scan at the most",
      ours: memory,
      unit: "MB",
      aim: { of: "ours", atMost: 200 },
    }),
    row({
      name: "usage-exact",
      what: "output tokens found by it",
      ours: reports[0]?.found ?? Number.NaN,
      unit: "",
      beside: { name: "ccusage", value: counted },
    }),
  ];
}

async function benchIndex(history: History, home: string): Promise<readonly Row[]> {
  const first = await runChild("transcript-child", ["index", history.base, home]);
  const scan = await runChild("transcript-child", ["scan", history.base]);
  const idle = await runChild("transcript-child", ["idle", history.base, home]);
  const rows = [
    row({
      name: "first-index",
      what: `first index for search, ${first.found.toLocaleString("en-US")} lines`,
      note: `${(first.cpuMs / 1000).toFixed(1)} s of processor time, totals included`,
      ours: (first.roundsMs[0] ?? Number.NaN) / 1000,
      unit: "s",
      beside: { name: "one pass of the scanner", value: median(scan.roundsMs) / 1000 },
      aim: { of: "ours", atMost: 12 },
    }),
    row({ name: "first-index-memory", what: "its memory at the most", ours: first.maxRssMb, unit: "MB" }),
    row({
      name: "index-refresh",
      what: "refresh of the index with nothing changed",
      note: `with opening ${(idle.roundsMs[0] ?? 0).toFixed(0)} ms`,
      ours: median(idle.roundsMs.slice(1)),
      unit: "ms",
      aim: { of: "ours", atMost: 100 },
    }),
  ];
  const { vocabulary } = history;
  const queries = {
    "a rare word": vocabulary.at(-10),
    "a frequent word": vocabulary[1],
    "three words": [vocabulary[60], vocabulary[300], vocabulary[1500]].join(" "),
    "the beginning of a word": `${vocabulary[300]?.slice(0, 3)}*`,
  };
  for (const [what, words = ""] of Object.entries(queries)) {
    const { roundsMs, found } = await runChild("transcript-child", ["search", history.base, home, words]);
    rows.push(
      row({
        name: `search-${what.replaceAll(" ", "-")}`,
        what: `search over everything for ${what}`,
        note: `with opening ${(roundsMs[0] ?? 0).toFixed(0)} ms, ${found} hits on the page`,
        ours: median(roundsMs.slice(1)),
        unit: "ms",
        aim: { of: "ours", atMost: 100 },
      }),
    );
  }
  return rows;
}

async function benchLargeSession(
  session: { readonly path: string; readonly sessionId: string },
  home: string,
): Promise<readonly Row[]> {
  const environment = { ...process.env, CLAUDE_CONFIG_DIR: home };
  const nothing = await runChild("transcript-child", ["nothing"]);
  const page = await runChild("transcript-child", ["page", session.path]);
  const figures = ({ roundsMs, maxRssMb, found }: ChildReport) => ({ ms: roundsMs[0] ?? Number.NaN, maxRssMb, found });
  const { own, sdk } = await alternate(ROUNDS, {
    own: async () => figures(await runChild("transcript-child", ["load", session.path])),
    sdk: async () => figures(await runChild("transcript-child", ["sdk", session.sessionId], environment)),
  });
  const name = "the SDK's getSessionMessages";
  return [
    row({
      name: "last-page",
      what: `last page of a session of ${SESSION_BYTES / MEGABYTE} MB, ${page.found} messages`,
      ours: page.roundsMs[0] ?? Number.NaN,
      unit: "ms",
      aim: { of: "ours", atMost: 50 },
    }),
    row({
      name: "last-page-memory",
      what: "its memory above a process that does nothing",
      ours: page.maxRssMb - nothing.maxRssMb,
      unit: "MB",
    }),
    row({
      name: "full-load",
      what: `full typed load of it, ${own.found.toLocaleString("en-US")} messages`,
      ours: own.ms,
      unit: "ms",
      beside: { name, value: sdk.ms },
      note: `the SDK gives ${sdk.found.toLocaleString("en-US")}`,
    }),
    row({
      name: "full-load-memory",
      what: "its memory at the most",
      ours: own.maxRssMb,
      unit: "MB",
      beside: { name, value: sdk.maxRssMb },
    }),
  ];
}

/** Of what starts anew each time, there is no later figure. */
async function single(work: () => Promise<unknown>): Promise<Readonly<Record<"ms" | "warmMs", number>>> {
  return { ms: await timed(work), warmMs: Number.NaN };
}

/** The native program itself: the script before it would only add the start of a Node process. */
async function installCcusage(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const flags = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder, `ccusage@${CCUSAGE}`];
  spawnSync("npm", flags, { stdio: "ignore", timeout: 120_000 });
  const name = `ccusage-${process.platform}-${process.arch}`;
  const program = join(folder, "node_modules", "@ccusage", name, "bin", "ccusage");
  if (!existsSync(program)) throw new Error(`ccusage ${CCUSAGE} could not be installed`);
  // The package leaves this to its script.
  await chmod(program, 0o755);
  return program;
}

function outputTokensOf(json: string): number {
  const { totals } = JSON.parse(json) as { readonly totals?: { readonly outputTokens?: number } };
  return totals?.outputTokens ?? Number.NaN;
}
