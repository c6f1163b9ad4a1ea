import { tmpdir } from "node:os";
import { z } from "zod";
import { dataHome, SkeinError } from "../../../core/internal.ts";
import type { ClaudeOptions } from "../../../engine/internal.ts";
import { makeOfflineConfig } from "../../../offline/internal.ts";
import {
  asData,
  askOffer,
  Check,
  describeSetUp,
  findParity,
  findSubsystems,
  installedVersion,
  ParitySection,
  readOwnPackage,
  readSdkTypes,
  runChecks,
  SDK_PACKAGE,
  SetUp,
  SubsystemData,
} from "../../../protocol/index.ts";
import { TraceIndex } from "../../../trace/internal.ts";
import { limitFlag, switchFlag } from "../../common-flags.ts";
import { costFields, paidText, toCostData } from "../../turn/paid-cost.ts";
import { defineCommand, type CommandContext } from "../../define-command.ts";
import { formatBytes, formatList, plainLine } from "../../../terminal/index.ts";
import { cwdFlag, findAgentFolder, openToRead } from "../../open-workspace.ts";
import { askOfferHere, offerFlags } from "../catalogue/offer.ts";

export const doctor = defineCommand({
  name: "doctor",
  summary: "Check what Skein needs on this machine",
  effects: { changes: "replaces", isRepeatable: true, reaches: "world" },
  args: z.object({
    fix: switchFlag(
      "End processes left over from a killed host, close a data folder that other users can read, repair damage from a power cut",
    ),
  }),
  data: z.strictObject({ checks: z.array(Check).describe("What was looked at, one entry each") }),
  errorDetails: z.object({ checks: z.array(Check).optional().describe("What was looked at, one entry each") }),
  async run(given, context) {
    const checks = await runChecks(context, given.fix);
    await context.print(formatChecks(checks, context));
    const failed = checks.filter(({ status }) => status === "fail");
    if (failed.length === 0) return { checks };
    throw new SkeinError(`Not ready: ${failed.map(({ name }) => name).join(", ")}`, {
      kind: "config",
      hint: failed.flatMap(({ fix }) => fix ?? []).join(" "),
      details: { checks },
    });
  },
});

function formatChecks(checks: readonly Check[], { terminal }: CommandContext): string {
  const { bold, dim, green, red, yellow } = terminal.colors;
  const marks = { ok: green("✓"), warn: yellow("!"), fail: red("✗"), unchecked: dim("-") };
  const width = Math.max(...checks.map(({ name }) => name.length)) + 1;
  const items = checks.map(({ name, status, detail, fix }) => ({
    mark: marks[status],
    text: `${bold(name.padEnd(width))} ${plainLine(detail)}`,
    notes: fix === undefined ? [] : [`→ ${fix}`],
  }));
  const notes = checks.some(({ status }) => status === "unchecked") ? `\n  ${dim("-  was not tried")}\n` : "";
  return `${formatList(items, terminal)}${notes}`;
}

