import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const DOC = /^\/\*\*([\s\S]*?)\*\//;
const RE_EXPORT = /export (?:type )?\{([^}]*)\} from "([^"]+)"/g;
const IMPORT = /import (?:type )?(?:\w+, )?\{([^}]*)\} from "(\.[^"]+)"/g;
const DECLARATION =
  /^(?:export )?(?:declare )?(?:abstract )?(class|interface|type|function\*?|const|let|var|enum) ([\w$]+)/;

/** Reads a file of declarations, as tsc writes it: what it declares by name, and where the names of others come from. */
export function readDeclarations(file) {
  const text = readFileSync(file, "utf8");
  const declared = new Map();
  let docs = "";
  for (const statement of statementsOf(text)) {
    const [comment, doc] = DOC.exec(statement) ?? [""];
    const code = statement.slice(comment.length).trim();
    if (code === "") docs = doc;
    const [, kind, name] = DECLARATION.exec(code) ?? [];
    if (name === undefined) continue;
    // An overloaded function is one name with several signatures.
    const known = declared.get(name) ?? { name, kind: kind.replace("*", ""), doc: "", code: [] };
    declared.set(name, { ...known, doc: known.doc || plain(doc ?? docs ?? ""), code: [...known.code, code] });
    docs = "";
  }
  return { declared, reexported: sourcesOf(file, text, RE_EXPORT), imported: sourcesOf(file, text, IMPORT) };
}

/** A class's or an interface's members, each on one line, with what is said of it; nothing private. */
export function membersOf(code) {
  const body = code.split("\n").slice(1, -1);
  const members = [];
  let doc = "";
  let lines = [];
  let isDoc = false;
  for (const line of body) {
    const text = line.trim();
    if (lines.length === 0 && (isDoc || text.startsWith("/**"))) {
      doc = isDoc ? `${doc}\n${text}` : text;
      isDoc = !text.endsWith("*/");
      continue;
    }
    lines.push(line);
    // A member ends where one of its depth closes: deeper lines are set in further.
    if (!(/^ {4}\S/.test(line) && text.endsWith(";"))) continue;
    const signature = withoutComments(lines.join("\n")).replaceAll(/\s+/g, " ").trim().slice(0, -1);
    if (!/^(?:#|private |protected )/.test(signature))
      members.push({ signature, doc: plain(DOC.exec(doc)?.[1] ?? "") });
    doc = "";
    lines = [];
  }
  return members;
}

function* statementsOf(text) {
  let lines = [];
  let isDoc = false;
  for (const line of text.split("\n")) {
    if (lines.length === 0 && line.trim() === "") continue;
    lines.push(line);
    if (lines.length === 1 && line.startsWith("/**")) isDoc = true;
    if (isDoc) {
      isDoc = !line.includes("*/");
      continue;
    }
    // A statement ends with a line that is not set in and closes it. In a union, `}` may stand alone before the next part.
    const isType = lines.some((begun) => /^(?:export )?(?:declare )?type /.test(begun));
    if (!/^\S/.test(line) || !(line.endsWith(";") || (line === "}" && !isType))) continue;
    yield lines.join("\n");
    lines = [];
  }
  if (lines.length > 0) yield lines.join("\n");
}

/** By the name that is used here: the file, and what it is called there. */
function sourcesOf(file, text, pattern) {
  const entries = [...text.matchAll(pattern)].flatMap(([, names, specifier]) =>
    names
      .split(",")
      .map((name) => name.trim().replace(/^type /, ""))
      .filter((name) => name !== "")
      .map((name) => {
        const [there, here = there] = name.split(" as ");
        return [here, { file: join(dirname(file), specifier.replace(/\.[jt]s$/, ".d.ts")), name: there }];
      }),
  );
  return new Map(entries);
}

const withoutComments = (code) => code.replaceAll(/\/\*\*[\s\S]*?\*\//g, "");

function plain(doc) {
  return doc
    .replaceAll(/^\s*\* ?/gm, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}
