import { blocksOf, type ContentBlock, isObject, string, type UserKind, userKindOf } from "../records/content.ts";
import { isMessage, isSidechain, rawOf, type TranscriptRecord } from "../records/transcript-record.ts";

/** A place where the conversation was taken up twice: two or more prompts under one parent. */
export interface Branch {
  readonly parentUuid: string;
  readonly promptUuids: readonly string[];
}

/** How the records of a conversation hang together. Uuids stand for records; `recordOf` gives them. */
export interface ConversationTree {
  /** Records that name no parent: the first, and each compaction or inline sub-agent. */
  readonly roots: readonly string[];
  /** Records whose parent is not among the given ones. */
  readonly orphans: readonly string[];
  /** Records that are their own ancestors, ring by ring. */
  readonly cycles: readonly (readonly string[])[];
  readonly branches: readonly Branch[];
  /** Messages after which nothing was said. */
  readonly leaves: readonly string[];
  readonly size: number;
  /** Messages on the longest way from a root; one for a root alone. */
  readonly maxDepth: number;
  recordOf(uuid: string): TranscriptRecord | undefined;
  parentOf(uuid: string): string | undefined;
  childrenOf(uuid: string): readonly string[];
  /**
   * From the root, or the orphan, down to the record. `acrossCompaction` goes on to what a compaction came after, and where
   * that is not named or not there, to what was said before it: early versions began anew without a word.
   */
  pathTo(uuid: string, options?: { readonly acrossCompaction?: boolean }): readonly string[];
  /** Messages on the way from the root to this record, itself included. */
  depthOf(uuid: string): number;
}

interface Node {
  readonly record: TranscriptRecord;
  readonly parent: string | undefined;
  readonly logicalParent: string | undefined;
  /** The message before it in the file; none for a sub-agent's record between others. */
  readonly previous: string | undefined;
  readonly kind: UserKind | "answer" | undefined;
  readonly blocks: readonly ContentBlock[];
  readonly children: string[];
}

type Nodes = ReadonlyMap<string, Node>;

/** Builds the tree of some records: of one file, or of several that belong together. */
export function conversationTree(records: readonly TranscriptRecord[]): ConversationTree {
  const nodes = collectNodes(records);
  const roots: string[] = [];
  const orphans: string[] = [];
  for (const [uuid, { parent }] of nodes) {
    if (parent === undefined) roots.push(uuid);
    else (nodes.get(parent)?.children ?? orphans).push(uuid);
  }
  const depths = measureDepths(nodes, [...roots, ...orphans]);
  return {
    roots,
    orphans,
    cycles: findCycles(nodes, depths),
    branches: findBranches(nodes),
    leaves: findLeaves(nodes),
    size: nodes.size,
    maxDepth: [...depths.values()].reduce((most, depth) => Math.max(most, depth), 0),
    recordOf: (uuid) => nodes.get(uuid)?.record,
    parentOf: (uuid) => nodes.get(uuid)?.parent,
    childrenOf: (uuid) => nodes.get(uuid)?.children ?? [],
    pathTo: (uuid, options) => pathTo(nodes, uuid, options?.acrossCompaction ?? false),
    depthOf: (uuid) => depths.get(uuid) ?? 0,
  };
}

/** Of records with the same uuid, copies of a resumed session, the first stands. */
function collectNodes(records: readonly TranscriptRecord[]): Nodes {
  const nodes = new Map<string, Node>();
  const hasMain = records.some((record) => isMessage(record) && !isSidechain(record));
  let previous: string | undefined;
  for (const record of records) {
    const raw = rawOf(record);
    const uuid = isObject(raw) ? string(raw["uuid"]) : undefined;
    if (!isObject(raw) || uuid === undefined || nodes.has(uuid)) continue;
    const [parent, logicalParent] = [string(raw["parentUuid"]), string(raw["logicalParentUuid"])];
    const isAside = hasMain && isSidechain(record);
    const before = isAside ? undefined : previous;
    const blocks = isMessage(record) ? blocksOf(record.message.content) : [];
    const kind =
      record.type === "user" ? userKindOf(record, blocks) : record.type === "assistant" ? "answer" : undefined;
    nodes.set(uuid, { record, parent, logicalParent, previous: before, kind, blocks, children: [] });
    if (!isAside && isMessage(record)) previous = uuid;
  }
  return nodes;
}

