import { createContext } from "react";
import type { RewardRange } from "./rewards.ts";

/** How the tree is looked at: what each pill has to know besides its node. Selecting draws the pills on screen again, and lays nothing out. */
export interface Shown {
  readonly selected: string | undefined;
  readonly compared: string | undefined;
  readonly rewardName: string | undefined;
  readonly range: RewardRange;
  readonly best: string | undefined;
  readonly bestPath: ReadonlySet<string>;
  /** The nodes that hold the words that were searched for; undefined where none were. */
  readonly found: ReadonlySet<string> | undefined;
}

export const NOTHING_SHOWN: Shown = {
  selected: undefined,
  compared: undefined,
  rewardName: undefined,
  range: { lowest: 0, highest: 1 },
  best: undefined,
  bestPath: new Set(),
  found: undefined,
};

export const ShownContext = createContext<Shown>(NOTHING_SHOWN);
