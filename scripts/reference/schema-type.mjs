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
 * `reads` is `input` for what it takes, and `output` for what it gives.
 */
export function schemaType(text, reads = "output") {
  const tokens = (text.match(TOKEN) ?? []).filter((token) => token.trim() !== "");
  const parser = createParser(tokens, reads);
  const type = parser.readType();
  if (!parser.isDone()) throw new Error(`a schema's type that cannot be read here: ${text.slice(0, 200)}`);
  return type;
}

/** Each `read…` gives an object with the `text` of a type, and whether a field of that type `isOptional`. */
function createParser(tokens, reads) {
  let at = 0;
  const peek = () => tokens[at];
  const take = (wanted) => {
    const token = tokens[at];
    if (token === undefined || (wanted !== undefined && token !== wanted))
      throw new Error(`${wanted ?? "a type"} is expected before ${tokens.slice(at, at + 8).join(" ")}`);
    at += 1;
    return token;
  };

  function readType() {
    if (peek() === "|") take();
    const parts = [readIntersection()];
    while (peek() === "|") {
      take();
      parts.push(readIntersection());
    }
    return joined(parts, " | ");
  }

  function readIntersection() {
    const parts = [readPostfix()];
    while (peek() === "&") {
      take();
      parts.push(readPostfix());
    }
    return parts.length > 1 && parts.every(({ fields }) => fields)
      ? objectOf(parts.flatMap(({ fields }) => fields))
      : joined(parts, " & ");
  }

  function readPostfix() {
    if (peek() === "readonly") {
      take();
      const inner = readPostfix();
      return { ...inner, text: `readonly ${inner.text}` };
    }
    let type = readPrimary();
    while (peek() === "[") {
      take();
      const index = peek() === "]" ? "" : readType().text;
      take("]");
      type = {
        text: `${/[|&] /.test(type.text) && index === "" ? `(${type.text})` : type.text}[${index}]`,
        element: type,
      };
    }
    return type;
  }

  function readPrimary() {
    const token = take();
    if (token === "(") {
      const end = closing(at);
      if (tokens[end + 1] === "=>") {
        const parameters = tokens.slice(at, end).join(" ");
        at = end + 2;
        return { text: `((${parameters}) => ${readType().text})` };
      }
      const inner = readType();
      take(")");
      return inner;
    }
    if (token === "{") return readObject();
    if (token === "[") return { items: readList("]"), text: "" };
    if (token === "typeof" || token === "keyof") return { text: `${token} ${readPostfix().text}` };
    const args = peek() === "<" ? (take(), readList(">")) : [];
    const schema = /^z\.Zod(\w+)$/.exec(token)?.[1];
    if (schema !== undefined) return schemaOf(schema, args, reads);
    return { text: args.length > 0 ? `${token}<${args.map(({ text }) => text).join(", ")}>` : token };
  }

  function closing(from) {
    let depth = 1;
    for (let index = from; index < tokens.length; index += 1) {
      if (tokens[index] === "(") depth += 1;
      if (tokens[index] === ")") depth -= 1;
      if (depth === 0) return index;
    }
    throw new Error("a parenthesis is not closed");
  }

  function readList(end) {
    const types = [];
    while (peek() !== end) {
      types.push(readType());
      if (peek() === ",") take();
    }
    take(end);
    return types;
  }

  function readObject() {
    const fields = [];
    while (peek() !== "}") {
      const doc = peek().startsWith("/**") ? take() : undefined;
      const isReadonly = peek() === "readonly" && tokens[at + 1] !== ":";
      if (isReadonly) take();
      let name = take();
      if (name === "[") {
        const key = take();
        take(":");
        name = `[${key}: ${readType().text}]`;
        take("]");
      }
      const isMarked = peek() === "?";
      if (isMarked) take();
      take(":");
      const type = readType();
      if (peek() === ";") take();
      fields.push({ doc, name, type, isOptional: isMarked || type.isOptional === true });
    }
    take("}");
    return objectOf(fields);
  }

  return { readType, isDone: () => at === tokens.length };
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
