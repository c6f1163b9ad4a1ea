import { tokenize, type Token } from "./tokenize.ts";

/** A module that another one names: by `import`, `import type`, `export … from` or `import()`. */
export interface ModuleReference {
  readonly specifier: string;
  readonly line: number;
}

/** What the architecture check needs to know of a module; numbers are lines. */
export interface ModuleOutline {
  readonly references: readonly ModuleReference[];
  readonly starExports: readonly number[];
  readonly defaultExports: readonly number[];
  readonly consoleUses: readonly number[];
  /** Lines with anything but `export { … } from "…"`. */
  readonly logic: readonly number[];
}

/** Reads a module's imports and exports from its source, without a compiler. */
export function readModule(source: string): ModuleOutline {
  const tokens = tokenize(source);
  const references: ModuleReference[] = [];
  const starExports: number[] = [];
  const defaultExports: number[] = [];
  const consoleUses: number[] = [];
  const logic = new Set<number>();
  let index = 0;
  while (index < tokens.length) {
    const statement = readStatement(tokens, index);
    const { line } = tokens[index] as Token;
    if (statement.specifier !== undefined) references.push({ specifier: statement.specifier, line });
    if (statement.type === "star") starExports.push(line);
    if (statement.type === "default" || statement.namesDefault) defaultExports.push(line);
    if (statement.type === "console") consoleUses.push(line);
    if (statement.type !== "re-export") logic.add(line);
    index += statement.length;
    if (statement.type === "re-export" && tokens[index]?.text === ";") index += 1;
  }
  return { references, starExports, defaultExports, consoleUses, logic: [...logic] };
}

interface Statement {
  readonly type: "import" | "star" | "default" | "re-export" | "console" | "other";
  readonly length: number;
  readonly specifier?: string | undefined;
  /** True for `export { x as default }`. */
  readonly namesDefault?: boolean;
}

const OTHER: Statement = { type: "other", length: 1 };

function readStatement(tokens: readonly Token[], index: number): Statement {
  const token = tokens[index];
  const isProperty = tokens[index - 1]?.text === "." && tokens[index - 2]?.text !== ".";
  if (token?.type !== "word" || isProperty) return OTHER;
  if (token.text === "import") return readImport(tokens, index);
  if (token.text === "export") return readExport(tokens, index);
  if (token.text === "console" && tokens[index + 1]?.text === ".") return { type: "console", length: 1 };
  return OTHER;
}

function readImport(tokens: readonly Token[], index: number): Statement {
  const next = tokens[index + 1];
  if (next?.type === "string") return { type: "import", length: 2, specifier: next.text };
  if (next?.text === "(") {
    const argument = tokens[index + 2];
    return { type: "import", length: 2, specifier: argument?.type === "string" ? argument.text : undefined };
  }
  if (next?.type !== "word" && next?.text !== "{" && next?.text !== "*") return OTHER;
  const from = findFrom(tokens, index + 1);
  return from === undefined ? OTHER : { type: "import", length: from.end - index, specifier: from.specifier };
}

function readExport(tokens: readonly Token[], index: number): Statement {
  const isTypeOnly = tokens[index + 1]?.text === "type" && ["{", "*"].includes(tokens[index + 2]?.text ?? "");
  const open = isTypeOnly ? index + 2 : index + 1;
  const kind = tokens[open]?.text;
  if (kind === "default") return { type: "default", length: 2 };
  if (kind === "*") {
    const from = findFrom(tokens, open);
    return { type: "star", length: from ? from.end - index : 2, specifier: from?.specifier };
  }
  if (kind !== "{") return OTHER;
  const close = tokens.findIndex((token, place) => place > open && token.text === "}");
  if (close === -1) return OTHER;
  const namesDefault = tokens
    .slice(open, close)
    .some((token, place, list) => token.text === "default" && list[place - 1]?.text === "as");
  const from = tokens[close + 1]?.text === "from" ? tokens[close + 2] : undefined;
  if (from?.type !== "string") return { type: "other", length: close + 1 - index, namesDefault };
  return { type: "re-export", length: close + 3 - index, specifier: from.text, namesDefault };
}

/** Finds `from "…"` before the statement can have ended. */
function findFrom(tokens: readonly Token[], start: number): { specifier: string; end: number } | undefined {
  for (let index = start; index < tokens.length; index += 1) {
    const token = tokens[index];
    const next = tokens[index + 1];
    if (token?.text === "from" && next?.type === "string") return { specifier: next.text, end: index + 2 };
    if (token?.type === "string" || [";", "=", "("].includes(token?.text ?? "")) return undefined;
  }
  return undefined;
}
