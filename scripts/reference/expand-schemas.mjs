import { schemaType } from "./schema-type.mjs";

const OF_SCHEMA = /z\.(infer|input|output)<typeof ([\w$]+)>/g;
const OF_LISTED = /z\.(infer|input|output)<\(typeof ([\w$]+)\)\[(?:number|keyof typeof \2)\]>/g;
const OF_FIELDS =
  /\{\s*readonly \[(\w+) in keyof typeof ([\w$]+)\]\?: z\.(infer|input|output)<\(typeof \2\)\[\1\]>;\s*\}/g;
const OF_WORDS = /\(typeof ([A-Z_]+)\)\[number\]/g;
const OF_KEYS = /keyof typeof ([A-Z_]+)/g;

/** A part of a file with the types in it that stand there as "what this schema reads" written out. */
export function expandSchemas(text, file, { find }) {
  const typeOf = (name, reads) => {
    const { code } = find(file, name).declaration;
    const [, type] = /^[^:]*: ([\s\S]*);$/.exec(code[0].replace(/^export /, ""));
    return schemaType(type, reads === "input" ? "input" : "output");
  };
  return text
    .replaceAll(OF_FIELDS, (_, key, name, reads) => allOptional(typeOf(name, reads)))
    .replaceAll(OF_LISTED, (_, reads, name) => oneOf(typeOf(name, reads)))
    .replaceAll(OF_SCHEMA, (_, reads, name) => typeOf(name, reads).text)
    .replaceAll(OF_WORDS, (_, name) =>
      typeOf(name)
        .items.map((item) => item.text)
        .join(" | "),
    )
    .replaceAll(OF_KEYS, (_, name) =>
      typeOf(name)
        .fields.map((field) => (field.name.startsWith('"') ? field.name : `"${field.name}"`))
        .join(" | "),
    );
}

/** An object's fields, of which each may be left out. */
function allOptional({ text }) {
  return text.replaceAll(/^( {4}(?:readonly )?\w+):/gm, "$1?:");
}

/** One of a list's elements, or of an object's values. */
function oneOf({ element, fields }) {
  return element ? element.text : fields.map(({ type }) => type.text).join(" | ");
}
