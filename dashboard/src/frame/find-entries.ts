/** Something that can be gone to or done from the palette. */
export interface Entry {
  readonly id: string;
  readonly group: Group;
  readonly label: string;
  /** What else it is found by, shown beside it. */
  readonly detail?: string | undefined;
  readonly shortcut?: string | undefined;
  readonly run: () => void;
}

export const GROUPS = ["Runs", "Actions", "Workspaces", "Conversations", "Turns", "Sessions"] as const;
export type Group = (typeof GROUPS)[number];

/** The entries that have all the words, the best first; `most` of each group, the groups in their order. */
export function findEntries(entries: readonly Entry[], words: string, most: number): readonly Entry[] {
  const wanted = words.toLowerCase().split(/\s+/u).filter(Boolean);
  const found = new Map<Group, { readonly entry: Entry; readonly rank: number }[]>(GROUPS.map((group) => [group, []]));
  for (const entry of entries) {
    const rank = rankOf(entry, wanted);
    if (rank !== undefined) found.get(entry.group)?.push({ entry, rank });
  }
  return GROUPS.flatMap((group) =>
    (found.get(group) ?? [])
      .toSorted((left, right) => left.rank - right.rank)
      .slice(0, most)
      .map(({ entry }) => entry),
  );
}

/** How far an entry is from what was written: its label begins so, a word of it does, it is somewhere in it, or in what stands beside. */
function rankOf({ label, detail = "" }: Entry, wanted: readonly string[]): number | undefined {
  const name = label.toLowerCase();
  const beside = detail.toLowerCase();
  let rank = 0;
  for (const word of wanted) {
    const place = name.indexOf(word);
    if (place === 0) continue;
    if (place > 0) rank += /[^\p{L}\p{N}]/u.test(name[place - 1] ?? "") ? 1 : 2;
    else if (beside.includes(word)) rank += 3;
    else return undefined;
  }
  return rank;
}
