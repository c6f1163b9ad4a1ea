import { basename, relative, sep } from "node:path";
import { defined, AsyncQueue, systemClock } from "../../core/internal.ts";
import { watchTranscripts, type WatchedRecord, type WatchEvent, type WatchOptions } from "../../transcript/internal.ts";
import { findStores } from "../../workspace/internal.ts";
import { unpackSessions } from "./unpack-sessions.ts";

export interface WatchSessionsOptions extends WatchOptions {
  /** Skein's home; the user's own unless said. */
  readonly home?: string;
}

/** Follows all sessions at once, Claude Code's own and recorded ones: what Claude Code wrote itself is not told again when its turn is recorded. */
export async function* watchSessions(options: WatchSessionsOptions = {}): AsyncGenerator<WatchEvent, void, void> {
  const { project, signal, pollMs = 500, clock = systemClock } = options;
  const stop = new AbortController();
  const until = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
  const home = defined({ home: options.home });
  const { folder } = await unpackSessions(home);
  const workspaces = async (): Promise<ReadonlyMap<string, string>> =>
    new Map((await findStores(options.home)).map((store) => [basename(store.home), store.workspace]));
  const queue = new AsyncQueue<WatchEvent>();
  const isNew = createMemory();
  const follow = async (events: AsyncIterable<WatchEvent>, place: Placing): Promise<void> => {
    for await (const event of events) {
      const placed = event.type === "record" ? await place(event) : event;
      const isTold = placed?.type === "record" ? isOf(placed, project) && isNew(placed) : placed !== undefined;
      if (placed && isTold && !(await queue.push(placed))) return;
    }
  };
  const base = { signal: until, pollMs, clock, ...defined({ base: options.base }) };
  const inWorkspace: Placing = async (record) => {
    const [key = "", file = ""] = relative(folder, record.path).split(sep);
    // The record that a fork goes on from was said in another session, and long ago.
    if (file.endsWith(".jsonl") && basename(file, ".jsonl") !== record.sessionId) return undefined;
    // A turn may have run in a branch: it belongs to the workspace that the branch was made from.
    return { ...record, project: (await workspaces()).get(key) ?? record.project };
  };
  const keepUnpacking = async (): Promise<void> => {
    while (!until.aborted) {
      await unpackSessions(home);
      await clock.sleep(pollMs, until).catch(() => undefined);
    }
  };
  const work = [
    follow(watchTranscripts(base), async (record) => record),
    follow(watchTranscripts({ ...base, base: folder }), inWorkspace),
    keepUnpacking(),
  ];
  const ended = Promise.all(work).then(
    () => queue.end(),
    (error: unknown) => queue.fail(error),
  );
  try {
    yield* queue;
  } finally {
    stop.abort();
    queue.end();
    await ended;
  }
}

type Placing = (record: WatchedRecord) => Promise<WatchedRecord | undefined>;

/** What was said lately: the same line may stand in Claude Code's own file and in the store. */
const MOST_REMEMBERED = 10_000;

function createMemory(): (record: WatchedRecord) => boolean {
  const seen = new Set<string>();
  return ({ sessionId, agentId, role, text, tools, at, usage }) => {
    const counted = [usage?.messageId, usage?.usage.outputTokens];
    const key = JSON.stringify([sessionId, agentId, role, at, text, tools, counted]);
    if (seen.has(key)) return false;
    seen.add(key);
    for (const oldest of seen) {
      if (seen.size <= MOST_REMEMBERED) break;
      seen.delete(oldest);
    }
    return true;
  };
}

function isOf({ project = "" }: WatchedRecord, wanted: string | undefined): boolean {
  return wanted === undefined || project === wanted || basename(project) === wanted;
}