export const summary = defineCommand({
  name: "summary",
  summary: "Report what is installed, offered and recorded",
  effects: { changes: "adds", isRepeatable: true, reaches: "world" },
  args: z.object({ ...offerFlags }),
  data: z.strictObject({
    cwd: z.string().describe("The workspace"),
    versions: z
      .strictObject({
        skein: z.string().describe("Skein's version"),
        sdk: z.string().nullable().describe("The Claude Agent SDK's; null where it is not installed"),
        cli: z.string().describe("Claude Code's"),
        node: z.string().describe("Node's"),
      })
      .describe("What is installed"),
    skein_commands: z.int().describe("How many commands Skein has"),
    offered: z
      .strictObject({
        commands: z.int().describe("Slash commands"),
        skills: z.int().describe("Skills"),
        tools: z.int().describe("Tools"),
        agents: z.int().describe("Kinds of sub-agents"),
        plugins: z.int().describe("Plugins"),
        mcp_servers: z.int().describe("Tool servers"),
      })
      .describe("How much Claude Code offers in this folder"),
    recorded: z
      .strictObject({
        conversations: z.int().describe("Conversations"),
        states: z.int().describe("States"),
        turns: z.int().describe("Turns"),
        ...costFields,
      })
      .describe("How much is recorded of this workspace"),
  }),
  examples: ["summary", "summary --cwd ./my-project --output-format json"],
  async run(given, context) {
    await using workspace = await openToRead(given.cwd, context);
    await using index = await TraceIndex.open(workspace);
    const offer = await askOfferHere({ ...given, cwd: workspace.path }, context);
    const { states, turns, ...costs } = await index.totals();
    return {
      cwd: workspace.path,
      versions: { ...installedParts(), cli: offer.cliVersion, node: process.versions.node },
      skein_commands: context.commands.list.length,
      offered: {
        commands: offer.commands.length,
        skills: offer.commands.filter(({ is_skill: isSkill }) => isSkill).length,
        tools: offer.tools.length,
        agents: offer.agents.length,
        plugins: offer.plugins.length,
        mcp_servers: offer.servers.length,
      },
      recorded: { conversations: (await workspace.states.conversations()).size, states, turns, ...toCostData(costs) },
    };
  },
  format({ cwd, versions, skein_commands: own, offered, recorded }) {
    const { conversations, states, turns } = recorded;
    const rows = (record: Readonly<Record<string, string | number | null>>): [string, string | number][] =>
      Object.entries(record).map(([name, value]) => [name.replaceAll("_", " "), value ?? "none"]);
    return [
      `# Summary of ${cwd}\n\n${own} commands of Skein; see \`skein manifest\`.\n`,
      `## Versions\n\n${markdownTable(["part", "version"], rows(versions))}`,
      `## Offered by the CLI here\n\n${markdownTable(["what", "count"], rows(offered))}`,
      `## Recorded here\n\n${markdownTable(["what", "count"], [...rows({ conversations, states, turns }), ["cost", paidText(recorded)]])}`,
    ].join("\n");
  },
});

export const setupReport = defineCommand({
  name: "setup-report",
  summary: "Report what an agent starts with here",
  effects: { changes: "nothing", isRepeatable: true, reaches: "world" },
  args: z.object({ cwd: cwdFlag }),
  data: z.strictObject({
    cwd: z.string().describe("The folder"),
    skein_version: z.string().describe("Skein's version"),
    sdk_version: z.string().nullable().describe("The Claude Agent SDK's; null where it is not installed"),
    data_home: z.string().describe("Where Skein keeps its own files"),
    setup: SetUp.describe("What was found on this machine"),
    is_ready: z.boolean().describe("Whether an agent can be run: no check failed"),
    checks: z.array(Check).describe("What was looked at, one entry each"),
  }),
  examples: ["setup-report", "setup-report --output-format json"],
  async run(given, context) {
    const cwd = await findAgentFolder(given.cwd, context);
    const setup = await describeSetUp(cwd, context);
    const checks = await runChecks(context, false);
    const { skein, sdk } = installedParts();
    return {
      cwd,
      skein_version: skein,
      sdk_version: sdk,
      data_home: dataHome(),
      setup,
      is_ready: checks.every(({ status }) => status !== "fail"),
      checks,
    };
  },
  format({ cwd, skein_version: skein, sdk_version: sdk, data_home: home, setup, checks, is_ready: isReady }) {
    const facts = [
      ["directory", cwd],
      ["Skein", skein],
      ["Claude Agent SDK", sdk ?? "not installed"],
      ["Claude Code CLI", `${setup.cli_version} (${setup.cli_path})`],
      ["Node", `${setup.node_version} (${setup.platform_name} ${setup.architecture})`],
      ["records", home],
      ["sandbox", setup.sandbox.available ? "available" : `missing: ${setup.sandbox.missing.join(", ")}`],
      ["credentials", setup.credentials.join(", ") || "none"],
      ["test command", setup.test_command ?? "none found"],
    ];
    return [
      `# Set-up report\n\n${isReady ? "Ready." : "Not ready."}\n`,
      markdownTable(["fact", "value"], facts),
      `## Checks\n\n${markdownTable(
        ["check", "status", "detail", "what to do"],
        checks.map(({ name, status, detail, fix = "" }) => [name, status, detail, fix]),
      )}`,
    ].join("\n");
  },
});

