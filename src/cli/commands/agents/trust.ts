import { z } from "zod";
import { inspectFolder, openTrustStore, type FolderInspection } from "../../../engine/internal.ts";
import { defineCommand, type CommandContext } from "../../define-command.ts";
import { findAgentFolder } from "../../open-workspace.ts";
import { plainLine } from "../../../terminal/index.ts";
import { programLines, askTrust } from "../../require-trust.ts";
import { switchFlag, textFlag } from "../../common-flags.ts";

const data = z.strictObject({
  action: z
    .enum(["trusted", "not_trusted", "revoked", "shown", "listed"])
    .describe("What was done: the folder is trusted, is not, is trusted no more, was shown, or all were listed"),
  folder: z.string().nullable().describe("The folder's real path; null for the list"),
  is_trusted: z
    .boolean()
    .nullable()
    .describe(
      "Whether the folder is trusted as it is now, after the command; a folder that configures nothing needs no trust. Null for the list",
    ),
  executes: z
    .array(
      z.strictObject({
        file: z.string().describe("The settings file, below the folder"),
        what: z.string().describe("What it is: a hook, a tool server, a plugin …"),
        runs: z.string().describe("The command line, program or address"),
      }),
    )
    .describe("What the folder's own settings would run; empty for the list"),
  files: z.array(z.string()).describe("Every file that was looked at: a change in one of them asks again"),
  folders: z
    .array(
      z.strictObject({
        folder: z.string().describe("The trusted folder's real path"),
        trusted_at: z.string().describe("When it was trusted, ISO 8601"),
        is_changed: z.boolean().describe("Whether it would execute something else by now, or is gone"),
      }),
    )
    .describe("All folders that were trusted; empty but for the list"),
});

type Data = z.infer<typeof data>;

export const trust = defineCommand({
  name: "trust",
  summary: "Trust a folder's settings to run programs",
  effects: { changes: "replaces", isRepeatable: true, reaches: "machine" },
  args: z.object({
    cwd: textFlag("directory", "The folder (default: here)"),
    show: switchFlag("Only show what the folder would run; change nothing"),
    revoke: switchFlag("Stop trusting the folder"),
    list: switchFlag("List the trusted folders"),
  }),
  conflicts: ["show", "revoke", "list"],
  data,
  examples: ["trust", "trust --cwd ./my-project --show", "trust --cwd ./my-project --revoke", "trust --list"],
  async run(given, context) {
    if (given.list) return await listFolders(context);
    if (given.revoke) return await revokeTrust(given.cwd ?? (await findAgentFolder(undefined, context)));
    const inspection = await inspectFolder(await findAgentFolder(given.cwd, context), context);
    return given.show ? await showFolder(inspection, context) : await trustFolder(inspection, context);
  },
  format({ action, folder, is_trusted: isTrusted, folders }, { terminal: { colors } }) {
    const { green, yellow } = colors;
    if (action === "shown") return isTrusted ? "It is trusted as it is.\n" : "It is not trusted: skein trust\n";
    if (action === "listed") {
      const mark = (isChanged: boolean): string => (isChanged ? yellow("changed") : green("trusted"));
      return folders.map((each) => `${mark(each.is_changed)}  ${plainLine(each.folder)}\n`).join("");
    }
    const words = {
      trusted: green("Trusted"),
      not_trusted: yellow("Not trusted"),
      revoked: yellow("No longer trusted"),
    };
    return `${words[action]} ${plainLine(folder ?? "")}\n`;
  },
});

const NOTHING: Omit<Data, "action"> = { folder: null, is_trusted: null, executes: [], files: [], folders: [] };

async function listFolders(context: CommandContext): Promise<Data> {
  const folders = [];
  for (const entry of await openTrustStore().list()) {
    const now = await inspectFolder(entry.directory, context).catch(() => undefined);
    folders.push({ folder: entry.directory, trusted_at: entry.trustedAt, is_changed: now?.hash !== entry.hash });
  }
  return { ...NOTHING, action: "listed", folders };
}

async function revokeTrust(folder: string): Promise<Data> {
  await openTrustStore().revoke(folder);
  return { ...NOTHING, action: "revoked", folder, is_trusted: false };
}

async function showFolder(inspection: FolderInspection, context: CommandContext): Promise<Data> {
  await context.print(programLines(inspection, context.terminal));
  return { ...told(inspection), action: "shown", is_trusted: await openTrustStore().isTrusted(inspection) };
}

async function trustFolder(inspection: FolderInspection, context: CommandContext): Promise<Data> {
  const store = openTrustStore();
  const canAsk = context.format === "text" && context.terminal.canAsk;
  // Without a terminal the command itself is the person's word.
  if (inspection.files.length > 0 && canAsk && !(await askTrust(inspection, context))) {
    return { ...told(inspection), action: "not_trusted", is_trusted: await store.isTrusted(inspection) };
  }
  await store.trust(inspection);
  return { ...told(inspection), action: "trusted", is_trusted: true };
}

function told({ directory, programs, files }: FolderInspection): Omit<Data, "action" | "is_trusted"> {
  return { ...NOTHING, folder: directory, executes: [...programs], files: [...files] };
}
