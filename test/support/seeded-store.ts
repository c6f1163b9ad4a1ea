import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { serveMonitor, type ServedMonitor } from "./monitor-client.ts";

/** What `npm run screenshots` shows, in small: turns of a shop, a search of sixty nodes, sessions of Claude Code. */
export interface SeededStore {
  readonly root: string;
  /** Skein's data folder. */
  readonly home: string;
  /** The home folder with Claude Code's sessions. */
  readonly user: string;
  /** Where a workspace lies: `shop`, `csv-parser`. */
  readonly directory: (name: string) => string;
  /** The variables with which the command uses it. */
  readonly env: Readonly<Record<string, string>>;
}

let made: Promise<SeededStore> | undefined;

/** The one store of all files of a worker, which is removed when that ends. Who changes something in it does so in a folder of their own. */
export async function seededStore(): Promise<SeededStore> {
  made ??= make();
  return await made;
}

async function make(): Promise<SeededStore> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "skein-seeded-")));
  process.once("exit", () => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));
  await promisify(execFile)(process.execPath, ["scripts/screenshots/seed-store.mjs", root, "--quick"]);
  const [home, user] = [join(root, "data"), join(root, "home")];
  const env = {
    PATH: process.env["PATH"] ?? "",
    TMPDIR: tmpdir(),
    HOME: user,
    SKEIN_HOME: home,
    IS_SANDBOX: "1",
  };
  return { root, home, user, env, directory: (name) => join(root, "work", name) };
}

/** `skein serve` over it. */
export async function serveSeeded(
  { home, env }: SeededStore,
  flags: readonly string[] = ["--port", "0"],
): Promise<ServedMonitor> {
  return await serveMonitor(home, flags, env);
}
