import { basename } from "node:path";
import { dataHome, defined, systemClock, type Clock } from "../../core/internal.ts";
import { createFigureReader, type FigureReader } from "../../trace/internal.ts";
import { readMetrics, type MetricsQuery, type MetricsSummary } from "../metrics/read-metrics.ts";
import { openProgramEvents, type ProgramEvents } from "./program-events.ts";

/** Whose events a `MonitoringIntegration` keeps, and where. */
export interface MonitoringOptions {
  /** What the program calls itself; the name of its file by default. */
  readonly program?: string;
  /** The directory that it is about; the one it runs in by default. */
  readonly workspace?: string;
  /** The session that its events are of, where there is one. */
  readonly sessionId?: string;
  /** What the program's agent is, such as `manager` or `worker`. */
  readonly agentRole?: string;
  /** Skein's data folder; the user's own by default. */
  readonly home?: string;
  readonly clock?: Clock;
}

/** What is told of a query beside how long it took. */
export interface QueryAbout {
  /** True unless it is said, or an error is given. */
  readonly success?: boolean;
  readonly error?: Error | string;
  /** The session of the query; that of the options by default. */
  readonly sessionId?: string;
  readonly tokensUsed?: number;
  readonly costUsd?: number;
}

/** What is told of agents that work together, beside who does what. */
export interface CoordinationAbout {
  readonly taskId?: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/**
 * Keeps the events of a program of yours beside those of Skein's runs, and gives figures of the turns that Skein has recorded. It works without a
 * server; one that runs shows the events as they come. Telling something returns at once and never fails.
 */
export class MonitoringIntegration implements AsyncDisposable {
  readonly #options: MonitoringOptions;
  readonly #home: string;
  readonly #clock: Clock;
  readonly #events: ProgramEvents;
  #figures: FigureReader | undefined;

  constructor(options: MonitoringOptions = {}) {
    this.#options = options;
    this.#home = options.home ?? dataHome();
    this.#clock = options.clock ?? systemClock;
    const { program = basename(process.argv[1] ?? "node"), workspace = process.cwd() } = options;
    this.#events = openProgramEvents(this.#home, { program, workspace }, this.#clock);
  }

  /** How many events could not be kept: data that is no JSON, or too many at once. */
  get dropped(): number {
    return this.#events.dropped;
  }

  /** Keeps an event of the program's own. */
  sendEvent(eventType: string, data: Readonly<Record<string, unknown>> = {}): void {
    this.#events.add(eventType, data);
  }

  /** Keeps how long a query took, as the event `execution_complete`. */
  trackQueryPerformance(executionTimeMs: number, { error, ...about }: QueryAbout = {}): void {
    const { sessionId, agentRole } = this.#options;
    const told = error === undefined ? {} : { error: typeof error === "string" ? error : error.message };
    this.sendEvent("execution_complete", {
      ...defined({ sessionId, agentRole }),
      success: error === undefined,
      executionTimeMs,
      ...told,
      ...about,
    });
  }

  /** Keeps what an agent did with others, such as `worker` and `task_assignment`, as the event `agent_communication`. */
  logAgentCoordination(agentType: string, action: string, about: CoordinationAbout = {}): void {
    const { sessionId } = this.#options;
    this.sendEvent("agent_communication", { ...defined({ sessionId }), agentType, messageType: action, ...about });
  }

  /** The figures of the turns that Skein has recorded: of all unless it is said which. */
  async getMetricsSummary(
    query: MetricsQuery & { readonly by?: "workspace" | "model" | undefined } = {},
  ): Promise<MetricsSummary> {
    this.#figures ??= createFigureReader(this.#home);
    return await readMetrics({ figures: this.#figures, clock: this.#clock }, query);
  }

  /** Ends the program's run; what is told afterwards is not kept. */
  async close(): Promise<void> {
    await this.#events.close();
    await this.#figures?.[Symbol.asyncDispose]();
    this.#figures = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
