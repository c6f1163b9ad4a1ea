import { readdir } from "node:fs/promises";
import { eventFolder, journalPath, runOfFile } from "../../core/internal.ts";
import { FollowedRun, type RunListener } from "./followed-run.ts";
import { readOn, saysEnd, type ReadLine } from "./journal-reader.ts";
import type { RunSummary } from "./run-data.ts";

/** The runs of a data folder. All that is known of them is in their journals: this only reads. */
export interface Runs {
  /** Takes in what the journals have gained, and which processes are gone. */
  scan(): Promise<void>;
  /** Takes in what the journal of one run has gained, which has this line now. */
  follow(run: string, line: number): Promise<void>;
  /** Tells a piece of what is being written, after what the journal has of the run up to there. */
  delta(run: string, line: number, event: object): Promise<void>;
  /** The runs that go on, or were read lately. */
  known(): readonly RunSummary[];
  /** The ids of all runs, the newest first. */
  ids(): readonly string[];
  /** A run; undefined where there is none. */
  read(run: string): Promise<RunSummary | undefined>;
  /** The events of a run after a line. */
  events(run: string, after: number, limit: number): Promise<readonly ReadLine[]>;
}

/** How many runs that are over are read as the server begins. */
const READ_AT_START = 50;

const TELLS_NOBODY: RunListener = { event() {}, delta() {}, cutOff() {} };

/** Follows the runs of a data folder; what was there before is told to nobody. */
export async function openRuns(dataHome: string, told: RunListener): Promise<Runs> {
  const followed = new Map<string, FollowedRun>();
  let listener = TELLS_NOBODY;
  const teller: RunListener = {
    event: (...given) => listener.event(...given),
    delta: (...given) => listener.delta(...given),
    cutOff: (run) => listener.cutOff(run),
  };

  function begin(id: string, isOver = false): FollowedRun {
    const run = followed.get(id) ?? new FollowedRun(dataHome, id, { listener: teller, isOver });
    followed.set(id, run);
    return run;
  }

  async function scan(): Promise<void> {
    const present = await listRuns(dataHome);
    const there = new Set(present);
    for (const id of followed.keys()) if (!there.has(id)) followed.delete(id);
    await Promise.all(present.map((id) => begin(id)).map(async (run) => run.isOver || (await run.look())));
  }

  const atStart = await listRuns(dataHome);
  for (const id of atStart) begin(id, await saysEnd(journalPath(dataHome, id)));
  // The first time its processes become known, the second time which of them are gone.
  await scan();
  await scan();
  for (const id of atStart.slice(-READ_AT_START)) await begin(id).read();
  listener = told;
  return {
    scan,
    follow: async (id, line) => await begin(id).follow(line),
    delta: async (id, line, event) => await begin(id).delta(line, event),
    known: () => [...followed.values()].flatMap(({ summary }) => summary ?? []),
    ids: () => [...followed.keys()].toSorted().toReversed(),
    read: async (id) => await followed.get(id)?.read(),
    async events(id, after, limit) {
      if (!followed.has(id)) return [];
      const { lines } = await readOn({ path: journalPath(dataHome, id), offset: 0, line: 0 }, after + limit);
      return lines.filter(({ line }) => line > after);
    },
  };
}

async function listRuns(dataHome: string): Promise<readonly string[]> {
  const names = await readdir(eventFolder(dataHome)).catch(() => []);
  return names.flatMap((name) => runOfFile(name) ?? []).toSorted();
}
