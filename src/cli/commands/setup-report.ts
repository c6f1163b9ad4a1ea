import { z } from "zod";
import { dataHome } from "../../core/index.ts";
import { defineCommand } from "../define-command.ts";
import {
  Check,
  runChecks,
  installedVersion,
  readOwnPackage,
  SDK_PACKAGE,
  describeSetUp,
  SetUp,
} from "../../protocol/index.ts";
import { markdownTable } from "../protocol/markdown-table.ts";
import { cwdFlag, findDirectory } from "../open-workspace.ts";

/** Tells what an agent is started with on this machine, and whether all of it is there. */
export const setupReport = defineCommand({
  name: "setup-report",
  summary: "Report what an agent starts with here",
  heading: "Reports:",
  effects: { changes: "nothing", isRepeatable: true, reaches: "world" },
  args: z.object({ cwd: cwdFlag }),
  data: z.strictObject({
    cwd: z.string(),
    skein_version: z.string(),
    sdk_version: z.string().nullable(),
    /** Where Skein keeps its records. */
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
