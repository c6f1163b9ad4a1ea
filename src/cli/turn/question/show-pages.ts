import { isCancel, select } from "@clack/prompts";
import type { CommandContext } from "../../command-context.ts";

/** What somebody did with the pages: read them all, said no before the end, or pressed Ctrl-C. */
export type PagesRead = "all" | "refused" | "cancelled";

/**
 * Prints rows page by page, so that nobody is asked about what has scrolled by unseen. They are printed, not drawn: the
 * terminal's own scrolling shows them again.
 */
export async function showPages(
  rows: readonly string[],
  {
    context,
    pageRows,
    signal,
  }: { readonly context: CommandContext; readonly pageRows: number; readonly signal: AbortSignal },
): Promise<PagesRead> {
  let shown = 0;
  let size = pageRows;
  for (;;) {
    await context.print(
      rows
        .slice(shown, shown + size)
        .map((row) => `${row}\n`)
        .join(""),
    );
    shown = Math.min(shown + size, rows.length);
    if (shown === rows.length) return "all";
    const left = rows.length - shown;
    const answer = await select({
      message: `${left} more of ${rows.length} rows, then the question`,
      options: [
        { value: "next", label: "Next page" },
        { value: "rest", label: "All the rest" },
        { value: "no", label: "No", hint: "do not allow it" },
      ],
      signal,
    });
    if (isCancel(answer)) return "cancelled";
    if (answer === "no") return "refused";
    size = answer === "rest" ? left : pageRows;
  }
}
