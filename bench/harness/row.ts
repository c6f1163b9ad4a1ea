/** What the figures of a row are in; `×` is how many times another figure, `` a count. */
export type Unit = "ms" | "s" | "MB" | "KiB" | "%" | "×" | "/s" | "";

/** What is to be reached, of the ratio to the peer, of the difference to it, or of the figure itself. */
export type Aim = { readonly of: "ratio" | "difference" | "ours" } & (
  | { readonly atMost: number }
  | { readonly atLeast: number }
);

/** What a bench has measured: one line of the table. */
export interface Measured {
  /** Short, and the same in every version: what is compared from run to run. */
  readonly name: string;
  /** What somebody waits for, in a few words. */
  readonly what: string;
  readonly ours: number;
  readonly unit: Unit;
  /** Who does the same, or what it is measured against, in the same run and unit. */
  readonly beside?: { readonly name: string; readonly value: number };
  readonly aim?: Aim;
  /** What must be known to read the figure. */
  readonly note?: string;
}

export interface Row extends Measured {
  /** Ours divided by the peer's; null without a peer. */
  readonly ratio: number | null;
  /** Null without an aim. */
  readonly isMet: boolean | null;
}

/** Sets a figure beside its peer and its aim. */
export function row(measured: Measured): Row {
  const { ours, beside, aim } = measured;
  const ratio = beside === undefined ? null : ours / beside.value;
  if (aim === undefined) return { ...measured, ratio, isMet: null };
  if (aim.of !== "ours" && beside === undefined) throw new Error(`${measured.name}: its aim needs a peer`);
  const reached = { ours, ratio: ratio ?? Number.NaN, difference: ours - (beside?.value ?? Number.NaN) }[aim.of];
  return { ...measured, ratio, isMet: "atMost" in aim ? reached <= aim.atMost : reached >= aim.atLeast };
}
