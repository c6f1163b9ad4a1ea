import { tmpdir } from "node:os";
import { z } from "zod";
import { defineCommand } from "../../define-command.ts";
import { markdownTable } from "./markdown-table.ts";
import {
  installedVersion,
  readOwnPackage,
  findSubsystems,
  SubsystemData,
  askOffer,
  findParity,
  ParitySection,
  readSdkTypes,
  SDK_PACKAGE,
} from "../../../protocol/index.ts";
import { formatBytes } from "../../format-amounts.ts";
import type { ClaudeOptions } from "../../../engine/index.ts";
import { makeOfflineConfig } from "../../../offline/index.ts";
import { limitFlag } from "../../common-flags.ts";

const data = z.strictObject({
  name: z.string(),
  version: z.string(),
  description: z.string(),
  license: z.string(),
  node: z.string(),
  exports: z.array(z.string()),
  dependencies: z.array(
    z.strictObject({
      name: z.string(),
      range: z.string(),
      installed: z.string().nullable(),
      is_optional: z.boolean(),
    }),
  ),
  commands: z.array(z.strictObject({ name: z.string(), summary: z.string(), heading: z.string().nullable() })),
});

export const manifest = defineCommand({
  name: "manifest",
  summary: "Report the package, its needs and its commands",
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
      dependencies: [...dependenciesOf(own.dependencies, false), ...dependenciesOf(own.optionalDependencies, true)],
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

function dependenciesOf(ranges: Readonly<Record<string, string>>, isOptional: boolean): readonly Dependency[] {
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

export const subsystems = defineCommand({
  name: "subsystems",
  summary: "List the parts of the installed package",
  effects: { changes: "nothing", isRepeatable: true, reaches: "machine" },
  args: z.object({
    limit: limitFlag(32),
  }),
  data: z.strictObject({
    subsystems: z.array(SubsystemData),
    /** How many there are, listed or not. */
    count: z.int(),
  }),
  examples: ["subsystems", "subsystems --output-format json"],
  async run({ limit }) {
    const all = await findSubsystems();
    return { subsystems: all.slice(0, limit), count: all.length };
  },
  format: ({ subsystems: listed, count }) =>
    `# Subsystems (${count})\n\n${markdownTable(
      ["name", "import", "files", "size", "exports"],
      listed.map(({ name, specifier, file_count: files, size_bytes: size, exports }) => [
        name,
        specifier ?? "",
        files,
        formatBytes(size),
        exports.length,
      ]),
    )}`,
});

export const parityAudit = defineCommand({
  name: "parity-audit",
  summary: "Report what is new in the installed CLI and SDK",
  effects: { changes: "nothing", isRepeatable: true, reaches: "machine" },
  args: z.object({}),
  data: z.strictObject({
    sdk: z.strictObject({ installed: z.string().nullable(), range: z.string() }),
    cli_version: z.string(),
    new_count: z.int(),
    sections: z.array(ParitySection),
  }),
  examples: ["parity-audit", "parity-audit --output-format json"],
  async run(_, context) {
    const types = readSdkTypes();
    const recordTypes = new Set<string>();
    // The folder plays no part: settings are not read, and nothing in it is looked at.
    const { tools, cliVersion } = await askOffer(tmpdir(), {
      ...context,
      options: await collectRecords((type) => recordTypes.add(type)),
    });
    const offered = { ...types, tools: tools.map(({ name }) => name), recordTypes: [...recordTypes] };
    const sections = [...findParity(offered)];
    return {
      sdk: {
        installed: installedVersion(SDK_PACKAGE) ?? null,
        range: readOwnPackage().dependencies[SDK_PACKAGE] ?? "",
      },
      cli_version: cliVersion,
      new_count: sections.reduce((sum, section) => sum + section.new.length, 0),
      sections,
    };
  },
  format({ sdk, cli_version: cli, new_count: count, sections }) {
    const rows = sections.map(
      ({ name, found_in: foundIn, offered_count: offered, known_count: known, new: unknown }) => [
        name.replaceAll("_", " "),
        foundIn,
        offered,
        known,
        unknown.join(", "),
      ],
    );
    return [
      `# Parity audit\n\nClaude Code CLI ${cli}, SDK ${sdk.installed ?? "not installed"} (made for ${sdk.range}).`,
      count === 0 ? "Nothing is new." : `${count} names are new to Skein.`,
      `\n${markdownTable(["vocabulary", "found in", "offered", "known", "new"], rows)}`,
    ].join("\n");
  },
});

/** Options that make the CLI hand over the records of its transcript; its own copy goes to the offline sessions. */
async function collectRecords(see: (type: string) => void): Promise<ClaudeOptions> {
  return {
    persistSession: true,
    env: { CLAUDE_CONFIG_DIR: await makeOfflineConfig() },
    sessionStore: {
      append: async (_, entries) => entries.forEach(({ type }) => see(type)),
      load: async () => null,
    },
  };
}
