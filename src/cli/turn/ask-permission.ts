import { isCancel, select } from "@clack/prompts";
import type { CanUseTool, PermissionResult, PermissionUpdate } from "@anthropic-ai/claude-agent-sdk";
import type { CommandContext } from "../command-context.ts";
import { fitLine, plainLine } from "../plain-text.ts";
import { toolTitle } from "./tool-title.ts";

type Request = Parameters<CanUseTool>[2];
type Answer = "yes" | "always" | "no";

/** Where questions are asked. */
export interface AskOptions {
  readonly context: CommandContext;
  readonly cwd: string;
  /** Called before a question is shown. */
  readonly onAsk: () => void;
}

/** Answers for calls that the rules leave open, by asking the person at the terminal, one question at a time. */
export function askPermission(options: AskOptions): CanUseTool {
  let previous: Promise<unknown> = Promise.resolve();
  return (tool, input, request) => {
    const asked = previous.then(() => ask(tool, input, request, options));
    previous = asked.catch(() => {});
    return asked;
  };
}

async function ask(
  tool: string,
  input: Record<string, unknown>,
  request: Request,
  { context, cwd, onAsk }: AskOptions,
): Promise<PermissionResult> {
  onAsk();
  const answer = await select<Answer>({
    message: question(tool, input, request, { cwd, columns: context.terminal.columns }),
    options: [
      { value: "yes", label: "Yes" },
      ...(request.suppressAlwaysAllowRule
        ? []
        : [{ value: "always" as const, label: "Always", hint: "in this session" }]),
      { value: "no", label: "No" },
    ],
    initialValue: request.defaultToNo ? "no" : "yes",
    signal: request.signal,
  });
  if (answer === "yes") return { behavior: "allow", updatedInput: input };
  if (answer === "always")
    return { behavior: "allow", updatedInput: input, updatedPermissions: forSession(tool, request) };
  // In a question the terminal hands Ctrl-C over as a key, not as a signal: the CLI is told to end the turn.
  return { behavior: "deny", message: "The user did not allow this.", interrupt: isCancel(answer) };
}

function question(
  tool: string,
  input: Record<string, unknown>,
  request: Request,
  look: { readonly cwd: string; readonly columns: number },
): string {
  const title = toolTitle(input, look.cwd);
  const what = `Allow ${plainLine(tool)}${title === "" ? "" : `: ${title}`}?`;
  const why = plainLine(request.decisionReason ?? "");
  const lines = why === "" ? [what] : [what, why];
  return lines.map((line) => fitLine(line, look.columns * 3)).join("\n");
}

/** What is allowed for good is allowed in this session only: settings files are the user's to write. */
function forSession(tool: string, { suggestions }: Request): PermissionUpdate[] {
  if (suggestions && suggestions.length > 0) {
    return suggestions.map((suggestion) => ({ ...suggestion, destination: "session" }));
  }
  return [{ type: "addRules", rules: [{ toolName: tool }], behavior: "allow", destination: "session" }];
}
