import { ownValue } from "../../core/internal.ts";
import { type BytePath, joinBytePath, lookAt, readSmallFile, toSystemPath, tryLookAt } from "../../git/index.ts";

/** Reads the `.skeinignore` files of a tree as they are asked for, each once. */
export function createSkeinIgnore(root: BytePath): (path: BytePath) => SkeinRule["verdict"] | undefined {
  const known = new Map<BytePath, readonly RuledFolder[]>();
  /** The folder and those above it that have rules, the deepest first. */
  const ruledFolders = (folder: BytePath): readonly RuledFolder[] => {
    const found = known.get(folder);
    if (found) return found;
    const above = folder === "" ? [] : ruledFolders(folder.slice(0, Math.max(folder.lastIndexOf("/"), 0)));
    const rules = readRules(root, folder);
    const start = folder === "" ? 0 : folder.length + 1;
    const all = rules.length === 0 ? above : [{ start, rules }, ...above];
    known.set(folder, all);
    return all;
  };
  return (path) => {
    let isFolder: boolean | undefined;
    const mayMatch = (rule: SkeinRule): boolean => {
      if (rule.foldersOnly) isFolder ??= lookAt(toSystemPath(`${root}/${path}`))?.isDirectory() ?? false;
      return !rule.foldersOnly || isFolder === true;
    };
    // The deepest file has the last word, and in it the last line that fits.
    for (const { start, rules } of ruledFolders(path.slice(0, Math.max(path.lastIndexOf("/"), 0)))) {
      const below = path.slice(start);
      const rule = rules.findLast((each) => each.pattern.test(below) && mayMatch(each));
      if (rule) return rule.verdict;
    }
    return undefined;
  };
}

/** What is in the folder has its path below it from this character on. */
interface RuledFolder {
  readonly start: number;
  readonly rules: readonly SkeinRule[];
}

interface SkeinRule {
  readonly verdict: "ignored" | "taken";
  readonly foldersOnly: boolean;
  readonly pattern: RegExp;
}

function readRules(root: BytePath, folder: BytePath): readonly SkeinRule[] {
  const path = toSystemPath(joinBytePath(joinBytePath(root, folder), ".skeinignore"));
  // Most folders have none, and to look costs less than to fail to open.
  const text = tryLookAt(path) ? (readSmallFile(path)?.toString("latin1") ?? "") : "";
  return text
    .replace(/^\xef\xbb\xbf/, "")
    .split("\n")
    .flatMap(parseRule);
}

/** Reads one line as git reads a line of `.gitignore`. */
function parseRule(text: string): readonly SkeinRule[] {
  if (text.startsWith("#")) return [];
  const line = text.replace(/\r$/, "").replace(/(?<!\\) +$/, "");
  const isTaken = line.startsWith("!");
  const bare = isTaken ? line.slice(1) : line;
  const foldersOnly = bare.endsWith("/");
  const glob = foldersOnly ? bare.slice(0, -1) : bare;
  if (glob === "") return [];
  const isAnchored = glob.includes("/");
  const source = toSource(isAnchored ? glob.replace(/^\//, "") : `**/${glob}`);
  if (source === undefined) return [];
  return [{ verdict: isTaken ? "taken" : "ignored", foldersOnly, pattern: new RegExp(`^${source}$`, "s") }];
}

/** The glob as a regular expression; undefined for one that can match nothing, such as an open bracket. */
function toSource(glob: string): string | undefined {
  let source = "";
  for (let rest = glob; rest !== "";) {
    const part = nextPart(rest, source === "" || source.endsWith("/"));
    if (part === undefined) return undefined;
    source += part.source;
    rest = rest.slice(part.length);
  }
  return source;
}

function nextPart(rest: string, atStart: boolean): { readonly source: string; readonly length: number } | undefined {
  if (atStart && rest.startsWith("**/")) return { source: "(?:.*/)?", length: 3 };
  if (atStart && rest === "**") return { source: ".*", length: 2 };
  const stars = /^\*+/.exec(rest)?.[0].length;
  if (stars !== undefined) return { source: "[^/]*", length: stars };
  if (rest.startsWith("?")) return { source: "[^/]", length: 1 };
  if (rest.startsWith("[")) return bracket(rest);
  const escaped = rest.startsWith("\\");
  const char = rest[escaped ? 1 : 0];
  return char === undefined ? undefined : { source: literal(char), length: escaped ? 2 : 1 };
}

function bracket(rest: string): { readonly source: string; readonly length: number } | undefined {
  const found = /^\[([!^]?)((?:\]|\[:\w+:\]|\\.|[^\]\\])(?:\[:\w+:\]|\\.|[^\]\\])*)\]/s.exec(rest);
  if (!found) return undefined;
  const [whole, not = "", inside = ""] = found;
  const members = inside.replaceAll(/\[:(\w+):\]|\\(.)|(.)/gs, (_, name?: string, escaped?: string, char?: string) => {
    if (name !== undefined) return ownValue(CLASSES, name) ?? "";
    return escaped === undefined && char === "-" ? "-" : literal(escaped ?? char ?? "");
  });
  return { source: not === "" ? `(?!/)[${members}]` : `(?!/)[^${members}]`, length: whole.length };
}

function literal(char: string): string {
  return /[\w/]/.test(char) ? char : `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`;
}

const CLASSES: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  blank: " \\t",
  cntrl: "\\x00-\\x1f\\x7f",
  digit: "0-9",
  graph: "\\x21-\\x7e",
  lower: "a-z",
  print: "\\x20-\\x7e",
  punct: "\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e",
  space: "\\s",
  upper: "A-Z",
  xdigit: "0-9A-Fa-f",
};
