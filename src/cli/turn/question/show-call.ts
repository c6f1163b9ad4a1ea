import type { CanUseTool } from "@anthropic-ai/claude-agent-sdk";
import { isCancel, select } from "@clack/prompts";
import type { CommandContext } from "../../define-command.ts";
import { describeCall, type CallPlace, type DescribedCall, type Fact, type Input } from "./describe-call.ts";
import { hasHiddenText, renderBody, renderHead } from "./render-call.ts";

type Request = Parameters<CanUseTool>[2];

/** Rows of a screen that are left for the answers. */
const ROWS_FOR_ANSWERS = 8;
const FEWEST_ROWS = 8;

/** Shows what a tool is about to do, whole: who wants what and why, and the command, the text or the change line by line. */
export async function showCall(
  tool: string,
  input: Input,
  request: Request,
  { context, ...place }: CallPlace & { readonly context: CommandContext },
): Promise<{ readonly read: PagesRead; readonly isPaged: boolean } & Pick<DescribedCall, "isRisky" | "isConfined">> {
  const call = await judgeCall(tool, input, place);
  const { terminal } = context;
  const rows = [
    "",
    ...renderHead({ tool, reasons: reasonsOf(request), call }, terminal),
    ...(call.body.length === 0 ? [] : ["", ...renderBody(call.body, terminal)]),
    "",
  ];
  const pageRows = Math.max(terminal.rows - ROWS_FOR_ANSWERS, FEWEST_ROWS);
  const read = await showPages(rows, pageRows, { context, signal: request.signal });
  const { isRisky, isConfined } = call;
  return { read, isPaged: rows.length > pageRows, isRisky, isConfined };
}

function reasonsOf({ decisionReason, blockedPath, mcpServer, agentID }: Request): readonly Fact[] {
  const found = {
    Why: decisionReason,
    Path: blockedPath,
    Server: mcpServer === undefined ? undefined : `${mcpServer.name}, from ${mcpServer.source}`,
    "Asked by": agentID === undefined ? undefined : `the sub-agent ${agentID}`,
  };
  return Object.entries(found).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
}

/** Says what a call would do, and warns of what about it is special. */
export async function judgeCall(tool: string, input: Input, place: CallPlace): Promise<DescribedCall> {
  return withHiddenText(await describeCall(tool, input, place), input);
}

/** Nobody hides characters by accident in what somebody else is to allow. */
function withHiddenText(call: DescribedCall, input: Input): DescribedCall {
  const isHidden = [...call.body.map(({ text }) => text), ...call.facts.map(({ value }) => value)].some(hasHiddenText);
  if (!isHidden && !Object.keys(input).some(hasHiddenText)) return call;
  const warning = "Contains invisible characters, spelled out below";
  return { ...call, warnings: [...call.warnings, warning], isRisky: true };
}

/** What somebody did with the pages: read them all, said no before the end, or pressed Ctrl-C. */
type PagesRead = "all" | "refused" | "cancelled";

/**
 * Prints rows page by page, so that nobody is asked about what has scrolled by unseen. They are printed, not drawn: the
 * terminal's own scrolling shows them again.
 */
async function showPages(
  rows: readonly string[],
  pageRows: number,
  { context, signal }: { readonly context: CommandContext; readonly signal: AbortSignal },
): Promise<PagesRead> {
  let shown = 0;
  let size = pageRows;
  for (;;) {
    const page = rows.slice(shown, shown + size);
    await context.print(`${page.join("\n")}\n`);
    shown += page.length;
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
