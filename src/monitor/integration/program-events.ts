import { createId, isoTime, openEventJournal, type Clock, type EventJournal } from "../../core/internal.ts";
import { createSecretRedactor } from "../../engine/internal.ts";

/** Where the events of a program go. */
export interface ProgramEvents {
  /** Keeps an event. It returns at once and never fails: what cannot be kept is counted. */
  add(eventType: string, data: object): void;
  /** How many events were not kept. */
  readonly dropped: number;
  /** Resolves when all is written that can be. */
  close(): Promise<void>;
}

export interface ProgramAbout {
  readonly program: string;
  readonly workspace: string;
}

/** How many events wait at most while a journal is begun. */
const MOST_WAITING = 10_000;

/** Keeps the events of a program as a run of its own; where its journal is full, another one goes on. */
export function openProgramEvents(dataHome: string, about: ProgramAbout, clock: Clock): ProgramEvents {
  const secrets = createSecretRedactor([process.env]);
  let journal: EventJournal | undefined;
  let waiting: ProgramEvent[] = [];
  let dropped = 0;
  let isClosed = false;
  let beginning: Promise<void> | undefined;

  async function begin(): Promise<void> {
    const { program, workspace } = about;
    const run = { run: createId(clock), kind: "program" as const, program, workspace, directory: workspace };
    journal = await openEventJournal(dataHome, run, { clock });
    const late = waiting;
    waiting = [];
    for (const event of late) put(event);
  }

  function put(event: ProgramEvent): void {
    if (journal?.isFull()) {
      journal[Symbol.dispose]();
      journal = undefined;
      beginning = begin();
    }
    if (!journal) return wait(event);
    try {
      journal.add(secrets.value(event));
    } catch {
      // What is no JSON, such as a circle, cannot be kept. That must not end the program.
      dropped += 1;
    }
  }

  function wait(event: ProgramEvent): void {
    if (waiting.length < MOST_WAITING) waiting.push(event);
    else dropped += 1;
  }

  return {
    add(eventType, data) {
      if (isClosed) return void (dropped += 1);
      beginning ??= begin();
      put({ type: "program-event", timestamp: isoTime(clock.now()), eventType, data });
    },
    get dropped() {
      return dropped;
    },
    async close() {
      isClosed = true;
      // What was waiting for one journal may fill it, and begin another.
      for (let begun: Promise<void> | undefined; begun !== beginning;) await (begun = beginning);
      journal?.[Symbol.dispose]();
      journal = undefined;
    },
  };
}

interface ProgramEvent {
  readonly type: "program-event";
  readonly timestamp: string;
  readonly eventType: string;
  readonly data: object;
}
