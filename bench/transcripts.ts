import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeHistory, makeSession, type History } from "./make-history.ts";
import { runChild, runProgram } from "./run-child.ts";
import { median } from "./statistics.ts";
import type { ChildReport } from "./transcript-child.ts";

const MEGABYTE = 1024 * 1024;
const HISTORY_BYTES = 500 * MEGABYTE;
const SESSION_BYTES = 100 * MEGABYTE;
const ROUNDS = 3;
/** The version whose native program all platforms here have. */
const CCUSAGE = "20.0.24";

/** Reads a large generated history: beside ccusage, `wc` and the SDK, in time and memory. */
export async function benchTranscripts(): Promise<readonly string[]> {
  const root = await mkdtemp(join(tmpdir(), "skein-bench-transcripts-"));
  try {
    const history = makeHistory(join(root, "history", "projects"), 400, HISTORY_BYTES);
    const session = makeSession(join(root, "large", "projects"), SESSION_BYTES);
    return [
      ...(await benchScan(history, root)),
      ...(await benchIndex(history, join(root, "home"))),
      ...(await benchLargeSession(session, join(root, "large"))),
    ];
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** Whole processes, one after the other in turn, so that a slow minute of the machine hits all. */
async function benchScan(history: History, root: string): Promise<readonly string[]> {
  const ccusage = await installCcusage(join(root, "ccusage"));
  const environment = { ...process.env, HOME: root, CLAUDE_CONFIG_DIR: join(history.base, "..") };
  const [skeinMs, ccusageMs, wcMs, reports]: [number[], number[], number[], ChildReport[]] = [[], [], [], []];
  let [counted, startMs] = [0, 0];
  for (let round = 0; round < ROUNDS; round += 1) {
    startMs = (await timed(() => runChild("transcript-child", ["nothing"]))).ms;
    const own = await timed(() => runChild("transcript-child", ["scan", history.base]));
    reports.push(own.value);
    // The child scans three times: the first belongs to the cold process.
    skeinMs.push(startMs + (own.value.roundsMs[0] ?? Number.NaN));
    if (ccusage !== undefined) {
      const other = await timed(() => runProgram(ccusage, ["claude", "daily", "--json", "--offline"], environment));
      ccusageMs.push(other.ms);
      counted = outputTokensOf(other.value);
    }
    wcMs.push(
      (await timed(() => runProgram("sh", ["-c", 'cat "$0"/*/*.jsonl | wc -l', history.base], environment))).ms,
    );
  }
  const warmMs = median(reports.flatMap(({ roundsMs }) => roundsMs.slice(1)));
  const memory = Math.max(...reports.map(({ maxRssMb }) => maxRssMb));
  const [cold, theirs] = [median(skeinMs), median(ccusageMs)];
  const beside =
    ccusage === undefined
      ? "ccusage left out: it could not be installed"
      : `ccusage ${CCUSAGE} ${theirs.toFixed(0)} ms, ratio ${(cold / theirs).toFixed(2)} as a new process, ${(warmMs / theirs).toFixed(2)} in a running one`;
  const agreement = ccusage === undefined ? "" : `, output tokens ${reports[0]?.found} and ccusage's ${counted}`;
  return [
    `transcripts: usage of ${HISTORY_BYTES / MEGABYTE} MB in ${history.paths.length} files that are in the page cache: ${cold.toFixed(0)} ms as a new process, ${warmMs.toFixed(0)} ms in a running one; ${beside}; wc -l ${median(wcMs).toFixed(0)} ms`,
    `transcripts: memory of that scan at the most ${memory.toFixed(0)} MB (aim: 200)${agreement}`,
  ];
}

async function benchIndex(history: History, home: string): Promise<readonly string[]> {
  const first = await runChild("transcript-child", ["index", history.base, home]);
  const idle = await runChild("transcript-child", ["idle", history.base, home]);
  const [coldMs = 0, ...warm] = idle.roundsMs;
  const lines = [
    `transcripts: first index of it: ${((first.roundsMs[0] ?? 0) / 1000).toFixed(1)} s, ${first.found} lines, ${first.maxRssMb.toFixed(0)} MB; refresh with nothing changed: ${median(warm).toFixed(0)} ms (aim: 100), with opening ${coldMs.toFixed(0)} ms`,
  ];
  const { vocabulary } = history;
  const queries = {
    "a rare word": vocabulary.at(-10),
    "a frequent word": vocabulary[1],
    "three words": [vocabulary[60], vocabulary[300], vocabulary[1500]].join(" "),
    "the beginning of a word": `${vocabulary[300]?.slice(0, 3)}*`,
  };
  for (const [name, words = ""] of Object.entries(queries)) {
    const { roundsMs, found } = await runChild("transcript-child", ["search", history.base, home, words]);
    lines.push(
      `transcripts: search over everything for ${name}: ${median(roundsMs.slice(1)).toFixed(0)} ms (aim: 100), with opening ${(roundsMs[0] ?? 0).toFixed(0)} ms, ${found} hits on the page`,
    );
  }
  return lines;
}

async function benchLargeSession(
  session: { readonly path: string; readonly sessionId: string },
  home: string,
): Promise<readonly string[]> {
  const nothing = await runChild("transcript-child", ["nothing"]);
  const page = await runChild("transcript-child", ["page", session.path]);
  const [own, sdk]: [ChildReport[], ChildReport[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    own.push(await runChild("transcript-child", ["load", session.path]));
    sdk.push(
      await runChild("transcript-child", ["sdk", session.sessionId], { ...process.env, CLAUDE_CONFIG_DIR: home }),
    );
  }
  const [ownMs, sdkMs] = [own, sdk].map((reports) => median(reports.map(({ roundsMs }) => roundsMs[0] ?? 0)));
  const [ownMb, sdkMb] = [own, sdk].map((reports) => median(reports.map(({ maxRssMb }) => maxRssMb)));
  return [
    `transcripts: last page of a session of ${SESSION_BYTES / MEGABYTE} MB: ${page.roundsMs[0]?.toFixed(1)} ms (aim: 50), ${page.found} messages, ${(page.maxRssMb - nothing.maxRssMb).toFixed(0)} MB more than a process that does nothing`,
    `transcripts: full typed load of it: ${ownMs?.toFixed(0)} ms and ${ownMb?.toFixed(0)} MB (${own[0]?.found} messages), the SDK's getSessionMessages ${sdkMs?.toFixed(0)} ms and ${sdkMb?.toFixed(0)} MB (${sdk[0]?.found}): ratio ${((ownMs ?? 0) / (sdkMs ?? 1)).toFixed(2)} in time, ${((ownMb ?? 0) / (sdkMb ?? 1)).toFixed(2)} in memory`,
  ];
}

async function timed<T>(work: () => Promise<T>): Promise<{ readonly ms: number; readonly value: T }> {
  const startedMs = performance.now();
  const value = await work();
  return { ms: performance.now() - startedMs, value };
}

/** The native program itself: the script before it would only add the start of a Node process. */
async function installCcusage(folder: string): Promise<string | undefined> {
  await mkdir(folder, { recursive: true });
  const flags = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder, `ccusage@${CCUSAGE}`];
  spawnSync("npm", flags, { stdio: "ignore", timeout: 120_000 });
  const name = `ccusage-${process.platform}-${process.arch}`;
  const program = join(folder, "node_modules", "@ccusage", name, "bin", "ccusage");
  if (!existsSync(program)) return undefined;
  // The package leaves this to its script.
  await chmod(program, 0o755);
  return program;
}

function outputTokensOf(json: string): number {
  const { totals } = JSON.parse(json) as { readonly totals?: { readonly outputTokens?: number } };
  return totals?.outputTokens ?? Number.NaN;
}
