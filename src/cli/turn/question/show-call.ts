import type { CanUseTool } from "@anthropic-ai/claude-agent-sdk";
import type { CommandContext } from "../../command-context.ts";
import { describeCall, type CallPlace } from "./describe-call.ts";
import type { DescribedCall, Fact } from "./described-call.ts";
import { renderBody, renderHead } from "./render-call.ts";
import { showPages, type PagesRead } from "./show-pages.ts";
import { hasHiddenText } from "./visible-text.ts";

type Request = Parameters<CanUseTool>[2];

/** How a call was taken note of. */
export interface ShownCall {
  readonly read: PagesRead;
  /** It took more than one page. */
  readonly isPaged: boolean;
  /** A stray key must not be enough for it, nor an answer for good. */
  readonly isRisky: boolean;
}

/** Rows of a screen that are left for the answers. */
const ROWS_FOR_ANSWERS = 8;
const FEWEST_ROWS = 8;

/** Shows what a tool is about to do, whole: who wants what and why, and the command, the text or the change line by line. */
export async function showCall(
  tool: string,
  input: Readonly<Record<string, unknown>>,
  request: Request,
  { context, ...place }: CallPlace & { readonly context: CommandContext },
): Promise<ShownCall> {
  const call = withHiddenText(await describeCall(tool, input, place), input);
  const { terminal } = context;
  const rows = [
    "",
    ...renderHead({ tool, reasons: reasonsOf(request), call }, terminal),
    "",
    ...renderBody(call.body, terminal),
    "",
  ];
  const pageRows = Math.max(terminal.rows - ROWS_FOR_ANSWERS, FEWEST_ROWS);
  const read = await showPages(rows, { context, pageRows, signal: request.signal });
  return { read, isPaged: rows.length > pageRows, isRisky: call.isRisky };
}

/** Why it is asked, and for whom. */
function reasonsOf({ decisionReason, blockedPath, mcpServer, agentID }: Request): readonly Fact[] {
  const found = {
    Why: decisionReason,
    Path: blockedPath,
    Server: mcpServer === undefined ? undefined : `${mcpServer.name}, from ${mcpServer.source}`,
    "Asked by": agentID === undefined ? undefined : `the sub-agent ${agentID}`,
  };
  return Object.entries(found).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
}

/** Nobody hides characters by accident in what somebody else is to allow. */
function withHiddenText(call: DescribedCall, input: Readonly<Record<string, unknown>>): DescribedCall {
  const isHidden = [...call.body.map(({ text }) => text), ...call.facts.map(({ value }) => value)].some(hasHiddenText);
  if (!isHidden && !Object.keys(input).some(hasHiddenText)) return call;
  const warning = "Contains invisible characters, spelled out below";
  return { ...call, warnings: [...call.warnings, warning], isRisky: true };
}
