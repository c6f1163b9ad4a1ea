/** A file as far as grouping needs it. */
export interface GroupedFile {
  readonly row: number;
  readonly sessionId: string | null;
  readonly logicalId: string | null;
  readonly isDirty: number;
}

/** Two files that have a record or a response in common. */
export interface FileLink {
  readonly low: number;
  readonly high: number;
}

/** Files that share records or a session belong together, directly or through others. */
export function groupFiles<File extends GroupedFile>(
  files: readonly File[],
  links: readonly FileLink[],
): readonly (readonly File[])[] {
  const groups = createGroups();
  for (const { row, sessionId } of files) groups.join(row, sessionId === null ? row : `session ${sessionId}`);
  for (const { low, high } of links) groups.join(low, high);
  const members = new Map<unknown, File[]>();
  for (const file of files) {
    const root = groups.find(file.row);
    const known = members.get(root);
    if (known === undefined) members.set(root, [file]);
    else known.push(file);
  }
  return [...members.values()];
}

/** The groups that are not as they were summed up last: something was read, or files have come or gone. */
export function changedGroups<File extends GroupedFile>(
  groups: readonly (readonly File[])[],
): readonly (readonly File[])[] {
  const sizes = new Map<string | null, number>();
  for (const { logicalId } of groups.flat()) sizes.set(logicalId, (sizes.get(logicalId) ?? 0) + 1);
  return groups.filter((group) => {
    const id = group[0]?.logicalId ?? null;
    const isAsBefore = group.every(({ logicalId, isDirty }) => logicalId === id && isDirty === 0);
    return id === null || !isAsBefore || sizes.get(id) !== group.length;
  });
}

type Key = number | string;

/** Disjoint sets: each key points towards the one that stands for its set. */
function createGroups(): { find(key: Key): Key; join(left: Key, right: Key): void } {
  const parents = new Map<Key, Key>();
  const find = (key: Key): Key => {
    let root = key;
    for (let next = parents.get(root); next !== undefined; next = parents.get(root)) root = next;
    for (let at = key; at !== root;) {
      const next = parents.get(at) as Key;
      parents.set(at, root);
      at = next;
    }
    return root;
  };
  return {
    find,
    join(left, right) {
      const [from, to] = [find(left), find(right)];
      if (from !== to) parents.set(from, to);
    },
  };
}
