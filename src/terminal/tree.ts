import type { Terminal } from "./terminal.ts";
import { fitLine } from "./width.ts";

export interface TreeNode {
  readonly text: string;
  readonly children: readonly TreeNode[];
}

/**
 * The lines of trees from their tops down: what is drawn before an item, and the item. For a table's first column. A path that does not
 * part goes straight down, so that a long one takes no width.
 */
export function treeLines<Item>(
  roots: readonly Item[],
  childrenOf: (item: Item) => readonly Item[],
): readonly { readonly branch: string; readonly item: Item }[] {
  const lines: { branch: string; item: Item }[] = [];
  // Not by recursion: conversations are deeper than a stack is.
  const waiting = roots.toReversed().map((item) => ({ item, branch: "", below: "" }));
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { item, branch, below } = next;
    lines.push({ branch, item });
    const children = childrenOf(item);
    for (const [index, child] of children.toReversed().entries()) {
      const isLast = index === 0;
      waiting.push(
        children.length === 1
          ? { item: child, branch: below, below }
          : {
              item: child,
              branch: `${below}${isLast ? "╰─ " : "├─ "}`,
              below: `${below}${isLast ? "   " : "│  "}`,
            },
      );
    }
  }
  return lines;
}

/** A tree of texts, a line each. */
export function formatTree(roots: readonly TreeNode[], { columns, colors }: Terminal): string {
  return treeLines(roots, ({ children }) => children)
    .map(({ branch, item }) => `  ${colors.dim(branch)}${fitLine(item.text, columns - 2 - branch.length)}\n`)
    .join("");
}