/** By hand instead of by calls: a conversation is one long chain, deeper than the stack. */
function measureDepths(nodes: Nodes, tops: readonly string[]): ReadonlyMap<string, number> {
  const depths = new Map<string, number>();
  const open = tops.map((uuid) => ({ uuid, above: 0 }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const node = nodes.get(next.uuid);
    if (node === undefined || depths.has(next.uuid)) continue;
    const depth = next.above + (node.kind === undefined ? 0 : 1);
    depths.set(next.uuid, depth);
    for (const child of node.children) open.push({ uuid: child, above: depth });
  }
  return depths;
}

/** What no root leads to lies on a ring or hangs from one. */
function findCycles(nodes: Nodes, reached: ReadonlyMap<string, number>): ConversationTree["cycles"] {
  const done = new Set<string>();
  const cycles: (readonly string[])[] = [];
  for (const uuid of nodes.keys()) {
    if (reached.has(uuid) || done.has(uuid)) continue;
    const way = new Set<string>();
    let at: string | undefined = uuid;
    for (; at !== undefined && !way.has(at) && !done.has(at); at = nodes.get(at)?.parent) way.add(at);
    if (at !== undefined && way.has(at)) cycles.push([...way].slice([...way].indexOf(at)));
    for (const passed of way) done.add(passed);
  }
  return cycles;
}

/** Progress, attachments and results of parallel tools also hang beside each other: only prompts make a branch. */
function findBranches(nodes: Nodes): readonly Branch[] {
  return [...nodes].flatMap(([parentUuid, { children }]) => {
    if (children.length < 2) return [];
    const promptUuids = children.filter((child) => nodes.get(child)?.kind === "prompt");
    return promptUuids.length > 1 ? [{ parentUuid, promptUuids }] : [];
  });
}

function findLeaves(nodes: Nodes): readonly string[] {
  const wentOn = new Set<string>();
  for (const { kind, parent, logicalParent } of nodes.values()) {
    if (kind === undefined && logicalParent === undefined) continue;
    for (let at = parent ?? logicalParent; at !== undefined && !wentOn.has(at); at = nodes.get(at)?.parent)
      wentOn.add(at);
  }
  const askers = collectAskers(nodes);
  const answered = new Set<string>();
  for (const uuid of wentOn) for (const asker of askersOf(nodes.get(uuid), askers)) answered.add(asker);
  return [...nodes].flatMap(([uuid, node]) => {
    if (node.kind === undefined || wentOn.has(uuid)) return [];
    // The result of one of several parallel tools: the conversation went on after another.
    return askersOf(node, askers).some((asker) => answered.has(asker)) ? [] : [uuid];
  });
}

function collectAskers(nodes: Nodes): ReadonlyMap<string, string> {
  const askers = new Map<string, string>();
  for (const [uuid, { blocks, record }] of nodes) {
    const asker = (record.type === "assistant" ? record.message.id : undefined) ?? uuid;
    for (const block of blocks) if (block.type === "tool_use") askers.set(string(block["id"]) ?? "", asker);
  }
  return askers;
}

function askersOf(node: Node | undefined, askers: ReadonlyMap<string, string>): readonly string[] {
  if (node?.kind !== "tool-result") return [];
  return node.blocks.flatMap((block) => askers.get(string(block["tool_use_id"]) ?? "") ?? []);
}

function pathTo(nodes: Nodes, uuid: string, acrossCompaction: boolean): readonly string[] {
  const path = new Set<string>();
  for (let at: string | undefined = uuid; at !== undefined && !path.has(at);) {
    const node = nodes.get(at);
    if (node === undefined) break;
    path.add(at);
    const named = acrossCompaction ? [node.parent, node.logicalParent] : [node.parent];
    const before = acrossCompaction ? node.previous : undefined;
    at = named.find((parent) => parent !== undefined && nodes.has(parent)) ?? before;
  }
  return [...path].toReversed();
}
