import { z } from "zod";
import { defineCommand } from "../define-command.ts";
import { markdownTable } from "../protocol/markdown-table.ts";
import { installedVersion, readOwnPackage } from "../../protocol/index.ts";

const data = z.strictObject({
  name: z.string(),
  version: z.string(),
  description: z.string(),
  license: z.string(),
  /** The versions of Node that it is made for. */
  node: z.string(),
  /** What programs can import. */
  exports: z.array(z.string()),
  dependencies: z.array(
    z.strictObject({
      name: z.string(),
      range: z.string(),
      /** Null where it is not installed. */
      installed: z.string().nullable(),
      is_optional: z.boolean(),
    }),
  ),
  commands: z.array(z.strictObject({ name: z.string(), summary: z.string(), heading: z.string().nullable() })),
});

/** Tells what is installed: the package, what it depends on, its commands. */
export const manifest = defineCommand({
  name: "manifest",
  summary: "Report the package, its needs and its commands",
  heading: "Reports:",
  effects: { changes: "nothing", isRepeatable: true, reaches: "machine" },
  args: z.object({}),
  data,
  examples: ["manifest", "manifest --output-format json"],
  async run(_, { commands }) {
    const own = readOwnPackage();
    return {
      name: own.name,
      version: own.version,
      description: own.description,
      license: own.license,
      node: own.engines["node"] ?? "",
      exports: Object.keys(own.exports).map((path) => path.replace(/^\./u, own.name)),
      dependencies: [...listed(own.dependencies, false), ...listed(own.optionalDependencies, true)],
      commands: commands.list.map(({ name, summary, heading = null }) => ({ name, summary, heading })),
    };
  },
  format: (found) =>
    [
      `# ${found.name} ${found.version}\n\n${found.description}. Licence: ${found.license}. Node ${found.node}.\n`,
      `## Imports\n\n${found.exports.map((name) => `- \`${name}\`\n`).join("")}`,
      `## Dependencies\n\n${markdownTable(["name", "range", "installed"], found.dependencies.map(dependencyRow))}`,
      `## Commands (${found.commands.length})\n\n${markdownTable(
        ["command", "does"],
        found.commands.map(({ name, summary }) => [name, summary]),
      )}`,
    ].join("\n"),
});

type Dependency = z.infer<typeof data>["dependencies"][number];

function listed(ranges: Readonly<Record<string, string>>, isOptional: boolean): readonly Dependency[] {
  return Object.entries(ranges).map(([name, range]) => ({
    name,
    range,
    installed: installedVersion(name) ?? null,
    is_optional: isOptional,
  }));
}

function dependencyRow({ name, range, installed, is_optional: isOptional }: Dependency): readonly string[] {
  return [name, range, `${installed ?? "not installed"}${isOptional ? " (optional)" : ""}`];
}
