import { homedir } from "node:os";
import { resolve } from "node:path";
import { commandOf, fileAccesses, resolvePath, type FileAccess, type PathBase } from "./file-access.ts";
import { PASS, type PermissionPolicy, type PermissionRequest } from "./permission-policy.ts";
import { coversPath, matchesCommandPattern, mayMatchCommandPattern, touchesPath } from "./rule-patterns.ts";
import { canonicalTool, parseRule, type PermissionRule } from "./rule-syntax.ts";
import { plainForms } from "./shell/plain-script.ts";
import { listProgramCalls } from "./shell/program-calls.ts";
import { readShell } from "./shell/read-shell.ts";

/**
 * Allows what the rules cover whole, and has no opinion on the rest. Relative paths in rules start at `cwd`, the agent's working directory
 * (this process's by default), and `~` stands for `home` (the user's by default).
 */
export function allowRules(rules: readonly string[], options: Partial<PathBase> = {}): PermissionPolicy {
  const parsed = rules.map(parseRule);
  const base = toBase(options);
  return async (request) => ((await areAllowing(parsed, request, base)) ? { type: "allow" } : PASS);
}

/** Denies what any rule touches, and has no opinion on the rest. */
export function denyRules(rules: readonly string[], options: Partial<PathBase> = {}): PermissionPolicy {
  const parsed = rules.map(parseRule);
  const base = toBase(options);
  return async (request) => {
    const rule = await findDenying(parsed, request, base);
    if (!rule) return PASS;
    return { type: "deny", message: `${request.tool} was denied: the rule ${rule.source} forbids it, or might.` };
  };
}

function toBase({ cwd = process.cwd(), home = homedir() }: Partial<PathBase>): PathBase {
  return { cwd: resolve(cwd), home: resolve(home) };
}

/** Whether the rules together cover all that a call does: every command in a line, every path. In doubt they do not. */
async function areAllowing(
  rules: readonly PermissionRule[],
  request: PermissionRequest,
  base: PathBase,
): Promise<boolean> {
  if (rules.some((rule) => matchesSimply(rule, request))) return true;
  const command = request.tool === "Bash" ? commandOf(request) : undefined;
  if (command !== undefined) return coverCommand(rules, command);
  const accesses = fileAccesses(request);
  for (const { access, path } of accesses) {
    const resolved = await resolvePath(path, base);
    const covered = await Promise.all(
      pathRules(rules, request.tool, access).map(({ pattern }) => coversPath(pattern, resolved, base)),
    );
    if (!covered.includes(true)) return false;
  }
  return accesses.length > 0;
}

/** The first rule that any part of a call falls under. In doubt it does. */
async function findDenying(
  rules: readonly PermissionRule[],
  request: PermissionRequest,
  base: PathBase,
): Promise<PermissionRule | undefined> {
  const simple = rules.find((rule) => matchesSimply(rule, request));
  if (simple) return simple;
  const command = commandOf(request);
  if (command !== undefined) return findDenyingCommand(rules, command);
  for (const { access, path } of fileAccesses(request)) {
    const resolved = await resolvePath(path, base);
    for (const rule of pathRules(rules, request.tool, access)) {
      if (await touchesPath(rule.pattern, resolved, base)) return rule;
    }
  }
  return undefined;
}

/** Rules that are about a call as a whole, and mean the same in both lists. */
function matchesSimply(rule: PermissionRule, { tool, input }: PermissionRequest): boolean {
  switch (rule.type) {
    case "tool":
      return rule.tool === canonicalTool(tool);
    case "mcp": {
      const name = `mcp__${rule.server}__${rule.tool}`;
      return name.endsWith("*") ? tool.startsWith(name.slice(0, -1)) : tool === name;
    }
    case "domain":
      return tool === "WebFetch" && matchesDomain(rule.domain, input["url"]);
    case "agent":
      return canonicalTool(tool) === "Agent" && (input["subagent_type"] ?? DEFAULT_AGENT) === rule.name;
    case "command":
    case "path":
      return false;
  }
}

/** What the CLI starts for a call that names no type. */
const DEFAULT_AGENT = "general-purpose";

/** The host itself; `*.` stands for all below it, and not for it. */
function matchesDomain(domain: string, url: unknown): boolean {
  if (typeof url !== "string" || !URL.canParse(url)) return false;
  const host = new URL(url).hostname.replace(/\.$/, "");
  return domain.startsWith("*.") ? host.endsWith(domain.slice(1)) : host === domain;
}

function coverCommand(rules: readonly PermissionRule[], source: string): boolean {
  const patterns = rules.filter((rule) => rule.type === "command").map(({ pattern }) => pattern);
  if (patterns.includes(source.trim())) return true;
  const { commands, isPlain } = readShell(source);
  if (!isPlain || commands.length === 0) return false;
  return commands.every((command) =>
    plainForms(command).some((form) => patterns.some((pattern) => matchesCommandPattern(pattern, form))),
  );
}

function findDenyingCommand(rules: readonly PermissionRule[], source: string): PermissionRule | undefined {
  const { calls, isOpaque } = listProgramCalls(source);
  const forms = [
    source.trim(),
    ...readShell(source).commands.flatMap(({ written, words }) => [written.join(" "), words.join(" ")]),
    ...calls.map(({ program, args }) => [program, ...args].join(" ")),
  ];
  const openForms = calls.flatMap(({ fixed, isOpen }) => (isOpen ? [fixed.join(" ")] : []));
  return rules.find(
    (rule) =>
      rule.type === "command" &&
      (isOpaque ||
        forms.some((form) => matchesCommandPattern(rule.pattern, form)) ||
        openForms.some((form) => mayMatchCommandPattern(rule.pattern, form))),
  );
}

/** Rules for `Edit` hold for every tool that writes, those for `Read` for every tool that reads. */
function pathRules(rules: readonly PermissionRule[], tool: string, access: FileAccess["access"]) {
  const general = access === "read" ? "Read" : "Edit";
  return rules.filter((rule) => rule.type === "path").filter((rule) => rule.tool === general || rule.tool === tool);
}
