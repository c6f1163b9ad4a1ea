import { isoTime, isRunning, journalPath, RunStart, systemClock, type JournalLine } from "../../core/internal.ts";
import { readOn } from "./journal-reader.ts";
import { addLine, beginSummary, cutOff, type RunSummary } from "./run-data.ts";

/** Who is told what happens in runs. */
export interface RunListener {
  /** A line of a run's journal; `run` is the run with it. */
  event(run: RunSummary, line: number, event: JournalLine): void;
  /** A piece of something that is being written. */
  delta(run: RunSummary, line: number, event: object): void;
  /** The process of a run is gone. */
  cutOff(run: RunSummary): void;
}

/** A run whose journal is followed. One thing at a time is done with it, so that its lines are told once and in order. */
export class FollowedRun {
  readonly #id: string;
  readonly #path: string;
  readonly #listener: RunListener;
  #offset = 0;
  #line = 0;
  #summary: RunSummary | undefined;
  #isOver: boolean;
  /** What is done with it, one after the other. */
  #work: Promise<unknown> = Promise.resolve();

  /** A journal that is over is read when somebody asks for it, and told to nobody. */
  constructor(dataHome: string, id: string, { listener, isOver }: { listener: RunListener; isOver: boolean }) {
    this.#id = id;
    this.#path = journalPath(dataHome, id);
    this.#listener = listener;
    this.#isOver = isOver;
  }

  get summary(): RunSummary | undefined {
    return this.#summary;
  }

  /** Whether its journal has its last line: it is not looked at any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Tells what its journal has gained, up to a line at least. */
  async follow(line: number): Promise<void> {
    if (this.#isOver) return;
    // What was read for an earlier word of it may hold this line too.
    await this.#after(async () => {
      if (this.#line < line) await this.#readOn(this.#listener);
    });
  }

  /** The same, and whether its process is gone. */
  async look(): Promise<void> {
    // It is asked first: what a process wrote before it ended is there when it is gone.
    const isAlive = this.#summary === undefined || (await isRunning(this.#summary.process));
    await this.#after(async () => {
      await this.#readOn(this.#listener);
      if (isAlive || this.#isOver || !this.#summary) return;
      this.#isOver = true;
      this.#summary = cutOff(this.#summary, isoTime(systemClock.now()));
      this.#listener.cutOff(this.#summary);
    });
  }

  /** Tells a piece of what is being written, after what the journal has up to there. */
  async delta(line: number, event: object): Promise<void> {
    await this.#after(async () => {
      if (this.#line < line) await this.#readOn(this.#listener);
      if (this.#summary && !this.#isOver) this.#listener.delta(this.#summary, line, event);
    });
  }

  async read(): Promise<RunSummary | undefined> {
    if (this.#isOver && !this.#summary) await this.#after(async () => await this.#readOn());
    return this.#summary;
  }

  async #after(work: () => Promise<void>): Promise<void> {
    const done = this.#work.then(work);
    this.#work = done.catch(() => undefined);
    await done;
  }

  async #readOn(listener?: RunListener): Promise<void> {
    const { lines, offset } = await readOn({ path: this.#path, offset: this.#offset, line: this.#line });
    this.#offset = offset;
    for (const { line, event } of lines) {
      this.#line = line;
      this.#take(event);
      if (this.#summary && event) listener?.event(this.#summary, line, event);
    }
  }

  #take(event: JournalLine | undefined): void {
    if (!event) this.#summary = this.#summary && { ...this.#summary, lines: this.#line };
    else this.#summary = this.#summary ? addLine(this.#summary, event) : startOf(this.#id, event);
    // One that does not begin as a journal is nobody's.
    if (this.#summary?.hasEnded ?? true) this.#isOver = true;
  }
}

function startOf(run: string, event: JournalLine): RunSummary | undefined {
  const { data } = RunStart.safeParse(event);
  return data?.run === run ? beginSummary(data) : undefined;
}
