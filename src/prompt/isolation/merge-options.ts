import type { ClaudeOptions } from "../../engine/index.ts";
import { SkeinError } from "../../core/index.ts";

/** What an isolation sets by itself, and a caller therefore cannot. */
const OWN = ["sandbox", "settingSources"] as const;

/** Puts what the isolation needs over the caller's options: lists are joined, the settings of both hold, the isolation's own first. */
export function mergeOptions(given: ClaudeOptions, own: ClaudeOptions): ClaudeOptions {
  const clash = OWN.find((name) => given[name] !== undefined);
  if (clash !== undefined) throw cannotBoth(clash, "leave it to the isolation's configuration");
  if (typeof given.settings === "string") throw cannotBoth("settings", "give them as an object, not as a file");
  return {
    ...given,
    ...own,
    settings: mergeSettings(given.settings ?? {}, (own.settings ?? {}) as Settings),
    additionalDirectories: [...(given.additionalDirectories ?? []), ...(own.additionalDirectories ?? [])],
    disallowedTools: [...(given.disallowedTools ?? []), ...(own.disallowedTools ?? [])],
    hooks: mergeHooks(given.hooks, own.hooks),
  };
}

type Settings = Readonly<Record<string, unknown>>;

/** Permission rules are joined; a switch of the isolation's own wins. */
function mergeSettings(given: Settings, own: Settings): NonNullable<ClaudeOptions["settings"]> {
  if ("sandbox" in given) throw cannotBoth("settings.sandbox", "leave it to the isolation's configuration");
  const [theirs, ours] = [(given["permissions"] ?? {}) as Settings, (own["permissions"] ?? {}) as Settings];
  const deny = [...((theirs["deny"] ?? []) as string[]), ...((ours["deny"] ?? []) as string[])];
  return { ...given, ...own, permissions: { ...theirs, ...ours, deny } };
}

function mergeHooks(
  given: ClaudeOptions["hooks"] = {},
  own: ClaudeOptions["hooks"] = {},
): NonNullable<ClaudeOptions["hooks"]> {
  const before = [...(own.PreToolUse ?? []), ...(given.PreToolUse ?? [])];
  return { ...given, ...own, ...(before.length > 0 ? { PreToolUse: before } : {}) };
}

function cannotBoth(option: string, hint: string): SkeinError {
  return new SkeinError(`${option} cannot be set for an isolated turn: ${hint}`, {
    kind: "usage",
    target: option,
  });
}
