import { AsyncResource } from "node:async_hooks";
import { percentile, privateView, systemClock, type Clock } from "../../core/internal.ts";
import { hostProcesses, type ProcessManager } from "../processes/process-manager.ts";
import { startUpKey } from "../settings-key.ts";
import type { SessionOptions } from "../options/tool-server.ts";
import type { CliSession } from "./cli-session.ts";
import { startSpare, type Spare } from "./spare.ts";
import { stampStartUpFiles } from "./start-up-files.ts";

/** How many spares a pool keeps, and for how long. */
export interface WarmPoolOptions {
  /** Spares for each distinct set of start-up options. */
  readonly size?: number;
  /** Spares in all. */
  readonly maxSpares?: number;
  /** A spare that nobody claims for so long is let go. */
  readonly idleMs?: number;
  /** Memory that all spares may hold together; the oldest go first. */
  readonly maxMemoryMb?: number;
  readonly processes?: ProcessManager;
  readonly clock?: Clock;
}

/**
 * Why there was no spare for a session. `first-use`: these options were not asked for before, and not warmed. `none-waiting`: all spares of
 * these options were taken, or still starting. `resumed`: it goes on with a session, which the CLI loads when it starts. `session-id`: it
 * brings an id of its own, which the CLI takes when it starts. `private-directory`: it works in a branch that only processes started in it
 * can see. `shared-server`: it has a tool server object, which serves one process; `toolServer` makes one for each.
 */
export type WarmPoolMiss =
  | "first-use"
  | "none-waiting"
  | "resumed"
  | "session-id"
  | "private-directory"
  | "shared-server";

/** What a pool has done so far. */
export interface WarmPoolStatistics {
  /** Spares that wait now. */
  readonly spares: number;
  readonly hits: number;
  readonly misses: number;
  /** The misses by why. */
  readonly missesBy: Readonly<Partial<Record<WarmPoolMiss, number>>>;
  /** Spares that were there and refused the folder, or had died: a cold start took their place. */
  readonly refusals: number;
  /** The refusals by why, as the SDK names it: `project_settings_not_claimable`. */
  readonly refusalsBy: Readonly<Record<string, number>>;
  /** Spares that could not be started, or died while they waited. */
  readonly failures: number;
  /** Time from the claim to a bound session. */
  readonly p50Ms: number | undefined;
  readonly p95Ms: number | undefined;
}

/** Options that were asked for, as a pool remembers them. */
interface Wanted {
  readonly options: SessionOptions;
  askedAt: number;
  /** Spares that failed since the last one that was taken. */
  failures: number;
  starting: number;
  filling: Promise<void> | undefined;
}

const KEPT_TIMES = 1000;

/** Sets of options that are remembered, those asked for last. */
const KEPT_KEYS = 100;

/** By now the turn that took a spare waits for the model: the start of the next one does not slow it down. */
const REFILL_AFTER_MS = 300;

/** What was asked for within this time keeps its spare, whoever else wants one. */
const HOT_MS = 30_000;

/** What dies again and again is not started for ever. */
const MAX_FAILURES = 3;

/** What a spare is started in: nothing of the turn that asked for one, such as the trace that its process would join. */
const NOWHERE = new AsyncResource("skein-spare");

/** Keeps CLI processes started before they are needed, for turns in any folder, and replaces those that are taken. */
export class WarmPool implements AsyncDisposable {
  readonly #options: Required<WarmPoolOptions>;
  readonly #spares: { readonly spare: Spare; readonly taken: AbortController }[] = [];
  /** By their keys, those asked for last at the end. */
  readonly #wanted = new Map<string, Wanted>();
  readonly #closed = new AbortController();
  readonly #times: number[] = [];
  #counts = { hits: 0, misses: 0, refusals: 0, failures: 0 };
  readonly #misses: Partial<Record<WarmPoolMiss, number>> = {};
  readonly #refusals: Record<string, number> = {};

