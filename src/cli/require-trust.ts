import { confirm } from "@clack/prompts";
import { SkeinError } from "../core/internal.ts";
import { inspectFolder, openTrustStore, type FolderInspection } from "../engine/internal.ts";
import type { TrustedSettings } from "../protocol/index.ts";
import type { CommandContext } from "./define-command.ts";
import { plainLine, plainText, formatNumberOf, type Terminal } from "../terminal/index.ts";
import { switchFlag } from "./common-flags.ts";

/** The flag by which a person trusts a folder, for every command that reads a folder's settings. */
export const trustFlag = switchFlag(
  "Trust this folder from now on: its settings, hooks, helpers and tool servers may run programs",
);

/** Makes sure that a person trusts what a folder would execute: by an earlier word, by a flag, or by a question on the terminal. */
export async function requireTrust(
  directory: string,
  { trust, context }: { readonly trust: boolean; readonly context: CommandContext },
): Promise<TrustedSettings> {
  const inspection = await requireTrusted(directory, { trust, context });
  return {
    directory: inspection.directory,
    options: { settingSources: ["user", "project", "local"] },
    async verify() {
      const now = await inspectFolder(inspection.directory, context);
      if (now.hash !== inspection.hash) throw untrusted(now, { why: "They changed while the command ran." });
    },
  };
}

/** The same for a command without the flag, or with it; gives what was trusted. */
export async function requireTrusted(
  directory: string,
  { trust, context }: { readonly trust?: boolean; readonly context: CommandContext },
): Promise<FolderInspection> {
  const store = openTrustStore();
  const inspection = await inspectFolder(directory, context);
  if (await store.isTrusted(inspection)) return inspection;
  if (!trust && !(await askTrust(inspection, context))) throw untrusted(inspection, { hasFlag: trust !== undefined });
  await store.trust(inspection);
  return inspection;
}

/** Shows what a folder would execute, and asks; nobody there is a no. */
export async function askTrust(inspection: FolderInspection, context: CommandContext): Promise<boolean> {
  if (context.format !== "text" || !context.terminal.canAsk) return false;
  await context.print(programLines(inspection, context.terminal));
  const answer = await confirm({
    message: `Trust ${plainLine(inspection.directory)} to run this? You will be asked again if it changes.`,
    initialValue: false,
    signal: context.signal,
  });
  if (context.signal.aborted) throw new SkeinError("Interrupted", { kind: "cancelled" });
  return answer === true;
}

function untrusted(
  inspection: FolderInspection,
  { why, hasFlag = true }: { readonly why?: string; readonly hasFlag?: boolean },
): SkeinError {
  const { directory, programs, files } = inspection;
  const reason = why ?? "Nobody has trusted them, or they have changed since. Nothing was loaded.";
  const how = hasFlag ? "skein trust, or with `trust`" : "skein trust";
  return new SkeinError(`The settings of ${directory} can run programs. ${reason}`, {
    kind: "untrusted_folder",
    target: directory,
    hint: `Look at them with skein trust --show, then trust the folder with ${how}`,
    details: { executes: programs, files },
  });
}

/** What a folder would execute, for people: every command whole, its lines kept. */
export function programLines({ directory, programs, files }: FolderInspection, { colors }: Terminal): string {
  if (files.length === 0) return `${plainLine(directory)} configures nothing: there is nothing to trust.\n`;
  const sources = [...new Set(programs.map(({ file }) => file))];
  const blocks = sources.map((source) => {
    const own = programs.filter(({ file }) => file === source);
    const lines = own.map(({ what, runs }) => `    ${colors.dim(plainLine(what))}  ${indented(runs)}\n`);
    return `  ${colors.bold(plainLine(source))}\n${lines.join("")}`;
  });
  const others = files.filter((file) => !sources.includes(file));
  const rest = others.map((file) => `    ${plainLine(file)}\n`).join("");
  const also =
    others.length === 0 ? "" : `  ${colors.dim(`and ${formatNumberOf(others.length, "file")} besides`)}\n${rest}`;
  return `${plainLine(directory)} can run programs, as you and outside any sandbox:\n\n${blocks.join("")}${also}\n`;
}

function indented(text: string): string {
  return plainText(text).split("\n").join("\n      ");
}
