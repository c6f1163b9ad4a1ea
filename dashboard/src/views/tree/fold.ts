import type { Skein, SkeinNode } from "./skein.ts";

/** What is drawn as one pill: a node, or a chain of nodes without a fork. */
export interface Pill {
  readonly id: string;
  /** The node; of a chain its first one. */
  readonly node: SkeinNode;
  /** The nodes of a chain; empty where it is one node alone. */
  readonly folded: readonly SkeinNode[];
  readonly parent: Pill | undefined;
  readonly children: readonly Pill[];
}

/** What is drawn of a tree. */
export interface Pills {
  readonly roots: readonly Pill[];
  /** The pill that each node is in. */
  readonly byNode: ReadonlyMap<string, Pill>;
  readonly all: readonly Pill[];
}

/** A chain that is shorter says more when it is shown. */
const SHORTEST_CHAIN = 3;

interface Folding {
  /** Nodes that are shown whatever is around them. */
  readonly isKept: (node: SkeinNode) => boolean;
  /** Chains that somebody opened, by their first nodes. */
  readonly opened: ReadonlySet<string>;
  /** Otherwise every node is a pill. */
  readonly isFolding: boolean;
}

type Growing = { -readonly [Part in keyof Pill]: Pill[Part] } & { children: Growing[] };

/** Makes one pill of each chain without a fork. Beginnings, ends, forks, what comes right after one, and what has a name stay. */
export function foldChains({ roots }: Skein, { isKept, opened, isFolding }: Folding): Pills {
  const byNode = new Map<string, Pill>();
  const all: Growing[] = [];
  const top: Growing[] = [];
  const waiting = roots.toReversed().map((node) => ({ node, parent: undefined as Growing | undefined }));
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { node, parent } = next;
    const chain = isFolding && !opened.has(node.id) ? chainFrom(node, isKept) : [];
    const folded = chain.length >= SHORTEST_CHAIN ? chain : [];
    const pill: Growing = { id: folded.length > 0 ? `fold:${node.id}` : node.id, node, folded, parent, children: [] };
    all.push(pill);
    (parent?.children ?? top).push(pill);
    // A chain that was opened is not closed again in its middle.
    const rest = folded.length > 0 || !opened.has(node.id) ? [] : chainFrom(node, isKept);
    for (const one of folded.length > 0 ? folded : [node]) byNode.set(one.id, pill);
    let last = pill;
    let end = folded.at(-1) ?? node;
    for (const one of rest.slice(1)) {
      const single: Growing = { id: one.id, node: one, folded: [], parent: last, children: [] };
      all.push(single);
      last.children.push(single);
      byNode.set(one.id, single);
      last = single;
      end = one;
    }
    for (const child of end.children.toReversed()) waiting.push({ node: child, parent: last });
  }
  return { roots: top, byNode, all };
}

function chainFrom(first: SkeinNode, isKept: (node: SkeinNode) => boolean): readonly SkeinNode[] {
  const chain: SkeinNode[] = [];
  for (let node: SkeinNode | undefined = first; node && isInner(node) && !isKept(node); node = node.children[0]) {
    chain.push(node);
  }
  return chain;
}

function isInner({ parent, children, run }: SkeinNode): boolean {
  return children.length === 1 && parent?.children.length === 1 && run === undefined;
}

/** The first node of the chain that a node would be folded into; undefined where it is shown anyway. */
export function chainOf(node: SkeinNode, isKept: (node: SkeinNode) => boolean): string | undefined {
  if (!isInner(node) || isKept(node)) return undefined;
  let first = node;
  while (first.parent && isInner(first.parent) && !isKept(first.parent)) first = first.parent;
  return first.id;
}
