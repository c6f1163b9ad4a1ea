const TOKEN = /\s+|\/\*\*[\s\S]*?\*\/|"(?:[^"\\]|\\.)*"|`[^`]*`|[A-Za-z_$][\w$.]*|-?\d[\d._]*|=>|\.\.\.|[^\s]/g;
const PLAIN = {
  String: "string",
  Number: "number",
  Int: "number",
  CoercedNumber: "number",
  Boolean: "boolean",
  Unknown: "unknown",
  Null: "null",
  JSONSchema: "unknown",
  ISODateTime: "string",
  GUID: "string",
  URL: "string",
};
const TRANSPARENT = new Set(["Type", "Custom", "InstanceOf", "Prefault", "NonOptional", "Lazy"]);
const WIDTH = 110;

/**
 * The type that a Zod schema reads, written as a person would. `text` is the schema's type, as tsc writes it into a declaration;
 * `reads` is `input` for what it takes, and `output` for what it gives. Besides its `text`, a type tells its `fields`, the `items` of a
 * tuple, the `element` of a list, and whether a field of that type `isOptional`.
 */
export function schemaType(text, reads = "output") {
  const tokens = (text.match(TOKEN) ?? []).filter((token) => token.trim() !== "");
  const cursor = { tokens, at: 0, reads };
  const type = readType(cursor);
  if (cursor.at < tokens.length) throw new Error(`a schema's type that cannot be read here: ${text.slice(0, 200)}`);
  return type;
}

const peek = ({ tokens, at }) => tokens[at];

function take(cursor, wanted) {
  const token = peek(cursor);
  if (token === undefined || (wanted !== undefined && token !== wanted))
    throw new Error(
      `${wanted ?? "a type"} is expected before ${cursor.tokens.slice(cursor.at, cursor.at + 8).join(" ")}`,
    );
  cursor.at += 1;
  return token;
}

function isTaken(cursor, token) {
  if (peek(cursor) !== token) return false;
  cursor.at += 1;
  return true;
}

function readType(cursor) {
  isTaken(cursor, "|");
  const parts = [readIntersection(cursor)];
  while (isTaken(cursor, "|")) parts.push(readIntersection(cursor));
  return joined(parts, " | ");
}

function readIntersection(cursor) {
  const parts = [readPostfix(cursor)];
  while (isTaken(cursor, "&")) parts.push(readPostfix(cursor));
  return parts.length > 1 && parts.every(({ fields }) => fields)
    ? objectOf(parts.flatMap(({ fields }) => fields))
    : joined(parts, " & ");
}

function readPostfix(cursor) {
  if (isTaken(cursor, "readonly")) {
    const inner = readPostfix(cursor);
    return { ...inner, text: `readonly ${inner.text}` };
  }
  let type = readPrimary(cursor);
  while (isTaken(cursor, "[")) {
    const index = peek(cursor) === "]" ? "" : readType(cursor).text;
    take(cursor, "]");
    const isUnion = index === "" && /[|&] /.test(type.text);
    type = { text: `${isUnion ? `(${type.text})` : type.text}[${index}]`, element: type };
  }
  return type;
}

function readPrimary(cursor) {
  const token = take(cursor);
  if (token === "(") return readParenthesis(cursor);
  if (token === "{") return readObject(cursor);
  if (token === "[") return { items: readList(cursor, "]"), text: "" };
  if (token === "typeof" || token === "keyof") return { text: `${token} ${readPostfix(cursor).text}` };
  const args = isTaken(cursor, "<") ? readList(cursor, ">") : [];
  const schema = /^z\.Zod(\w+)$/.exec(token)?.[1];
  if (schema !== undefined) return schemaOf(schema, args, cursor.reads);
  return { text: args.length > 0 ? `${token}<${args.map(({ text }) => text).join(", ")}>` : token };
}

/** A type in parentheses, or a function, whose parameters are taken as they are. */
function readParenthesis(cursor) {
  const end = closing(cursor);
  if (cursor.tokens[end + 1] === "=>") {
    const parameters = cursor.tokens.slice(cursor.at, end).join(" ");
    cursor.at = end + 2;
    return { text: `((${parameters}) => ${readType(cursor).text})` };
  }
  const inner = readType(cursor);
  take(cursor, ")");
  return inner;
}

