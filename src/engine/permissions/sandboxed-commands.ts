import type { CanUseTool, PermissionResult } from "@anthropic-ai/claude-agent-sdk";
import type { ClaudeOptions } from "../options/claude-options.ts";

/** What the CLI says beside a question: why it asks is in no type of the SDK's. */
type Question = Parameters<CanUseTool>[2] & { readonly decisionReasonType?: string };

/**
 * Answers for commands that the sandbox confines, where options say that those need no permission. The CLI itself keeps
 * that promise only for what it can take apart: a loop or a variable it asks about, and with nobody to answer it denies.
 * A question for another reason (a rule that says to ask, a safety check, a command that wants out of the sandbox) goes
 * to the answer that was there before; without one it is denied, as the CLI would.
 */
export function answerSandboxed(options: ClaudeOptions): CanUseTool | undefined {
  const { sandbox, canUseTool, permissionMode, permissionPromptToolName } = options;
  const isPromised = sandbox?.enabled === true && sandbox.autoAllowBashIfSandboxed === true;
  const isAsked = permissionMode !== "bypassPermissions" && permissionPromptToolName === undefined;
  if (!isPromised || !isAsked) return canUseTool;
  const answers = mayExclude(options) ? GUARDED_ANSWERS : ANSWERS;
  const otherwise = canUseTool ?? denyUnasked;
  const known = answers.get(otherwise) ?? answerOr(otherwise, answers === ANSWERS);
  answers.set(otherwise, known);
  return known;
}

/** One answer for each, because a warm process serves only those who have the same. */
const ANSWERS = new WeakMap<CanUseTool, CanUseTool>();
const GUARDED_ANSWERS = new WeakMap<CanUseTool, CanUseTool>();

function answerOr(otherwise: CanUseTool, maySkipPaths: boolean): CanUseTool {
  return async (tool, input, question) => {
    const isConfined = tool === "Bash" && input["dangerouslyDisableSandbox"] !== true;
    if (isConfined && isUnsure(question, maySkipPaths)) return { behavior: "allow", updatedInput: input };
    return await otherwise(tool, input, question);
  };
}

function denyUnasked(tool: string, _: unknown, { decisionReason }: Question): Promise<PermissionResult> {
  const reason = decisionReason ?? `No rule allows this call of ${tool}`;
  return Promise.resolve({ behavior: "deny", message: `${reason}, and there is nobody to ask.` });
}

/** Whether the CLI asks only because it cannot see what the command does, or sees a path that the sandbox guards anyway. */
function isUnsure({ decisionReasonType, matchedAskRule, blockedPath }: Question, maySkipPaths: boolean): boolean {
  if (matchedAskRule !== undefined) return false;
  if (decisionReasonType === "other") return true;
  return maySkipPaths && decisionReasonType === undefined && blockedPath !== undefined;
}

/** Whether some commands may run outside of the sandbox by their name. Files with settings can name them too. */
function mayExclude({ sandbox, settings = {}, settingSources = [] }: ClaudeOptions): boolean {
  if (typeof settings === "string" || settingSources.length > 0 || "sandbox" in settings) return true;
  return (sandbox?.excludedCommands ?? []).length > 0;
}
