import type { SDKUserMessage, SpareProcess } from "@anthropic-ai/claude-agent-sdk";
import { AsyncQueue, defined, systemClock, type Clock } from "../../core/internal.ts";
import { startUpKey } from "../settings-key.ts";
import { watchQuestions, type OpenQuestions } from "../permissions/open-questions.ts";
import type { CliProcess } from "../processes/cli-process.ts";
import { hostProcesses, type ProcessManager } from "../processes/process-manager.ts";
import { CliSession, trackSpawn } from "./cli-session.ts";
import { mintServers, type SessionOptions } from "../options/tool-server.ts";

const KEPT_TIMES = 1000;

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

/** What a pool has done so far. */
export interface WarmPoolStatistics {
  /** Spares that wait now. */
  readonly spares: number;
  readonly hits: number;
  readonly misses: number;
  /** Spares that were there and refused the folder, or had died: a cold start took their place. */
  readonly refusals: number;
  /** Time from the claim to a bound session. */
  readonly p50Ms: number | undefined;
  readonly p95Ms: number | undefined;
}

interface Spare {
  readonly key: string;
  readonly parked: SpareProcess;
  readonly spawned: () => CliProcess | undefined;
  readonly release: () => void;
  readonly questions: OpenQuestions;
  readonly taken: AbortController;
}

/** Keeps CLI processes started before they are needed, for turns in any folder, and replaces those that are taken. */
export class WarmPool implements AsyncDisposable {
  readonly #options: Required<WarmPoolOptions>;
  readonly #spares: Spare[] = [];
  readonly #starting = new Map<string, Promise<void>>();
  readonly #times: number[] = [];
  #isClosed = false;
  #counts = { hits: 0, misses: 0, refusals: 0 };

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
  claim(options: SessionOptions): CliSession | undefined {
    // A session that goes on is loaded at start-up, so a spare cannot take it up.
    if (options.resume !== undefined || options.continue) return undefined;
    const key = startUpKey(options);
    const spare = this.#take(key);
    this.#refill(key, options);
    if (!spare) {
      this.#counts.misses += 1;
      return undefined;
    }
    return this.#bind(spare, options);
  }

  /** Fills up the spares for these options, and resolves when they wait. */
  async warm(options: SessionOptions): Promise<void> {
    const key = startUpKey(options);
    this.#refill(key, options);
    await this.#starting.get(key);
  }

  statistics(): WarmPoolStatistics {
    return {
      spares: this.#spares.length,
      ...this.#counts,
      p50Ms: percentile(this.#times, 50),
      p95Ms: percentile(this.#times, 95),
    };
  }

  /** Lets all spares go, and resolves when they are gone. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#starting.values());
    await Promise.all(this.#spares.splice(0).map(release));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #take(key: string): Spare | undefined {
    const index = this.#spares.findIndex((spare) => spare.key === key);
    const [spare] = index === -1 ? [] : this.#spares.splice(index, 1);
    spare?.taken.abort();
    return spare;
  }

  #bind(spare: Spare, options: SessionOptions): CliSession | undefined {
    const { clock } = this.#options;
    const startedAt = clock.now();
    const input = new AsyncQueue<SDKUserMessage>();
    const { cwd = process.cwd(), model, permissionMode, additionalDirectories } = options;
    const claimed = { cwd, ...defined({ model, permissionMode, additionalDirectories }) };
    try {
      const query = spare.parked.claim({ prompt: input, options: claimed });
      const isBound = spare.parked.claimed.then(
        () => this.#countHit(clock.now() - startedAt),
        () => this.#countRefusal(),
      );
      const { spawned, release: releaseServers, questions } = spare;
      return new CliSession({ input, query, process: spawned, release: releaseServers, questions, isBound }, clock);
    } catch {
      // It died while it was waiting.
      this.#countRefusal();
      void release(spare);
      return undefined;
    }
  }

  #countHit(ms: number): true {
    this.#counts.hits += 1;
    this.#times.push(ms);
    if (this.#times.length > KEPT_TIMES) this.#times.shift();
    return true;
  }

  #countRefusal(): false {
    this.#counts.refusals += 1;
    return false;
  }

  #refill(key: string, options: SessionOptions): void {
    const waiting = this.#spares.filter((spare) => spare.key === key).length;
    const missing = Math.min(this.#options.size - waiting, this.#options.maxSpares - this.#spares.length);
    if (missing <= 0 || this.#starting.has(key) || this.#isClosed) return;
    const starting = Promise.all(Array.from({ length: missing }, () => this.#start(key, options)))
      .then(() => this.#shed())
      .finally(() => this.#starting.delete(key));
    this.#starting.set(key, starting);
  }

  async #start(key: string, options: SessionOptions): Promise<void> {
    const { processes, clock } = this.#options;
    const { prewarm } = await import("@anthropic-ai/claude-agent-sdk");
    await processes.prepare();
    const { spawn, spawned } = trackSpawn(processes, options.stderr ? { stderr: options.stderr } : {});
    const { options: minted, release: releaseServers } = await mintServers(options);
    const { watched, questions } = watchQuestions(minted, clock);
    const { cwd: _, additionalDirectories: __, ...startUp } = watched;
    const parked = await prewarm({ options: { ...startUp, spawnClaudeCodeProcess: spawn } }).catch(() => undefined);
    if (!parked) {
      releaseServers();
      return await spawned()?.end(0);
    }
    parked.claimed.catch(() => undefined);
    const spare = { key, parked, spawned, questions, release: releaseServers, taken: new AbortController() };
    if (this.#isClosed) return await release(spare);
    this.#spares.push(spare);
    spawned()?.child.once("exit", () => void this.#forget(spare));
    clock.sleep(this.#options.idleMs, spare.taken.signal).then(
      () => this.#forget(spare),
      () => undefined,
    );
  }

  async #shed(): Promise<void> {
    const sizes = await Promise.all(this.#spares.map(async (spare) => (await spare.spawned()?.measureBytes()) ?? 0));
    let total = sizes.reduce((sum, size) => sum + size, 0);
    for (const [index, spare] of [...this.#spares].entries()) {
      if (total <= this.#options.maxMemoryMb * 1024 ** 2) return;
      total -= sizes[index] ?? 0;
      await this.#forget(spare);
    }
  }

  async #forget(spare: Spare): Promise<void> {
    const index = this.#spares.indexOf(spare);
    if (index === -1) return;
    this.#spares.splice(index, 1);
    await release(spare);
  }
}

async function release({ parked, spawned, release: releaseServers, taken }: Spare): Promise<void> {
  taken.abort();
  parked.close();
  await spawned()?.end(0);
  releaseServers();
}

function percentile(values: readonly number[], percent: number): number | undefined {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)];
}
