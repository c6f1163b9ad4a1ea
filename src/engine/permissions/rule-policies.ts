import { homedir } from "node:os";
import { resolve } from "node:path";
import { areAllowing, findDenying } from "./match-rules.ts";
import { PASS, type PermissionPolicy } from "./permission-policy.ts";
import { parseRule } from "./rule-syntax.ts";

/** What paths in rules are read from. */
export interface RuleOptions {
  /** What relative paths start at: the agent's working directory; this process's by default. */
  readonly cwd?: string;
  /** What `~` stands for; the user's home by default. */
  readonly home?: string;
}

/** Allows what the rules cover whole, and has no opinion on the rest. */
export function allowRules(rules: readonly string[], options: RuleOptions = {}): PermissionPolicy {
  const parsed = rules.map(parseRule);
  const base = toBase(options);
  return async (request) => ((await areAllowing(parsed, request, base)) ? { type: "allow" } : PASS);
}

/** Denies what any rule touches, and has no opinion on the rest. */
export function denyRules(rules: readonly string[], options: RuleOptions = {}): PermissionPolicy {
  const parsed = rules.map(parseRule);
  const base = toBase(options);
  return async (request) => {
    const rule = await findDenying(parsed, request, base);
    if (!rule) return PASS;
    return { type: "deny", message: `${request.tool} was denied: the rule ${rule.source} forbids it, or might.` };
  };
}

function toBase({ cwd = process.cwd(), home = homedir() }: RuleOptions): {
  readonly cwd: string;
  readonly home: string;
} {
  return { cwd: resolve(cwd), home: resolve(home) };
}
