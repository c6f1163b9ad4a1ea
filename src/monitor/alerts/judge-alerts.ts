import type { AlertKind } from "./alert-data.ts";
import type { Reading } from "./read-alerts.ts";

/** An alert that holds, as far as it is judged. */
export interface HeldAlert {
  readonly id: string;
  readonly kind: AlertKind;
  readonly subject: string;
}

/** An alert is over when its figure is this far below the bound: one that moves about it fires once. */
const CALM_SHARE = 0.9;

/** Which readings fire, and which alerts are over. One whose kind could not be read stays as it is. */
export function judgeAlerts(
  held: readonly HeldAlert[],
  readings: ReadonlyMap<AlertKind, readonly Reading[]>,
): { readonly fired: readonly Reading[]; readonly cleared: readonly string[] } {
  const all = [...readings.values()].flat();
  const keys = new Set(held.map(keyOf));
  const fired = all.filter((reading) => reading.value > reading.threshold && !keys.has(keyOf(reading)));
  const holding = new Set(all.filter(holdsOn).map(keyOf));
  const cleared = held.filter((alert) => readings.has(alert.kind) && !holding.has(keyOf(alert)));
  return { fired, cleared: cleared.map(({ id }) => id) };
}

function keyOf({ kind, subject }: { readonly kind: AlertKind; readonly subject: string }): string {
  return `${kind} ${subject}`;
}

function holdsOn({ value, threshold, isSticky }: Reading): boolean {
  return value > threshold * (isSticky ? CALM_SHARE : 1);
}
