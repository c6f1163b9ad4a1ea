import { useCallback, useMemo, useState } from "react";
import type { TreeData } from "../../../../src/monitor/api-types.ts";
import { useLive } from "../../data/use-live.ts";
import { chainOf, foldChains, type Pill, type Pills } from "./fold.ts";
import { layOut, type Layout } from "./layout.ts";
import { findBestPath, rewardNames, rewardRange } from "./rewards.ts";
import type { Shown } from "./shown.ts";
import { createSkein, nodeHas, runsToHang, type Skein, type SkeinNode } from "./skein.ts";

/** From so many nodes on, chains without a fork are folded. */
const FOLDED_FROM = 30;

interface Looking {
  readonly path: string | undefined;
  readonly selected: string | undefined;
  readonly compared: string | undefined;
  readonly reward: string | undefined;
  readonly words: string;
}

export interface TreeModel {
  readonly skein: Skein;
  readonly pills: Pills;
  readonly layout: Layout;
  readonly shown: Shown;
  readonly rewards: readonly string[];
  readonly canFold: boolean;
  open(pill: Pill): void;
  closeAll(): void;
  readonly hasOpened: boolean;
}

/** All that is drawn of a tree, made of what is recorded and of what runs now. */
export function useTreeModel(data: TreeData, { path, selected, compared, reward, words }: Looking): TreeModel {
  const running = useRunsIn(path, data);
  const skein = useMemo(() => createSkein(data, running), [data, running]);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const isFolding = skein.nodes.length >= FOLDED_FROM;

  // What is selected is shown, wherever it is: its chain is open as long as nobody closes it.
  const chosen = useMemo(() => {
    const chains = [selected, compared]
      .map((id) => skein.byId.get(id ?? ""))
      .map((node) => node && chainOf(node, isKept));
    return chains.filter((chain) => chain !== undefined);
  }, [skein, selected, compared]);
  const isOpen = useMemo(() => new Set([...opened, ...chosen]), [opened, chosen]);
  if (chosen.some((chain) => !opened.has(chain))) setOpened(isOpen);

  const pills = useMemo(() => foldChains(skein, { isKept, opened: isOpen, isFolding }), [skein, isOpen, isFolding]);
  const layout = useMemo(() => layOut(pills.roots), [pills]);
  const rewards = useMemo(() => rewardNames(data.nodes), [data]);
  const rewardName = reward !== undefined && rewards.includes(reward) ? reward : rewards[0];
  const shown = useMemo((): Shown => {
    const { best, path: bestPath } = findBestPath(skein, rewardName);
    const found = words.trim() === "" ? undefined : skein.nodes.filter((node) => nodeHas(node, words));
    return {
      selected,
      compared,
      rewardName,
      range: rewardRange(data.nodes, rewardName),
      best: best?.id,
      bestPath,
      found: found && new Set(found.map(({ id }) => id)),
    };
  }, [skein, data, selected, compared, rewardName, words]);

  const open = useCallback((pill: Pill) => setOpened((before) => new Set(before).add(pill.node.id)), []);
  const closeAll = useCallback(() => setOpened(new Set()), []);
  return { skein, pills, layout, shown, rewards, canFold: isFolding, open, closeAll, hasOpened: opened.size > 0 };
}

function isKept({ isHead, checkpoints, item }: SkeinNode): boolean {
  return isHead || checkpoints.length > 0 || typeof item?.bookmark === "string";
}

/** The runs that hang in the tree; the same list as long as it says the same. */
function useRunsIn(path: string | undefined, data: TreeData): ReturnType<typeof runsToHang> {
  const runs = useLive((live) => live.runs);
  const found = runsToHang(runs.values(), path, data.nodes);
  const [kept, keep] = useState(found);
  const isSame = kept.length === found.length && kept.every((run, place) => run === found[place]);
  if (!isSame) keep(found);
  return isSame ? kept : found;
}
