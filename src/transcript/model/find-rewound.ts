import { rawOf, type TranscriptRecord } from "../records/transcript-record.ts";
import { isObject, string } from "./content.ts";
import type { ConversationTree } from "./conversation-tree.ts";

/**
 * The records that the conversation no longer goes through: where prompts stand under one parent, those below all but the
 * one that leads to `leaf`; where none of them does, the last one stands. Nothing else is rewound: a record whose parent is
 * not known was still said.
 */
export function findRewound(
  tree: ConversationTree,
  records: readonly TranscriptRecord[],
  leaf: string | undefined,
): ReadonlySet<string> {
  if (tree.branches.length === 0) return new Set();
  const path = new Set(leaf === undefined ? [] : tree.pathTo(leaf, { acrossCompaction: true }));
  const continuations = continuationsOf(records);
  const open = tree.branches.flatMap(({ promptUuids }) => {
    const taken = promptUuids.find((uuid) => path.has(uuid)) ?? promptUuids.at(-1);
    return promptUuids.filter((uuid) => uuid !== taken);
  });
  const rewound = new Set<string>();
  for (let uuid = open.pop(); uuid !== undefined; uuid = open.pop()) {
    if (rewound.has(uuid) || path.has(uuid)) continue;
    rewound.add(uuid);
    open.push(...tree.childrenOf(uuid), ...(continuations.get(uuid) ?? []));
  }
  return rewound;
}

/** What a compaction came after has its boundary as a child too, though the boundary names no parent. */
function continuationsOf(records: readonly TranscriptRecord[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const record of records) {
    const raw = rawOf(record);
    const [uuid, parent] = isObject(raw) ? [string(raw["uuid"]), string(raw["logicalParentUuid"])] : [];
    if (uuid === undefined || parent === undefined) continue;
    const known = found.get(parent);
    if (known === undefined) found.set(parent, [uuid]);
    else known.push(uuid);
  }
  return found;
}
