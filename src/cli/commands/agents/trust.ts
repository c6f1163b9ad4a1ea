import { z } from "zod";
import { inspectFolder, openTrustStore, type FolderInspection } from "../../../engine/index.ts";
import type { CommandContext } from "../../command-context.ts";
import { defineCommand } from "../../define-command.ts";
import { findDirectory } from "../../open-workspace.ts";
import { plainLine } from "../../plain-text.ts";
import { programLines, askTrust } from "../../require-trust.ts";
import { switchFlag, textFlag } from "../../common-flags.ts";

const data = z.strictObject({
  action: z.enum(["trusted", "not_trusted", "revoked", "shown", "listed"]),
  /** The folder's real path; null for the list. */
  folder: z.string().nullable(),
  /** Whether the folder is trusted as it is now, after the command. A folder that configures nothing needs no trust. */
  is_trusted: z.boolean().nullable(),
  executes: z.array(z.strictObject({ file: z.string(), what: z.string(), runs: z.string() })),
  /** Every file that was looked at: a change in one of them asks again. */
  files: z.array(z.string()),
  /** All folders that were trusted; `is_changed` where they would execute something else by now, or are gone. */
  folders: z.array(z.strictObject({ folder: z.string(), trusted_at: z.string(), is_changed: z.boolean() })),
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
  examples: ["trust", "trust --cwd ./my_project --show", "trust --cwd ./my_project --revoke", "trust --list"],
  async run(given, context) {
    if (given.list) return await listFolders(context);
    if (given.revoke) return await revokeTrust(given.cwd ?? ".");
    const inspection = await inspectFolder(await findDirectory(given.cwd, context), context);
    return given.show ? await showFolder(inspection, context) : await trustFolder(inspection, context);
  },
  format({ action, folder, is_trusted: isTrusted, folders }, { terminal: { colors } }) {
    const name = plainLine(folder ?? "");
    switch (action) {
      case "trusted":
        return `${colors.green("Trusted")} ${name}\n`;
      case "not_trusted":
        return `${colors.yellow("Not trusted")} ${name}\n`;
      case "revoked":
        return `${colors.yellow("No longer trusted")} ${name}\n`;
      case "shown":
        return isTrusted ? `It is trusted as it is.\n` : `It is not trusted: skein trust\n`;
      case "listed":
        return folders
          .map(
            (each) =>
              `${each.is_changed ? colors.yellow("changed") : colors.green("trusted")}  ${plainLine(each.folder)}\n`,
          )
          .join("");
    }
  },
});

async function listFolders(context: CommandContext): Promise<Data> {
  const folders = [];
  for (const entry of await openTrustStore().list()) {
    const now = await inspectFolder(entry.directory, context).catch(() => undefined);
    folders.push({ folder: entry.directory, trusted_at: entry.trustedAt, is_changed: now?.hash !== entry.hash });
  }
  return { action: "listed", folder: null, is_trusted: null, executes: [], files: [], folders };
}

async function revokeTrust(folder: string): Promise<Data> {
  await openTrustStore().revoke(folder);
  return { action: "revoked", folder, is_trusted: false, executes: [], files: [], folders: [] };
}

async function showFolder(inspection: FolderInspection, context: CommandContext): Promise<Data> {
  await context.print(programLines(inspection, context.terminal));
  return { action: "shown", is_trusted: await openTrustStore().isTrusted(inspection), ...told(inspection) };
}

async function trustFolder(inspection: FolderInspection, context: CommandContext): Promise<Data> {
  const store = openTrustStore();
  const canAsk = context.format === "text" && context.terminal.canAsk;
  // Without a terminal the command itself is the person's word.
  if (inspection.files.length > 0 && canAsk && !(await askTrust(inspection, context))) {
    return { action: "not_trusted", is_trusted: await store.isTrusted(inspection), ...told(inspection) };
  }
  await store.trust(inspection);
  return { action: "trusted", is_trusted: true, ...told(inspection) };
}

function told({
  directory,
  programs,
  files,
}: FolderInspection): Pick<Data, "folder" | "executes" | "files" | "folders"> {
  return { folder: directory, executes: [...programs], files: [...files], folders: [] };
}
