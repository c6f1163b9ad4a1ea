import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expandSchemas } from "./expand-schemas.mjs";
import { membersOf, readDeclarations } from "./read-declarations.mjs";

const NOTE = "<!-- Written by scripts/write-reference.mjs from the doc comments. -->";
const KINDS = { const: "Constant", type: "Type", class: "Class", interface: "Interface", function: "Function" };
const byText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const WORD = /\b(?:typeof )?[A-Za-z_$][\w$]*/g;

/** The pages of what can be imported, one a subpath, by their names; read from the declarations that the build wrote. */
export function apiPages(root) {
  const { name: packageName, exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const read = createReader();
  const doors = Object.entries(exports)
    .filter(([subpath]) => !subpath.endsWith(".json"))
    .map(([subpath, { types }]) => readDoor(packageName + subpath.slice(1), join(root, types), read))
    // What several subpaths give has its place in the more particular one.
    .toSorted((a, b) => b.specifier.split("/").length - a.specifier.split("/").length);
  const places = new Map();
  for (const { page, names } of doors)
    for (const { key, shown } of names) if (!places.has(key)) places.set(key, { page, shown });
  for (const door of doors) door.named = findNamed(door, { read, places });
  const inOrder = doors.toSorted((a, b) => byText(a.specifier, b.specifier));
  return new Map([
    ["README.md", indexPage(inOrder, places)],
    ...inOrder.map((door) => [door.page, doorPage(door, { read, places })]),
  ]);
}

function createReader() {
  const files = new Map();
  const open = (file) => {
    if (!files.has(file)) files.set(file, readDeclarations(file));
    return files.get(file);
  };
  /** Follows a name to the file that declares it; undefined for what another package declares. */
  const find = (file, name) => {
    const { declared, reexported, imported } = open(file);
    if (declared.has(name)) return { key: `${file}#${name}`, file, declaration: declared.get(name) };
    const next = reexported.get(name) ?? imported.get(name);
    return next && find(next.file, next.name);
  };
  return { open, find };
}

function readDoor(specifier, file, { open, find }) {
  const names = [...open(file).reexported.keys()].toSorted(byText).map((shown) => {
    const found = find(file, shown);
    if (found === undefined) throw new Error(`${file} gives ${shown}, which no file declares`);
    return { shown, ...found };
  });
  return { specifier, page: `${specifier.replaceAll("/", "-")}.md`, names };
}

/** Types that the public ones name, and that are not exported themselves: options, answers, parts. They get their place here. */
function findNamed({ page, names }, { read, places }) {
  const found = new Map();
  const waiting = names.filter(({ key }) => places.get(key).page === page);
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    for (const { word, key, file, declaration } of mentionsOf(next, read)) {
      if (places.has(key) || !["interface", "type"].includes(declaration.kind)) continue;
      places.set(key, { page, shown: word });
      const type = { shown: word, key, file, declaration };
      found.set(key, type);
      waiting.push(type);
    }
  }
  return [...found.values()].toSorted((a, b) => byText(a.shown, b.shown));
}

/** The declarations of this package that a declaration's visible text names, each once. */
function mentionsOf(name, read) {
  const { code, members } = visible(name, read);
  const words = new Set([code, ...members.map(({ signature }) => signature)].join("\n").match(WORD) ?? []);
  return [...words]
    .filter((word) => !word.startsWith("typeof ") && word !== name.declaration.name)
    .flatMap((word) => {
      const found = read.find(name.file, word);
      return found ? [{ word, ...found }] : [];
    });
}

/** What is shown of a declaration: its code, and its members where it has some. */
function visible({ file, declaration }, read) {
  const [first, ...more] = declaration.code.map((code) => code.replace(/^export /, "").replace(/^declare /, ""));
  const expanded = (text) => expandSchemas(text, file, read);
  if (declaration.kind === "class" || declaration.kind === "interface") {
    const head = first.split("\n")[0].replace(/ ?\{\}?$/, "");
    const members = membersOf(first).map(({ signature, doc }) => ({ signature: expanded(signature), doc }));
    return { code: [expanded(head), ...more].join("\n"), members };
  }
  // A schema and its type may have one name: what the schema reads is said by the type.
  const all = [first, ...more];
  const said = all.filter((code) => !/^const [\w$]+: z\.Zod/.test(code));
  return { code: expanded((said.length > 0 ? said : all).join("\n")), members: [] };
}

function indexPage(doors, places) {
  const parts = doors.map(({ specifier, page, names }) => {
    const links = names.map(({ shown, key }) => `[\`${shown}\`](${linkTo(places.get(key), "README.md")})`);
    return `## [\`${specifier}\`](${page})\n\n${links.join(", ")}`;
  });
  return `${NOTE}

# The library, name by name

What each subpath of the package gives, with signatures and what the source says of it. [The library, subpath by subpath](../guide/library.md)
says where to begin. Nothing else is meant for use.

${parts.join("\n\n")}
`;
}

function doorPage({ specifier, page, names, named }, context) {
  const own = names.filter(({ key }) => context.places.get(key).page === page);
  const others = names.filter(({ key }) => context.places.get(key).page !== page);
  const parts = [
    NOTE,
    `# \`${specifier}\``,
    ...(others.length === 0
      ? []
      : [
          elsewhere(
            own.length === 0 ? "All of this has" : `\`${specifier}\` also gives what has`,
            others,
            page,
            context,
          ),
        ]),
    ...own.map((name) => nameText(name, page, context)),
    ...(named.length === 0
      ? []
      : [
          "# Types that these name",
          "They are not exported: you need not name them to use what is above.",
          ...named.map((name) => nameText(name, page, context)),
        ]),
  ];
  return `${parts.join("\n\n")}\n`;
}

function elsewhere(beginning, names, page, { places }) {
  const lines = names.map(
    ({ shown, key, declaration }) =>
      `- [\`${shown}\`](${linkTo(places.get(key), page)}), ${kindOf({ declaration }).toLowerCase()}: ${declaration.doc}`,
  );
  return `${beginning} its place on the page of another subpath:\n\n${lines.join("\n")}`;
}

function nameText(name, page, { read, places }) {
  const { shown, declaration } = name;
  const { code, members } = visible(name, read);
  const list = members.map(({ signature, doc }) => `- \`${signature}\`${doc === "" ? "" : `: ${doc}`}`);
  const links = mentionsOf(name, read)
    .filter(({ key }) => places.has(key) && key !== name.key)
    .map(({ word, key }) => `[\`${word}\`](${linkTo(places.get(key), page)})`);
  return [
    `## \`${shown}\``,
    `${kindOf(name)}. ${declaration.doc}`.trim(),
    `\`\`\`ts\n${code}\n\`\`\``,
    ...(list.length === 0 ? [] : [list.join("\n")]),
    ...(links.length === 0 ? [] : [`See ${[...new Set(links)].toSorted(byText).join(", ")}.`]),
  ].join("\n\n");
}

/** What a name is; a schema counts as the type that it reads, and one of a type and a function at once is both. */
function kindOf({ declaration: { kind, code } }) {
  const isType = code.some((text) => /^(?:export )?type /.test(text));
  const word = isType ? KINDS.type : KINDS[kind];
  const isCalled = kind !== "function" && code.some((text) => /^(?:export )?declare function /.test(text));
  return isCalled ? `${word} and function` : word;
}

function linkTo({ page, shown }, from) {
  return `${page === from ? "" : page}#${shown.toLowerCase()}`;
}
