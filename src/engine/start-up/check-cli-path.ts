import { access, constants, stat } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import type { Environment } from "./environment.ts";
import { cliNotFound, findCli, isScript } from "./find-cli.ts";

/** Paths that have answered as the CLI does. */
const known = new Set<string>();

/** Refuses a CLI that is not there, cannot be executed, or is another program; the last is asked once for each path. */
export async function checkCliPath(cliPath: string, environment: Environment): Promise<void> {
  const candidates = /[\\/]/.test(cliPath) ? [resolve(cliPath)] : inPath(cliPath, environment);
  const reasons = await Promise.all(candidates.map(findReason));
  const found = candidates[reasons.indexOf(undefined)];
  if (found !== undefined) return await checkVersion(found);
  throw cliNotFound(cliPath, candidates.length === 1 ? (reasons[0] ?? "") : "no folder of PATH has it");
}

async function checkVersion(path: string): Promise<void> {
  if (known.has(path)) return;
  await findCli(path);
  known.add(path);
}

function inPath(name: string, environment: Environment): readonly string[] {
  return (environment["PATH"] ?? "").split(delimiter).map((folder) => join(folder, name));
}

/** Why a path cannot be run; undefined where it can. */
async function findReason(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return "there is no such file";
  if (!found.isFile()) return "it is not a file";
  return await access(path, isScript(path) ? constants.R_OK : constants.X_OK).then(
    () => undefined,
    () => "it is not executable",
  );
}