  constructor(options: WarmPoolOptions = {}) {
    this.#options = {
      size: 1,
      maxSpares: 4,
      idleMs: 5 * 60_000,
      maxMemoryMb: 2048,
      processes: hostProcesses,
      clock: systemClock,
      ...options,
    };
  }

  /** A session from a spare, which may yet refuse to be bound; undefined where there is no spare for these options. */
  async claim(options: SessionOptions): Promise<CliSession | undefined> {
    const unfit = findUnfit(options);
    if (unfit) return this.#miss(unfit);
    const key = await keyOf(options);
    const isKnown = this.#wanted.has(key);
    const wanted = this.#remember(key, options);
    const spare = this.#take(key);
    if (isKnown) void this.#fillLater(key, wanted);
    if (!spare) return this.#miss(isKnown ? "none-waiting" : "first-use");
    return this.#bind(spare, options);
  }

  /** Fills up the spares for these options, and resolves when they wait. */
  async warm(options: SessionOptions): Promise<void> {
    if (findUnfit(options)) return;
    const key = await keyOf(options);
    await this.#fill(key, this.#remember(key, options));
  }

  statistics(): WarmPoolStatistics {
    return {
      spares: this.#spares.length,
      ...this.#counts,
      missesBy: { ...this.#misses },
      refusalsBy: { ...this.#refusals },
      p50Ms: timeOf(this.#times, 50),
      p95Ms: timeOf(this.#times, 95),
    };
  }

  /** Lets all spares go, and resolves when they are gone. */
  async close(): Promise<void> {
    this.#closed.abort();
    await Promise.all([...this.#wanted.values()].map(async ({ filling }) => await filling));
    await Promise.all(this.#spares.slice().map(({ spare }) => this.#letGo(spare)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #remember(key: string, options: SessionOptions): Wanted {
    const known = this.#wanted.get(key) ?? { options, askedAt: 0, failures: 0, starting: 0, filling: undefined };
    known.askedAt = this.#options.clock.now();
    this.#wanted.delete(key);
    this.#wanted.set(key, known);
    for (const [old, { filling }] of this.#wanted) {
      if (this.#wanted.size <= KEPT_KEYS) break;
      if (!filling) this.#wanted.delete(old);
    }
    return known;
  }

  #take(key: string): Spare | undefined {
    const index = this.#spares.findIndex(({ spare }) => spare.key === key);
    const [found] = index === -1 ? [] : this.#spares.splice(index, 1);
    found?.taken.abort();
    return found?.spare;
  }

  #bind(spare: Spare, options: SessionOptions): CliSession | undefined {
    const { clock } = this.#options;
    const startedAt = clock.now();
    try {
      const { session, refused } = spare.claim(options);
      void refused.then((reason) =>
        reason === undefined ? this.#countHit(spare.key, clock.now() - startedAt) : this.#countRefusal(reason),
      );
      return session;
    } catch {
      // It died while it was waiting.
      this.#countRefusal("spare_exited");
      void spare.release();
      return undefined;
    }
  }

  #countHit(key: string, ms: number): void {
    const wanted = this.#wanted.get(key);
    if (wanted) wanted.failures = 0;
    this.#counts.hits += 1;
    this.#times.push(ms);
    if (this.#times.length > KEPT_TIMES) this.#times.shift();
  }

  #countRefusal(reason: string): void {
    this.#counts.refusals += 1;
    this.#refusals[reason] = (this.#refusals[reason] ?? 0) + 1;
  }

  #miss(reason: WarmPoolMiss): undefined {
    this.#counts.misses += 1;
    this.#misses[reason] = (this.#misses[reason] ?? 0) + 1;
  }

  async #fillLater(key: string, wanted: Wanted): Promise<void> {
    const { signal } = this.#closed;
    await this.#options.clock.sleep(REFILL_AFTER_MS, signal).then(
      () => this.#fill(key, wanted),
      () => undefined,
    );
  }

  /** Starts what is missing, and resolves when it waits. It never fails: who finds no spare starts cold. */
  async #fill(key: string, wanted: Wanted): Promise<void> {
    const { size, maxSpares } = this.#options;
    const waiting = this.#spares.filter(({ spare }) => spare.key === key).length;
    const missing = size - waiting - wanted.starting;
    const room = maxSpares - this.#spares.length - this.#starting();
    await this.#makeRoom(key, missing - room);
    const count = Math.min(missing, maxSpares - this.#spares.length - this.#starting());
    if (count > 0 && !this.#closed.signal.aborted) {
      const started = Array.from({ length: count }, () => this.#start(key, wanted));
      wanted.filling = Promise.all([wanted.filling, ...started]).then(() => this.#shed());
    }
    await wanted.filling;
  }

  #starting(): number {
    return [...this.#wanted.values()].reduce((sum, { starting }) => sum + starting, 0);
  }

  /** Lets spares go that nobody asked for lately, the longest ago first. */
  async #makeRoom(key: string, count: number): Promise<void> {
    const coldest = this.#options.clock.now() - HOT_MS;
    const keys = [...this.#wanted].filter(([other, { askedAt }]) => other !== key && askedAt <= coldest);
    const order = new Map(keys.map(([other], index) => [other, index]));
    const idle = this.#spares.filter(({ spare }) => order.has(spare.key) || !this.#wanted.has(spare.key));
    const first = idle.toSorted((a, b) => (order.get(a.spare.key) ?? -1) - (order.get(b.spare.key) ?? -1));
    await Promise.all(first.slice(0, Math.max(0, count)).map(({ spare }) => this.#letGo(spare)));
  }

  async #start(key: string, wanted: Wanted): Promise<void> {
    const { processes, clock, idleMs } = this.#options;
    wanted.starting += 1;
    const start = (): Promise<Spare | undefined> => startSpare(wanted.options, { key, processes, clock });
    const spare = await NOWHERE.runInAsyncScope(start).catch(() => undefined);
    wanted.starting -= 1;
    if (!spare) {
      this.#counts.failures += 1;
      wanted.failures += 1;
      return;
    }
    if (this.#closed.signal.aborted) return await spare.release();
    const taken = new AbortController();
    this.#spares.push({ spare, taken });
    spare.process?.child.once("exit", () => void this.#replace(spare, wanted));
    clock.sleep(idleMs, taken.signal).then(
      () => this.#letGo(spare),
      () => undefined,
    );
  }

  /** A spare that died while it waited; one that was taken or let go is not in the list any more. */
  async #replace(spare: Spare, wanted: Wanted): Promise<void> {
    if (!this.#spares.some((each) => each.spare === spare)) return;
    this.#counts.failures += 1;
    wanted.failures += 1;
    await this.#letGo(spare);
    if (wanted.failures <= MAX_FAILURES) await this.#fill(spare.key, wanted);
  }

  async #shed(): Promise<void> {
    const spares = this.#spares.map(({ spare }) => spare);
    const sizes = await Promise.all(spares.map(async ({ process: cli }) => (await cli?.measureBytes()) ?? 0));
    let total = sizes.reduce((sum, size) => sum + size, 0);
    for (const [index, spare] of spares.entries()) {
      if (total <= this.#options.maxMemoryMb * 1024 ** 2) return;
      total -= sizes[index] ?? 0;
      await this.#letGo(spare);
    }
  }

  async #letGo(spare: Spare): Promise<void> {
    const index = this.#spares.findIndex((each) => each.spare === spare);
    const [found] = index === -1 ? [] : this.#spares.splice(index, 1);
    found?.taken.abort();
    if (found) await spare.release();
  }
}

/** Why no spare can serve a session with these options, whatever it was started with. */
function findUnfit({ resume, continue: goesOn, sessionId, cwd, mcpServers }: SessionOptions): WarmPoolMiss | undefined {
  if (resume !== undefined || goesOn) return "resumed";
  if (sessionId !== undefined) return "session-id";
  if (privateView(cwd ?? "") !== undefined) return "private-directory";
  const isLive = Object.values(mcpServers ?? {}).some((server) => typeof server !== "function" && "instance" in server);
  return isLive ? "shared-server" : undefined;
}

async function keyOf(options: SessionOptions): Promise<string> {
  return startUpKey(options, await stampStartUpFiles(options));
}

function timeOf(values: readonly number[], percent: number): number | undefined {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted.length === 0 ? undefined : percentile(sorted, percent);
}