function closing({ tokens, at }) {
  let depth = 1;
  for (let index = at; index < tokens.length; index += 1) {
    if (tokens[index] === "(") depth += 1;
    if (tokens[index] === ")") depth -= 1;
    if (depth === 0) return index;
  }
  throw new Error("a parenthesis is not closed");
}

function readList(cursor, end) {
  const types = [];
  while (!isTaken(cursor, end)) {
    types.push(readType(cursor));
    isTaken(cursor, ",");
  }
  return types;
}

function readObject(cursor) {
  const fields = [];
  while (!isTaken(cursor, "}")) {
    const doc = peek(cursor)?.startsWith("/**") ? take(cursor) : undefined;
    if (cursor.tokens[cursor.at + 1] !== ":") isTaken(cursor, "readonly");
    const name = isTaken(cursor, "[") ? readIndex(cursor) : take(cursor);
    const isMarked = isTaken(cursor, "?");
    take(cursor, ":");
    const type = readType(cursor);
    isTaken(cursor, ";");
    fields.push({ doc, name, type, isOptional: isMarked || type.isOptional === true });
  }
  return objectOf(fields);
}

function readIndex(cursor) {
  const key = take(cursor);
  take(cursor, ":");
  const { text } = readType(cursor);
  take(cursor, "]");
  return `[${key}: ${text}]`;
}

function schemaOf(name, args, reads) {
  const [first] = args;
  if (PLAIN[name] !== undefined) return { text: PLAIN[name] };
  if (TRANSPARENT.has(name)) return name === "Prefault" && reads === "input" ? { ...first, isOptional: true } : first;
  switch (name) {
    case "Object":
      return first ?? { text: "object" };
    case "Optional":
    case "ExactOptional":
      return { ...first, isOptional: true };
    case "Default":
      return reads === "input" ? { ...first, isOptional: true } : first;
    case "Nullable":
      return joined([first, { text: "null" }], " | ");
    case "Readonly":
      return first.isArray || first.isTuple ? { ...first, text: `readonly ${first.text}` } : first;
    case "Array":
      return {
        text: /[|&] /.test(first.text) && !first.fields ? `(${first.text})[]` : `${first.text}[]`,
        isArray: true,
      };
    case "Tuple":
      return { text: `[${first.items.map(({ text }) => text).join(", ")}]`, isTuple: true };
    case "Record":
      return { text: `Readonly<Record<${first.text}, ${args[1].text}>>` };
    case "Enum":
      return { text: (first.fields ?? []).map(({ type }) => type.text).join(" | ") || first.text };
    case "Literal":
      return first;
    case "Union":
    case "DiscriminatedUnion":
      return first.items ? joined(first.items, " | ") : (first.element ?? first);
    case "Pipe":
      return reads === "input" ? first : args[1];
    default:
      throw new Error(`no type is known here for z.Zod${name}`);
  }
}

function joined(parts, sign) {
  if (parts.length === 1) return parts[0];
  const texts = [...new Set(parts.map(({ text }) => text))];
  return { text: texts.join(sign), isOptional: parts.some(({ isOptional }) => isOptional) };
}

/** On one line where it fits and nothing is said of a field; else each field on its own. */
function objectOf(fields) {
  const lines = fields.map(({ name, type, isOptional }) => `${name}${isOptional ? "?" : ""}: ${type.text};`);
  const line = `{ ${lines.map((text) => text.slice(0, -1)).join("; ")} }`;
  const isShort = line.length <= WIDTH && !line.includes("\n") && fields.every(({ doc }) => doc === undefined);
  const whole = fields.flatMap(({ doc }, at) => [...(doc ? [doc.replaceAll(/\n\s*/g, "\n ")] : []), lines[at]]);
  const text = isShort ? (fields.length === 0 ? "{}" : line) : `{\n${whole.map(indent).join("\n")}\n}`;
  return { text, fields };
}

const indent = (text) => text.replaceAll(/^/gm, "    ");
