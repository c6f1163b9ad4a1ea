import type { Terminal } from "./terminal.ts";
import { fitLine } from "./width.ts";

export interface TreeNode<Item> {
  readonly item: Item;
  readonly children: readonly TreeNode<Item>[];
}

/** The lines of trees from their tops down: what is drawn before an item, and the item. As a table's first column, or alone. */
export function treeLines<Item>(
  roots: readonly TreeNode<Item>[],
): readonly { readonly branch: string; readonly item: Item }[] {
  const lines: { branch: string; item: Item }[] = [];
  // Not by recursion: conversations are deeper than a stack is.
  const waiting = roots.toReversed().map((node) => ({ node, branch: "", below: "" }));
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { node, branch, below } = next;
    lines.push({ branch, item: node.item });
    const { children } = node;
    for (const [index, child] of children.toReversed().entries()) {
      const isLast = index === 0;
      waiting.push({
        node: child,
        branch: `${below}${isLast ? "╰─ " : "├─ "}`,
        below: `${below}${isLast ? "   " : "│  "}`,
      });
    }
  }
  return lines;
}

/** The same as text, a line each. */
export function formatTree(roots: readonly TreeNode<string>[], { columns, colors }: Terminal): string {
  return treeLines(roots)
    .map(({ branch, item }) => `  ${colors.dim(branch)}${fitLine(item, columns - 2 - branch.length)}\n`)
    .join("");
}
