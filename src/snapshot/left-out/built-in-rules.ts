import { type BytePath, lookAt, toSystemPath } from "../../git/index.ts";

/** Why a path is left out though no ignore file names it: it is secret, or large and easily made again. */
export type Withholding = "secret" | "heavy";

/** Asked about what nothing else names. Not `dist` or `build`: an agent may be asked to make them. */
export function createBuiltInRules(root: BytePath): (path: BytePath) => Withholding | undefined {
  return (path) => {
    const rule = BUILT_IN_RULES.find(({ pattern }) => pattern.test(path));
    if (!rule) return undefined;
    const stats = rule.of === "anything" ? undefined : lookAt(toSystemPath(`${root}/${path}`));
    if (rule.of === "files" && stats?.isDirectory()) return undefined;
    if (rule.of === "folders" && stats?.isFile()) return undefined;
    const folder = path.slice(0, path.lastIndexOf("/") + 1);
    const isBeside = (name: string): boolean => lookAt(toSystemPath(`${root}/${folder}${name}`)) !== undefined;
    return rule.beside === undefined || rule.beside.some(isBeside) ? rule.why : undefined;
  };
}

interface BuiltInRule {
  readonly why: Withholding;
  readonly pattern: RegExp;
  /** A link counts as either. */
  readonly of: "files" | "folders" | "anything";
  /** It holds only where one of these is in the same folder. */
  readonly beside?: readonly string[];
}

/** The names whose coming and going changes what the rules say of other names in the same folder. */
export const RULE_MARKERS: ReadonlySet<BytePath> = new Set(["Cargo.toml", "pom.xml"]);

const BUILT_IN_RULES: readonly BuiltInRule[] = [
  { why: "secret", of: "anything", pattern: /(?:^|\/)\.env(?![^/]*\.(?:example|sample|template)$)[^/]*$/s },
  { why: "secret", of: "files", pattern: /(?:^|\/)id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/ },
  { why: "secret", of: "files", pattern: /\.(?:pem|key|p12|pfx|ppk|jks|keystore)$/ },
  { why: "secret", of: "files", pattern: /(?:^|\/)\.(?:netrc|git-credentials|credentials\.json)$/ },
  { why: "secret", of: "folders", pattern: /(?:^|\/)\.(?:ssh|gnupg|aws)$/ },
  { why: "heavy", of: "folders", pattern: /(?:^|\/)(?:node_modules|\.venv)$/ },
  { why: "heavy", of: "folders", pattern: /(?:^|\/)target$/, beside: [...RULE_MARKERS] },
  {
    why: "heavy",
    of: "folders",
    pattern:
      /(?:^|\/)(?:__pycache__|\.(?:mypy_cache|pytest_cache|ruff_cache|tox|nox|gradle|turbo|parcel-cache|pnpm-store|cache)|\.next\/cache)$/,
  },
];

/** The rules as a text that changes when they do: what was found out by other rules is found out again. */
export const BUILT_IN_RULES_KEY: string = BUILT_IN_RULES.map(({ pattern, of }) => `${of} ${pattern.source}`).join("\n");
