import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { defined } from "../core/internal.ts";
import { type Configuration, findConfigFolder, loadConfig, SETTINGS } from "../config/internal.ts";
import { plainLine } from "../terminal/index.ts";
import { type CallContext, type ConfigureCall, shellWord } from "../protocol/index.ts";
import { findAgentFolder } from "./open-workspace.ts";

type Given = Readonly<Record<string, unknown>>;

interface Call {
  /** The fields of the command that can be configured, by their keys. */
  readonly fields: ReadonlyMap<string, string>;
  readonly context: Pick<CallContext, "confinement" | "env" | "notice">;
}

/** Gives what was left out the values that are configured where the command works. */
export async function fillInSettings(
  given: Given,
  { fields, context }: Call,
): Promise<Awaited<ReturnType<ConfigureCall>>> {
  const cwd = typeof given["cwd"] === "string" ? nearestThere(given["cwd"]) : undefined;
  // The command itself tells where it works.
  const folder = await findAgentFolder(cwd, { ...context, notice: () => {} });
  const workspace = await findConfigFolder(folder, { root: context.confinement?.root });
  const configuration = await loadConfig({ ...defined({ workspace }), env: context.env });
  tellHeldBack(configuration, context.notice);
  const isBounded = context.confinement !== undefined;
  return { given: completeGiven(given, { fields, configuration, isBounded }), configuration };
}

/** A folder that is missing, which the command may make, is configured by what lies around it. */
function nearestThere(cwd: string): string {
  let folder = resolve(cwd);
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

interface Completion {
  readonly fields: ReadonlyMap<string, string>;
  readonly configuration: Configuration;
  /** Whether a model calls, which may not go beyond what the person has set as a limit. */
  readonly isBounded: boolean;
}

function completeGiven(given: Given, { fields, configuration, isBounded }: Completion): Given {
  const wanted = configuration.values.filter(({ source }) => source !== "default");
  const completed: Record<string, unknown> = { ...given };
  for (const { key, value } of wanted) {
    const field = fields.get(key);
    if (field !== undefined) completed[field] = together(given[field], value, { key, isBounded });
  }
  for (const field of overruled(completed, fields)) {
    if (given[field] === undefined) delete completed[field];
  }
  return completed;
}

function together(given: unknown, value: unknown, { key, isBounded }: { key: string; isBounded: boolean }): unknown {
  if (given === undefined) return value;
  const addsUp = SETTINGS.find((setting) => setting.key === key)?.addsUp;
  if (addsUp && Array.isArray(given)) return [...new Set([...(value as readonly unknown[]), ...given])];
  const isLimit = typeof value === "number" && !Number.isNaN(Number(given));
  return isBounded && isLimit ? Math.min(Number(given), value) : given;
}

/** What is configured for agents that work among the person's files has no place where they are isolated; nor have hosts where there is no sandbox. */
function overruled(completed: Given, fields: ReadonlyMap<string, string>): readonly string[] {
  const of = (key: string): string => fields.get(key) ?? key;
  const isIsolated = completed[of("sandbox.isolated")] === true;
  if (isIsolated) return [of("sandbox.reveal"), of("sandbox.allowWorktrees")];
  return completed[of("permissions.mode")] === "bypassPermissions" ? [of("sandbox.domains")] : [];
}

function tellHeldBack({ heldBack, files }: Configuration, notice: (line: string) => void): void {
  const file = files.find(({ source }) => source === "workspace");
  if (heldBack.length === 0 || !file) return;
  const keys = heldBack.map(({ key }) => key).join(", ");
  notice(
    `${plainLine(file.path)} is not trusted: ${keys} ${heldBack.length === 1 ? "is" : "are"} held back. ` +
      `Look at it with skein trust --show --cwd ${shellWord(plainLine(dirname(file.path)))}, then trust it with skein trust.`,
  );
}
