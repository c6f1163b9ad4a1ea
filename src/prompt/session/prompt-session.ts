import { z } from "zod";
import { createId, isoTime, systemClock, SkeinError, type Clock } from "../../core/internal.ts";
import type { Dispatcher, DispatchError, DispatchResult, DispatchEvent } from "./dispatcher.ts";
import { promptExecutedSchema, promptRenderedSchema, toolInvokedSchema, type PromptEvent } from "./prompt-events.ts";
import { append } from "./reducers.ts";
import { openSessionFile, type SessionFile, type SessionRecord, type SessionHead } from "./session-file.ts";
import { usageError } from "../usage-error.ts";
import { createSliceStore, type AnySlice, type SliceChange, type SliceContents } from "./slice-store.ts";
import { createTransactions, type SliceTransaction } from "./slice-transactions.ts";
import { createSlice, defineSlice, type SliceDefinition, type Slice } from "./slice.ts";

/** How a session is made; all of it can be left out. */
export interface PromptSessionOptions {
  /** Told of every event after the reducers; a child's is its parent's where it is left out. */
  readonly dispatcher?: Dispatcher;
  readonly parent?: PromptSession;
  readonly id?: string;
  readonly createdAt?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  /** A JSON Lines file that the session is kept in, and read from where it is there. Children are in their parent's. */
  readonly file?: string;
}

/** What an orchestration remembers: typed slices, changed by events, that can be taken back and read again. */
export class PromptSession {
  readonly id: string;
  readonly createdAt: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly parent: PromptSession | undefined;
  readonly #dispatcher: Dispatcher | undefined;
  readonly #clock: Clock;
  readonly #store = createSliceStore();
  readonly #transactions = createTransactions(this.#store);
  readonly #children: PromptSession[] = [];
  #file: SessionFile | undefined;

