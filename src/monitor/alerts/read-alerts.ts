import type { RunSummary } from "../runs/run-data.ts";
import type { AlertKind } from "./alert-data.ts";
import type { AlertSettings } from "./alert-settings.ts";

/** What the turns of a span of time came to. */
export interface TurnFigures {
  readonly turns: number;
  /** Turns that failed or were cut off. */
  readonly failed: number;
  /** What was paid, in US dollars. */
  readonly costUsd: number;
  /** The median of how long they took; null where there are none. */
  readonly medianMs: number | null;
}

/** What alerts are judged by. */
export interface AlertSources {
  readonly nowMs: number;
  figures(span: { readonly fromMs: number; readonly toMs: number }): Promise<TurnFigures>;
  runs(): readonly RunSummary[];
  /** What each of Skein's processes holds, by its id. */
  memory(): Promise<ReadonlyMap<number, number>>;
}

/** A figure and its bound, as they are now. */
export interface Reading {
  readonly kind: AlertKind;
  /** The run or process that it is of; empty where it is of all. */
  readonly subject: string;
  readonly value: number;
  readonly threshold: number;
  readonly message: string;
  readonly workspace?: string;
  /** Whether an alert that holds goes on below its bound: it is over once the figure is clearly below. */
  readonly isSticky: boolean;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const WEEK_MS = 7 * DAY_MS;

type Reader = (settings: AlertSettings, sources: AlertSources) => Promise<readonly Reading[]>;

/** How each kind is read. Nothing is given of what is not watched, or of what there is too little to judge by. */
export const READERS: Readonly<Record<AlertKind, Reader>> = {
  "error-rate": async ({ errorRate }, sources) => {
    if (!errorRate) return [];
    const { above, minutes = 60, leastTurns = 5 } = errorRate;
    const { turns, failed } = await lastMinutes(sources, minutes);
    if (turns < leastTurns) return [];
    const message = `${failed} of ${turns} turns of the last ${span(minutes)} failed: more than ${percent(above)}`;
    return [{ ...ofAll("error-rate"), value: failed / turns, threshold: above, message }];
  },
  "cost-per-hour": async ({ costPerHourUsd: most }, sources) =>
    most === undefined ? [] : [costReading("cost-per-hour", await lastMinutes(sources, 60), most)],
  "cost-per-day": async ({ costPerDayUsd: most }, sources) =>
    most === undefined ? [] : [costReading("cost-per-day", await lastMinutes(sources, 24 * 60), most)],
  memory: async ({ memoryMb: most }, sources) => {
    if (most === undefined) return [];
    return [...(await sources.memory())].map(([pid, bytes]) => {
      const held = bytes / 1024 ** 2;
      const message = `Process ${pid} holds ${Math.round(held)} MB: more than ${most} MB`;
      return { kind: "memory", subject: `${pid}`, value: held, threshold: most, message, isSticky: true };
    });
  },
  "stalled-run": ({ stalledMinutes: most }, { nowMs, runs }) =>
    Promise.resolve(most === undefined ? [] : runs().filter(isWorking).map(stalledReading(nowMs, most))),
  "slower-turns": async ({ slowerThanLastWeek }, sources) => {
    if (!slowerThanLastWeek) return [];
    const { factor, minutes = 60, leastTurns = 5 } = slowerThanLastWeek;
    const fromMs = sources.nowMs - minutes * MINUTE_MS;
    const now = await lastMinutes(sources, minutes);
    const before = await sources.figures({ fromMs: fromMs - WEEK_MS, toMs: fromMs });
    if (now.turns < leastTurns || before.turns < leastTurns || !now.medianMs || !before.medianMs) return [];
    const value = now.medianMs / before.medianMs;
    const message = `Turns of the last ${span(minutes)} take ${seconds(now.medianMs)} (median): more than ${factor} times the ${seconds(before.medianMs)} of the week before`;
    return [{ ...ofAll("slower-turns"), value, threshold: factor, message }];
  },
};

function ofAll<Kind extends AlertKind>(kind: Kind) {
  return { kind, subject: "", isSticky: true };
}

async function lastMinutes({ nowMs, figures }: AlertSources, minutes: number): Promise<TurnFigures> {
  // What was recorded in this very millisecond is in it.
  return await figures({ fromMs: nowMs - minutes * MINUTE_MS, toMs: nowMs + 1 });
}

function costReading(kind: "cost-per-hour" | "cost-per-day", { costUsd }: TurnFigures, most: number): Reading {
  const last = kind === "cost-per-hour" ? "hour" : "24 hours";
  const message = `The last ${last} cost $${costUsd.toFixed(2)}: more than $${most}`;
  return { ...ofAll(kind), value: costUsd, threshold: most, message };
}

/** A search waits for its turns, which are runs themselves; and who waits for a person's answer does not stall. */
function isWorking({ kind, activity }: RunSummary): boolean {
  return kind === "turn" && (activity === "starting" || activity === "working");
}

function stalledReading(nowMs: number, most: number): (run: RunSummary) => Reading {
  return ({ run, updatedAt, workspace }) => {
    const value = (nowMs - Date.parse(updatedAt)) / MINUTE_MS;
    const message = `The run ${run} in ${workspace} works, and has had no event for more than ${span(most)}`;
    return { kind: "stalled-run", subject: run, value, threshold: most, message, workspace, isSticky: false };
  };
}

function span(minutes: number): string {
  return minutes === 1 ? "minute" : `${minutes} minutes`;
}

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
