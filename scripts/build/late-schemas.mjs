import { fileURLToPath } from "node:url";

const LATE = "\0late-zod";
const NAMES = "\0late-zod-names";

/** What of Zod makes schemas, as far as it is used here; in `iso` and `coerce` there are more. */
const MAKING = "string strictObject int array boolean object number enum literal record unknown looseObject union discriminatedUnion guid uuid custom instanceof null json url base64 stringbool preprocess any never undefined date email tuple bigint nan file int32 float64 symbol";
const MAKING_IN = { iso: ["datetime"], coerce: ["number"] };
/** What reads schemas. */
const READING = "toJSONSchema";
const KEPT = "core prettifyError NEVER ZodObject ZodOptional ZodDefault ZodPrefault ZodString ZodArray ZodBoolean ZodError ZodNumber ZodNullable ZodRecord ZodUnion";

/**
 * Makes the schemas of the bundle when they are first looked at. A command looks at 150 of them; those of every argument, result, event
 * and file around it are 1,660, which take Zod as long to make as Node takes to start.
 */
export function lateSchemas() {
  return {
    name: "late-schemas",
    resolveId(id, importer) {
      if (id === NAMES) return id;
      return id === "zod" && importer !== undefined && importer !== NAMES && !importer.includes("/node_modules/") ? LATE : undefined;
    },
    load(id) {
      if (id === LATE) return `export * as z from ${JSON.stringify(NAMES)};`;
      return id === NAMES ? namesModule() : undefined;
    },
  };
}

function namesModule() {
  const pure = "/* @__PURE__ */";
  const making = MAKING.split(" ").map((name) => `const late_${name} = ${pure} late(zod.${name}); export { late_${name} as ${name} };`);
  const groups = Object.entries(MAKING_IN).map(([group, names]) => {
    const members = names.map((name) => `${name}: ${pure} late(zod.${group}.${name})`);
    return `export const ${group} = { ${members.join(", ")} };`;
  });
  const reading = READING.split(" ").map((name) => `export const ${name} = ${pure} early(zod.${name});`);
  const runtime = fileURLToPath(new URL("late-schema.mjs", import.meta.url));
  return [
    `import { late, early } from ${JSON.stringify(runtime)};`,
    'import * as zod from "zod";',
    `export { ${KEPT.split(" ").join(", ")} } from "zod";`,
    ...making,
    ...groups,
    ...reading,
  ].join("\n");
}