  constructor(options: PromptSessionOptions = {}) {
    const file = options.file === undefined ? undefined : openSessionFile(options.file);
    const head = checkHead(options, file);
    const { parent } = options;
    this.parent = parent;
    this.#clock = options.clock ?? (parent ? parent.#clock : systemClock);
    this.#dispatcher = options.dispatcher ?? (parent ? parent.#dispatcher : undefined);
    this.id = head?.session ?? options.id ?? createId(this.#clock);
    this.createdAt = head?.createdAt ?? options.createdAt ?? isoTime(this.#clock.now());
    this.tags = Object.freeze({ ...(head?.tags ?? options.tags) });
    if (parent) parent.#children.push(this);
    this.#store.install(eventLog as AnySlice);
    if (file) this.#load(file.records);
    this.#file = file;
    if (head) return;
    const { id: session, createdAt, tags } = this;
    this.#save([{ type: "session", version: 1, session, ...(parent ? { parent: parent.id } : {}), createdAt, tags }]);
  }

  /** The sessions that were made as children of this one, oldest first. */
  get children(): readonly PromptSession[] {
    return [...this.#children];
  }

  /** Makes a session for a part of the work; it is kept in the same file, and has slices of its own. */
  child(options: Omit<PromptSessionOptions, "parent" | "file"> = {}): PromptSession {
    return new PromptSession({ ...options, parent: this });
  }

  /** One of the session's slices. Its reducers see the events from its first use on. */
  slice<Item>(definition: SliceDefinition<Item>): Slice<Item> {
    this.#store.install(definition as AnySlice);
    return createSlice<Item>(
      () => this.#store.items(definition.name) as readonly Item[],
      (next) => this.#change(definition as AnySlice, next as (items: readonly unknown[]) => readonly unknown[]),
    );
  }

  /** Hands an event to the reducers, writes what changed, then tells the dispatcher's handlers. It does not throw. */
  dispatch<Event extends DispatchEvent>(event: Event): DispatchResult<Event> {
    const { changes, errors } = this.#store.reduce(event);
    this.#transactions.note(() => void this.#store.reduce(event, "state"));
    const failure = this.#write(this.#records(changes));
    const handed = this.#dispatcher?.dispatch(event);
    const all = [...errors, ...(failure ? [failure] : []), ...(handed?.errors ?? [])];
    return { event, handled: handed?.handled ?? 0, errors: all, ok: all.length === 0 };
  }

  /** A picture of all slices, of this session without its children; plain data. */
  snapshot(): PromptSessionSnapshot {
    const slices = this.#store.contents();
    return { version: 1, sessionId: this.id, createdAt: isoTime(this.#clock.now()), slices };
  }

  /** Makes the state slices what they were, of every one that is there now; log slices stay. */
  restore(snapshot: PromptSessionSnapshot): void {
    const { slices } = checkSnapshot(snapshot, this.id);
    const changes = this.#store.restore(slices);
    this.#transactions.note(() => void this.#store.restore(slices));
    this.#save(this.#records(changes));
  }

  /** Begins a piece of work that can be taken back alone, while others change the session at the same time. */
  begin(): SliceTransaction {
    return this.#transactions.begin((changes) => this.#save(this.#records(changes)));
  }

  #change({ name, policy }: AnySlice, next: (items: readonly unknown[]) => readonly unknown[]): void {
    const change = (): SliceChange | undefined => this.#store.update(name, next(this.#store.items(name)));
    const made = change();
    if (policy === "state") this.#transactions.note(() => void change());
    if (made) this.#save(this.#records([made]));
  }

  #load(records: readonly SessionRecord[]): void {
    const sessions = new Map<string, PromptSession>([[this.id, this]]);
    for (const record of records) {
      const parent = record.type === "session" ? sessions.get(record.parent ?? "") : undefined;
      if (record.type !== "session" || !parent) continue;
      const { session: id, createdAt, tags } = record;
      sessions.set(id, parent.child({ id, createdAt, tags }));
    }
    for (const [id, session] of sessions) {
      const changes = records.filter((record) => record.type === "slice" && record.session === id);
      session.#store.load(changes as SliceChange[]);
    }
  }

  #records(changes: readonly SliceChange[]): readonly SessionRecord[] {
    return changes.map((change) => ({ type: "slice", session: this.id, ...change, items: [...change.items] }));
  }

  /** Children write to the file of the oldest of the family. */
  #write(records: readonly SessionRecord[]): DispatchError | undefined {
    if (this.parent) return this.parent.#write(records);
    const error = records.length === 0 ? undefined : this.#file?.append(records);
    return error && { source: "file", name: this.#file?.path ?? "", error };
  }

  #save(records: readonly SessionRecord[]): void {
    const failure = this.#write(records);
    if (failure) throw failure.error;
  }
}

/** Every event of the evaluations that used a session; each session has this slice from its beginning. */
export const eventLog: SliceDefinition<PromptEvent> = defineSlice({
  name: "events",
  policy: "log",
  schema: z.union([promptRenderedSchema, toolInvokedSchema, promptExecutedSchema]),
  on: {
    "prompt-rendered": append((event): PromptEvent => event),
    "tool-invoked": append((event): PromptEvent => event),
    "prompt-executed": append((event): PromptEvent => event),
  },
});

/** The slices of a session at one moment, as plain data. */
export interface PromptSessionSnapshot {
  readonly version: 1;
  readonly sessionId: string;
  readonly createdAt: string;
  readonly slices: Readonly<Record<string, SliceContents>>;
}

const snapshotSchema = z.looseObject({
  version: z.literal(1),
  sessionId: z.string(),
  slices: z.record(z.string(), z.looseObject({ policy: z.enum(["state", "log"]), items: z.array(z.unknown()) })),
});

/** Refuses what is no snapshot, or one of another session. Gives the snapshot itself: its items are known by identity. */
function checkSnapshot(snapshot: PromptSessionSnapshot, sessionId: string): PromptSessionSnapshot {
  const parsed = snapshotSchema.safeParse(snapshot);
  if (!parsed.success) {
    throw new SkeinError("This is not the snapshot of a session", { kind: "usage", cause: parsed.error });
  }
  if (parsed.data.sessionId !== sessionId) {
    const message = `The snapshot is of the session ${parsed.data.sessionId}, not of ${sessionId}`;
    throw usageError(sessionId, message, "Restore it in the session that made it");
  }
  return snapshot;
}

/** The beginning of the session in the file, where there is one and the options do not contradict it. */
function checkHead({ id, parent, file: path }: PromptSessionOptions, file?: SessionFile): SessionHead | undefined {
  if (parent && path !== undefined) {
    const message = "A child session is stored in its parent's file, not in its own";
    throw usageError(path, message, "Give the file to the parent");
  }
  const head = file?.records[0];
  if (!file || head?.type !== "session") return undefined;
  if (id !== undefined && id !== head.session) {
    const message = `The file holds the session ${head.session}, not ${id}`;
    throw usageError(file.path, message, "Leave the id out, or give another file");
  }
  return head;
}
