import { mkdirSync, mkdtempSync, rmSync, truncateSync, appendFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scanFile } from "skein/transcript";
import type { Bench } from "./harness/bench.ts";
import { median } from "./harness/median.ts";
import { row, type Row } from "./harness/row.ts";
import { runChild } from "./run-child.ts";
import type { ChildReport } from "./transcript-child.ts";

const MEGABYTE = 1024 * 1024;
const SESSIONS = 20_000;

/** What must not get out of hand. */
export const transcriptExtremes: Bench = {
  name: "extremes",
  summary: "transcripts with torn lines, lines without an end, and a long history in which nothing happens",
  async run(tell) {
    const root = mkdtempSync(join(tmpdir(), "skein-bench-extremes-"));
    try {
      const lines = [benchTornLine(root), await benchLongLine(join(root, "long"))];
      tell("an idle watch");
      writeSessions(join(root, "idle"));
      const watch = await benchIdleWatch(join(root, "idle"));
      tell("the index of many sessions");
      return [...lines, watch, await benchManySessions(join(root, "idle"), join(root, "home"))];
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  },
};

/** Half a record with many objects inside, before a whole one: twice the length should take twice the time. */
function benchTornLine(root: string): Row {
  const [half, whole] = [25, 50].map((megabytes) => {
    const path = join(root, `torn-${megabytes}.jsonl`);
    const block = '{"type":"text","uuid":"u","text":"{\\"type\\":"},';
    const inside = block.repeat((megabytes * MEGABYTE) / block.length);
    writeFileSync(path, `{"type":"user","list":[${inside}${RECORD}\n`);
    const times = Array.from({ length: 5 }, () => {
      // Processor time: a busy machine must not look like a bad ratio.
      const before = process.cpuUsage();
      const found = [...scanFile(path)].map(({ type }) => type).join(" ");
      if (found !== "broken record") throw new Error(`The record behind the torn one was not found: ${found}`);
      return process.cpuUsage(before).user / 1000;
    });
    return median(times);
  }) as [number, number];
  return row({
    name: "torn-line",
    what: "a torn line of 50 MB, processor time",
    ours: whole,
    unit: "ms",
    beside: { name: "of 25 MB", value: half },
    aim: { of: "ratio", atMost: 2.2 },
  });
}

const RECORD = JSON.stringify({ type: "user", uuid: "behind", sessionId: "s", message: { content: "behind" } });

async function benchLongLine(root: string): Promise<Row> {
  const report = async (name: string, bytes: number): Promise<ChildReport> => {
    const base = join(root, name, "projects");
    mkdirSync(join(base, "-work"), { recursive: true });
    const path = join(base, "-work", "s.jsonl");
    writeFileSync(path, `${RECORD}\n`);
    // A hole in the file: the disk has nothing of it.
    if (bytes > 0) truncateSync(path, RECORD.length + 1 + bytes);
    appendFileSync(path, `\n${RECORD}\n`);
    return runChild("transcript-child", ["index", base, join(root, name, "home")]);
  };
  const [without, with200] = [await report("without", 0), await report("with", 200 * MEGABYTE)];
  return row({
    name: "long-line-memory",
    what: "memory to index a file with a line of 200 MB",
    ours: with200.maxRssMb,
    unit: "MB",
    beside: { name: "without it", value: without.maxRssMb },
  });
}

function writeSessions(base: string): void {
  for (let index = 0; index < SESSIONS; index += 1) {
    const folder = join(base, `-work-${index % 200}`);
    if (index < 200) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${index}.jsonl`), `${RECORD}\n`);
  }
}

/** What each file costs, however small: 44 s in all where each was a transaction. */
async function benchManySessions(base: string, home: string): Promise<Row> {
  const { roundsMs, cpuMs } = await runChild("transcript-child", ["index", base, home]);
  return row({
    name: "many-sessions-index",
    what: `first index of ${SESSIONS} small sessions`,
    note: `${(cpuMs / 1000).toFixed(1)} s of processor time, totals included`,
    ours: (roundsMs[0] ?? Number.NaN) / 1000,
    unit: "s",
    aim: { of: "ours", atMost: 6 },
  });
}

/** Processor time while nothing happens, beside looking at every file each time. */
async function benchIdleWatch(base: string): Promise<Row> {
  const [watch, look] = [
    await runChild<IdleReport>("idle-child", ["watch", base]),
    await runChild<IdleReport>("idle-child", ["look", base]),
  ];
  const share = ({ cpuMs, wallMs }: IdleReport): number => (cpuMs / wallMs) * 100;
  return row({
    name: "idle-watch",
    what: `idle watch of ${SESSIONS} sessions, share of a core`,
    ours: share(watch),
    unit: "%",
    beside: { name: "looking at every file each time", value: share(look) },
  });
}

interface IdleReport {
  readonly cpuMs: number;
  readonly wallMs: number;
}
