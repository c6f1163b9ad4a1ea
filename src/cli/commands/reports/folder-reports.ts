import { z } from "zod";
import { TraceIndex } from "../../../trace/index.ts";
import { askOfferHere, offerFlags } from "../catalogue/offer.ts";
import { defineCommand } from "../../define-command.ts";
import { formatUsd } from "../../format-amounts.ts";
import { markdownTable } from "./markdown-table.ts";
import { openWorkspace, cwdFlag, findDirectory } from "../../open-workspace.ts";
import {
  installedVersion,
  readOwnPackage,
  SDK_PACKAGE,
  Check,
  runChecks,
  describeSetUp,
  SetUp,
} from "../../../protocol/index.ts";
import { dataHome } from "../../../core/index.ts";

export const summary = defineCommand({
  name: "summary",
  summary: "Report what is installed, offered and recorded",
  effects: { changes: "adds", isRepeatable: true, reaches: "world" },
  args: z.object({ ...offerFlags }),
  data: z.strictObject({
    cwd: z.string(),
    versions: z.strictObject({
      skein: z.string(),
      sdk: z.string().nullable(),
      cli: z.string(),
      node: z.string(),
    }),
    skein_commands: z.int(),
    offered: z.strictObject({
      commands: z.int(),
      skills: z.int(),
      tools: z.int(),
      agents: z.int(),
      plugins: z.int(),
      mcp_servers: z.int(),
    }),
    recorded: z.strictObject({ conversations: z.int(), states: z.int(), turns: z.int(), cost_usd: z.number() }),
  }),
  examples: ["summary", "summary --cwd ./my_project --output-format json"],
  async run(given, context) {
    await using workspace = await openWorkspace(given.cwd, context);
    await using index = await TraceIndex.open(workspace);
    const offer = await askOfferHere({ ...given, cwd: workspace.path }, context);
    const { states, turns, costUsd } = await index.totals();
    return {
      cwd: workspace.path,
      versions: {
        skein: readOwnPackage().version,
        sdk: installedVersion(SDK_PACKAGE) ?? null,
        cli: offer.cliVersion,
        node: process.versions.node,
      },
      skein_commands: context.commands.list.length,
      offered: {
        commands: offer.commands.length,
        skills: offer.commands.filter(({ is_skill: isSkill }) => isSkill).length,
        tools: offer.tools.length,
        agents: offer.agents.length,
        plugins: offer.plugins.length,
        mcp_servers: offer.servers.length,
      },
      recorded: {
        conversations: (await workspace.states.conversations()).size,
        states,
        turns,
        cost_usd: costUsd,
      },
    };
  },
  format({ cwd, versions, skein_commands: own, offered, recorded }) {
    const { cost_usd: cost, ...counts } = recorded;
    const rows = (record: Readonly<Record<string, string | number | null>>): [string, string | number][] =>
      Object.entries(record).map(([name, value]) => [name.replaceAll("_", " "), value ?? "none"]);
    return [
      `# Summary of ${cwd}\n\n${own} commands of Skein; see \`skein manifest\`.\n`,
      `## Versions\n\n${markdownTable(["part", "version"], rows(versions))}`,
      `## Offered by the CLI here\n\n${markdownTable(["what", "count"], rows(offered))}`,
      `## Recorded here\n\n${markdownTable(["what", "count"], [...rows(counts), ["cost", formatUsd(cost)]])}`,
    ].join("\n");
  },
});

export const setupReport = defineCommand({
  name: "setup-report",
  summary: "Report what an agent starts with here",
  effects: { changes: "nothing", isRepeatable: true, reaches: "world" },
  args: z.object({ cwd: cwdFlag }),
  data: z.strictObject({
    cwd: z.string(),
    skein_version: z.string(),
    sdk_version: z.string().nullable(),
    data_home: z.string(),
    setup: SetUp,
    /** Whether nothing that is needed is missing. */
    is_ready: z.boolean(),
    checks: z.array(Check),
  }),
  examples: ["setup-report", "setup-report --output-format json"],
  async run(given, context) {
    const cwd = await findDirectory(given.cwd, context);
    const setup = await describeSetUp(cwd, context);
    const { env, signal } = context;
    const checks = await runChecks({ env, signal, dataHome: dataHome(), fix: false });
    signal.throwIfAborted();
    return {
      cwd,
      skein_version: readOwnPackage().version,
      sdk_version: installedVersion(SDK_PACKAGE) ?? null,
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
