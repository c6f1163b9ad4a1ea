import { isCancel, select } from "@clack/prompts";
import type { CanUseTool, PermissionResult, PermissionUpdate } from "@anthropic-ai/claude-agent-sdk";
import type { CommandContext } from "../define-command.ts";
import { plainLine } from "../../terminal/index.ts";
import type { CallPlace } from "./question/describe-call.ts";
import { showCall } from "./question/show-call.ts";

type Request = Parameters<CanUseTool>[2];
type Answer = "yes" | "always" | "no";

export interface AskOptions extends CallPlace {
  readonly context: CommandContext;
  /** Called before a question is shown; what it gives is called when it is answered. */
  readonly onAsk: () => () => void;
}

/** Answers for calls that the rules leave open, by asking the person at the terminal, one question at a time. */
export function askPermission(options: AskOptions): CanUseTool {
  let previous: Promise<unknown> = Promise.resolve();
  let resume: (() => void) | undefined;
  let [asked, open] = [0, 0];
  return (tool, input, request) => {
    asked += 1;
    open += 1;
    const number = asked;
    const place = (): string => (asked === 1 ? "" : ` (${number} of ${asked})`);
    const answered = previous.then(async () => {
      // The terminal is left to all questions that wait, not given back between them.
      resume ??= options.onAsk();
      try {
        return request.signal.aborted ? denial(false) : await ask({ tool, input, request, place }, options);
      } finally {
        open -= 1;
        if (open === 0) {
          asked = 0;
          resume();
          resume = undefined;
        }
      }
    });
    previous = answered.catch(() => {});
    return answered;
  };
}

interface Question {
  readonly tool: string;
  readonly input: Parameters<CanUseTool>[1];
  readonly request: Request;
  /** Which it is of those that were asked at once, " (2 of 3)"; nothing where it is alone. */
  readonly place: () => string;
}

async function ask({ tool, input, request, place }: Question, options: AskOptions): Promise<PermissionResult> {
  const { read, isPaged, isRisky, isConfined } = await showCall(tool, input, request, options);
  if (read !== "all") return denial(read === "cancelled");
  const answer = await select<Answer>({
    message: `Allow ${plainLine(tool)}?${place()}`,
    options: [
      { value: "yes", label: "Yes" },
      // A rule would hold for calls that nobody is told about.
      ...(request.suppressAlwaysAllowRule || isRisky
        ? []
        : [{ value: "always" as const, label: "Always", hint: alwaysHint(tool, request) }]),
      { value: "no", label: "No" },
    ],
    // A stray key lets nothing out of the workspace; and whoever leafs through pages with the Enter key has not said yes yet.
    initialValue: request.defaultToNo || isRisky || isPaged || !isConfined ? "no" : "yes",
    signal: request.signal,
  });
  if (answer === "yes") return { behavior: "allow", updatedInput: input };
  if (answer === "always")
    return { behavior: "allow", updatedInput: input, updatedPermissions: forSession(tool, request) };
  // In a question the terminal hands Ctrl-C over as a key, not as a signal: the CLI is told to end the turn.
  return denial(isCancel(answer));
}

function denial(interrupt: boolean): PermissionResult {
  return { behavior: "deny", message: "The user did not allow this.", interrupt };
}

/** What is allowed for good is allowed in this session only: settings files are the user's to write. */
function forSession(tool: string, { suggestions }: Request): PermissionUpdate[] {
  if (suggestions && suggestions.length > 0) {
    return suggestions.map((suggestion) => ({ ...suggestion, destination: "session" }));
  }
  return [{ type: "addRules", rules: [{ toolName: tool }], behavior: "allow", destination: "session" }];
}

function alwaysHint(tool: string, request: Request): string {
  const parts = forSession(tool, request).flatMap((update) => {
    switch (update.type) {
      case "addRules":
      case "replaceRules":
        return update.rules.map(({ toolName, ruleContent }) => `${toolName}${ruleContent ? `(${ruleContent})` : ""}`);
      case "addDirectories":
        return update.directories.map((directory) => `files in ${directory}`);
      case "setMode":
        return [`the mode ${update.mode}`];
      case "removeRules":
      case "removeDirectories":
        return [];
    }
  });
  return `${plainLine(parts.join(", "))} in this session`;
}
