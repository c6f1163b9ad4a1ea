import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { confirm } from "@clack/prompts";
import { z } from "zod";
import { packageRoot, SkeinError } from "../../../core/internal.ts";
import { CONFIG_FILE, type FolderInspection, inspectFolder, openTrustStore } from "../../../engine/internal.ts";
import { asData, Check, runChecks } from "../../../protocol/index.ts";
import { formatCard, plainLine } from "../../../terminal/index.ts";
import { textFlag } from "../../common-flags.ts";
import { defineCommand, type CommandContext } from "../../define-command.ts";
import { findDirectory } from "../../open-workspace.ts";
import { askTrust, trustFlag } from "../../require-trust.ts";

const InitData = z.strictObject({
  cwd: z.string().describe("The folder that was set up"),
  config: z
    .strictObject({
      path: z.string().describe("The configuration file of the folder"),
      action: z
        .enum(["written", "kept", "declined"])
        .describe("Whether it was written, was there already, or was not wanted"),
    })
    .describe("The configuration file"),
  trust: z
    .enum(["nothing", "trusted", "untrusted"])
    .describe("Whether the folder's settings, which may run programs, are trusted; nothing where it has none"),
  checks: z.array(Check).describe("What doctor found on this machine"),
  next: z.array(z.string()).describe("Commands to try next"),
});

type InitData = z.infer<typeof InitData>;

export const init = defineCommand({
  name: "init",
  summary: "Set up a folder: settings, trust, sandbox",
  effects: { changes: "adds", isRepeatable: true, reaches: "machine" },
  args: z.object({ cwd: textFlag("directory", "The folder to set up (default: here)"), trust: trustFlag }),
  data: InitData,
  examples: ["init", "init --cwd ./my-project --trust"],
  async run({ cwd, trust }, context) {
    const directory = await findDirectory(cwd, context);
    const store = openTrustStore();
    const before = await inspectFolder(directory, context);
    const wasFine = before.files.length === 0 || (await store.isTrusted(before));
    const written = await writeConfig(directory, context);
    const { action } = written;
    const found = {
      cwd: directory,
      config: { path: join(directory, CONFIG_FILE), action },
      // After the file is written, which is a part of what is trusted.
      trust: await settleTrust(
        directory,
        (now) => trust || (wasFine && written.sha256 !== undefined && hasOnlyGained(before, now, written.sha256)),
        context,
      ),
      checks: await runChecks(context, false),
    };
    return asData(InitData, { ...found, next: nextSteps(found) });
  },
  format: formatInit,
});

interface WrittenConfig {
  readonly action: InitData["config"]["action"];
  /** Of what was written. */
  readonly sha256?: string;
}

/** Writes the file where there is none; what is there is never written over. */
async function writeConfig(directory: string, context: CommandContext): Promise<WrittenConfig> {
  const path = join(directory, CONFIG_FILE);
  if (existsSync(path)) return { action: "kept" };
  if (!(await isWanted(path, context))) return { action: "declined" };
  const text = `${JSON.stringify({ $schema: schemaOf(directory) }, null, 2)}\n`;
  try {
    await writeFile(path, text, { flag: "wx" });
    return { action: "written", sha256: createHash("sha256").update(text).digest("hex") };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") return { action: "kept" };
    const message = `${path} cannot be written: ${(cause as Error).message}`;
    throw new SkeinError(message, { kind: "filesystem", target: path, hint: "Nothing was changed.", cause });
  }
}

async function isWanted(path: string, { format, terminal, signal, print }: CommandContext): Promise<boolean> {
  if (format !== "text" || !terminal.canAsk) return true;
  const answer = await confirm({ message: `Write ${plainLine(path)}?`, initialValue: true, signal });
  if (signal.aborted) throw new SkeinError("Interrupted", { kind: "cancelled" });
  await print("\n");
  return answer === true;
}

const SCHEMA_FILE = "skein.config.schema.json";

/** Where an editor finds the schema: below the nearest `node_modules` that has the package, or else in the package that runs. */
function schemaOf(directory: string): string {
  for (let folder = directory; ; folder = dirname(folder)) {
    const installed = join(folder, "node_modules", "skein", SCHEMA_FILE);
    if (existsSync(installed)) {
      const way = relative(directory, installed).replaceAll("\\", "/");
      return way.startsWith(".") ? way : `./${way}`;
    }
    if (dirname(folder) === folder) break;
  }
  return pathToFileURL(join(packageRoot(), SCHEMA_FILE)).href;
}

/**
 * Whether the file that was written here is all that is new: it is the person's own and runs nothing, so that what was trusted still is. The
 * rest may have been changed while the person was asked.
 */
export function hasOnlyGained(before: FolderInspection, now: FolderInspection, written: string): boolean {
  const expected = new Map(before.digests).set(join(now.directory, CONFIG_FILE), written);
  return (
    now.digests.size === expected.size && [...now.digests].every(([path, sha256]) => expected.get(path) === sha256)
  );
}

async function settleTrust(
  directory: string,
  isOwn: (now: FolderInspection) => boolean,
  context: CommandContext,
): Promise<InitData["trust"]> {
  const store = openTrustStore();
  const inspection = await inspectFolder(directory, context);
  if (inspection.files.length === 0) return "nothing";
  if (await store.isTrusted(inspection)) return "trusted";
  if (!isOwn(inspection) && !(await askTrust(inspection, context))) return "untrusted";
  await store.trust(inspection);
  return "trusted";
}

function nextSteps({ trust, checks }: Pick<InitData, "trust" | "checks">): readonly string[] {
  const isReady = checks.every(({ status }) => status !== "fail");
  return [
    ...(isReady ? [] : ["skein doctor"]),
    ...(trust === "untrusted" ? ["skein trust --show"] : []),
    "skein demo",
    'skein run "Explain this code"',
    "skein status",
    "skein config",
  ];
}

function formatInit({ cwd, config, trust, checks, next }: InitData, { terminal }: CommandContext): string {
  const { bold, cyan, dim, green, red, yellow } = terminal.colors;
  const told = {
    written: `${green("✓")} ${CONFIG_FILE} written: skein config shows what holds`,
    kept: `${green("✓")} ${CONFIG_FILE} was there, and is as it was`,
    declined: `${dim("-")} ${CONFIG_FILE} not written`,
  };
  const trusts = {
    nothing: `${green("✓")} nothing here needs it`,
    trusted: `${green("✓")} the folder's settings are trusted as they are`,
    untrusted: `${yellow("!")} the folder's settings are not trusted: skein trust --show lists what they run`,
  };
  const marks = { ok: green("✓"), warn: yellow("!"), fail: red("✗"), unchecked: "-" };
  const shown = checks.filter(({ name, status }) => name === "sandbox" || (status !== "ok" && status !== "unchecked"));
  const lines = shown.map(({ name, status, detail, fix }) => {
    const words = plainLine(`${name}: ${detail}${fix === undefined ? "" : `. ${fix}`}`);
    return `${marks[status]} ${words}`;
  });
  const rows = formatCard(
    [
      ["Settings", told[config.action]],
      ["Trust", trusts[trust]],
      ["Machine", ...lines],
      ["Next", ...next.map((command) => cyan(command))],
    ],
    terminal,
  );
  return `${bold("Set up")} ${plainLine(cwd)}\n\n${rows}`;
}
