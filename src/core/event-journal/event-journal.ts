import { closeSync, constants, openSync, writeSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { isoTime, systemClock, type Clock } from "../clock.ts";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "../places/private-files.ts";
import { identify } from "../process-identity.ts";
import type { ControlHandler } from "./control.ts";
import { senderOf, type EventSender } from "./event-sender.ts";
import { fitEvent } from "./fit-event.ts";
import { readRetentionFile } from "./retention-file.ts";
import { eventFolder, journalPath, type RunAbout } from "./run-record.ts";
import { sweepJournals } from "./sweep-journals.ts";

/** The journal of one run: what happens in it, for whoever looks on, now or later. Nothing that it does fails a run, or makes it wait. */
export interface EventJournal extends Disposable {
  /** Adds an event; a piece of something that is being written is told to a monitor, and not kept. */
  add(event: { readonly type: string; readonly timestamp: string }): void;
  /** Whether it takes no more, but for how its run ends. */
  isFull(): boolean;
  /** The run has come to its end, however it did. */
  [Symbol.dispose](): void;
}

export interface EventJournalOptions {
  readonly clock?: Clock;
  readonly sender?: EventSender;
  /** What a journal holds at most, but for how its run ended. */
  readonly mostBytes?: number;
  /** Does what a monitor asks of the run. */
  readonly onControl?: ControlHandler | undefined;
}

const MOST_BYTES = 4 * 1024 ** 2;

/** How a run ended is kept even where its journal is full, and what a person is asked: nobody could answer otherwise. */
const ALWAYS_KEPT: ReadonlySet<string> = new Set([
  "turn-end",
  "state-recorded",
  "error",
  "search-end",
  "team-end",
  "team-end",
  "question-asked",
  "question-answered",
]);

/** Begins the journal of a run in a data folder. Where it cannot be written there is none, and the run goes on. */
export async function openEventJournal(
  dataHome: string,
  about: RunAbout,
  { clock = systemClock, sender = senderOf(dataHome), mostBytes = MOST_BYTES, onControl }: EventJournalOptions = {},
): Promise<EventJournal> {
  const { run } = about;
  const owner = await identify(process.pid);
  let descriptor = await begin(dataHome, run);
  let line = 0;
  let bytes = 0;
  let left = 0;

  function write(event: object): void {
    if (descriptor === undefined) return;
    const text = `${fitEvent(event)}\n`;
    const size = Buffer.byteLength(text);
    try {
      // One call for a line: whoever is killed has written it, or has not. What a full disk took half of ends the journal.
      if (writeSync(descriptor, text) < size) return stop();
    } catch {
      return stop();
    }
    bytes += size;
    line += 1;
    sender.written(run, line);
  }

  function stop(): void {
    if (descriptor !== undefined) closeSync(descriptor);
    descriptor = undefined;
  }

  write({ type: "run-start", version: 1, timestamp: isoTime(clock.now()), process: owner, ...about });
  const control = onControl && sender.control(run, onControl);
  return {
    add(event) {
      if (isDelta(event)) {
        if (line > 0) sender.delta(run, line, withoutRaw(event));
      } else if (bytes > mostBytes && !ALWAYS_KEPT.has(event.type)) left += 1;
      else write(event);
    },
    isFull: () => bytes > mostBytes,
    [Symbol.dispose]() {
      control?.[Symbol.dispose]();
      write({ type: "run-end", timestamp: isoTime(clock.now()), left });
      stop();
    },
  };
}

/** How many runs this process has begun, by folder: the oldest journals are looked for now and then. */
const begun = new Map<string, number>();

const SWEEP_EVERY = 100;

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND | constants.O_NOFOLLOW;

async function begin(dataHome: string, run: string): Promise<number | undefined> {
  const folder = eventFolder(dataHome);
  const count = begun.get(folder) ?? 0;
  begun.set(folder, count + 1);
  try {
    await mkdir(folder, PRIVATE_FOLDER);
    if (count % SWEEP_EVERY === 0) {
      await sweepJournals(folder, (await readRetentionFile(dataHome))?.eventCount).catch(() => undefined);
    }
    return openSync(journalPath(dataHome, run), NEW_FILE, PRIVATE_FILE);
  } catch {
    return undefined;
  }
}

function isDelta({ type }: { readonly type: string }): boolean {
  return type.endsWith("-delta");
}

function withoutRaw(event: object): object {
  const { raw: _, ...told } = event as { readonly raw?: unknown };
  return told;
}
