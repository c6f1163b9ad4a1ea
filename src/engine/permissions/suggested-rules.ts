import type { PermissionUpdate } from "@anthropic-ai/claude-agent-sdk";
import type { SessionRequest } from "./open-questions.ts";
import { isNoLooser } from "./strictness.ts";

/** A rule that a person may allow with a call, so that nobody is asked about such calls again in the session. */
export interface SuggestedRule {
  readonly text: string;
  readonly update: PermissionUpdate;
}

/**
 * What may be allowed for good is allowed in this session only: settings files are the user's to write. Who answers from afar is offered no
 * mode that is looser than the one that the run was started with.
 */
export function suggestedRules(
  tool: string,
  { suggestions = [], suppressAlwaysAllowRule, session }: SessionRequest,
  { isRemote }: { readonly isRemote: boolean },
): readonly SuggestedRule[] {
  // A rule would hold for calls that nobody is told about.
  if (suppressAlwaysAllowRule) return [];
  const given: readonly PermissionUpdate[] =
    suggestions.length > 0
      ? suggestions
      : [{ type: "addRules", rules: [{ toolName: tool }], behavior: "allow", destination: "session" }];
  return given
    .filter((update) => !isRemote || update.type !== "setMode" || isNoLooser(update.mode, session?.permissionMode))
    .map((update) => ({ text: textOf(update), update: { ...update, destination: "session" as const } }))
    .filter(({ text }) => text !== "");
}

function textOf(update: PermissionUpdate): string {
  switch (update.type) {
    case "addRules":
    case "replaceRules":
      return update.rules
        .map(({ toolName, ruleContent }) => `${toolName}${ruleContent ? `(${ruleContent})` : ""}`)
        .join(", ");
    case "addDirectories":
      return update.directories.map((directory) => `files in ${directory}`).join(", ");
    case "setMode":
      return `the mode ${update.mode}`;
    case "removeRules":
    case "removeDirectories":
      return "";
  }
}