function installedParts(): { readonly skein: string; readonly sdk: string | null } {
  return { skein: readOwnPackage().version, sdk: installedVersion(SDK_PACKAGE) ?? null };
}

const Manifest = z.strictObject({
  name: z.string().describe("The package's name"),
  version: z.string().describe("Its version"),
  description: z.string().describe("What it says it is"),
  license: z.string().describe("Its license"),
  node: z.string().describe("The versions of Node that it runs on, as a range"),
  exports: z.array(z.string()).describe("What a program can import from it"),
  dependencies: z
    .array(
      z.strictObject({
        name: z.string().describe("The package's name"),
        range: z.string().describe("The versions of it that will do"),
        installed: z.string().nullable().describe("The version that is installed; null where it is not"),
        is_optional: z.boolean().describe("Whether Skein works without it"),
      }),
    )
    .describe("The packages that it needs"),
  commands: z
    .array(
      z.strictObject({
        name: z.string().describe("The command's name"),
        summary: z.string().describe("What it does, in one line"),
        heading: z.string().nullable().describe("The group of the help that it is in; null for none"),
      }),
    )
    .describe("Every command that Skein has"),
});

export const manifest = defineCommand({
  name: "manifest",
  summary: "Report the package, its needs and its commands",
  effects: { changes: "nothing", isRepeatable: true, reaches: "machine" },
  args: z.object({}),
  data: Manifest,
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
      commands: commands.list.map((command) => asData(Manifest.shape.commands.element, command)),
    };
  },
  format: (found) =>
    [
      `# ${found.name} ${found.version}\n\n${found.description}. Licence: ${found.license}. Node ${found.node}.\n`,
      `## Imports\n\n${found.exports.map((name) => `- \`${name}\`\n`).join("")}`,
      `## Dependencies\n\n${markdownTable(["name", "range", "installed"], found.dependencies.map(dependencyRow))}`,
      `## Commands (${found.commands.length})\n\n${markdownTable(
        ["command", "does"],
        found.commands.map((command) => [command.name, command.summary]),
      )}`,
    ].join("\n"),
});

type Dependency = z.infer<typeof Manifest>["dependencies"][number];

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
  args: z.object({ limit: limitFlag(32) }),
  data: z.strictObject({
    subsystems: z.array(SubsystemData).describe("Skein's rooms, in the order of the package"),
    count: z.int().describe("How many there are, listed or not"),
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
    sdk: z
      .strictObject({
        installed: z.string().nullable().describe("The version that is installed; null where it is not"),
        range: z.string().describe("The versions that Skein is tested with"),
      })
      .describe("The Claude Agent SDK that was looked at"),
    cli_version: z.string().describe("Claude Code's version"),
    new_count: z.int().describe("How many names are new to Skein in all sections"),
    sections: z.array(ParitySection).describe("What was compared, one kind of name each"),
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
      sdk: { installed: installedParts().sdk, range: readOwnPackage().dependencies[SDK_PACKAGE] ?? "" },
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
    const renamed = sections.flatMap(({ renamed: names }) => Object.entries(names));
    return [
      `# Parity audit\n\nClaude Code CLI ${cli}, SDK ${sdk.installed ?? "not installed"} (made for ${sdk.range}).`,
      count === 0 ? "Nothing is new." : `${count} names are new to Skein.`,
      `\n${markdownTable(["vocabulary", "found in", "offered", "known", "new"], rows)}`,
      ...(renamed.length === 0 ? [] : [`Another name here:\n\n${markdownTable(["theirs", "ours"], renamed)}`]),
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

/** A table in Markdown; a bar inside a cell would begin another, so it is escaped. */
function markdownTable(heads: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]): string =>
    `| ${cells.map((cell) => plainLine(String(cell)).replaceAll("|", "\\|")).join(" | ")} |\n`;
  return [heads, heads.map(() => "---"), ...rows].map(line).join("");
}
