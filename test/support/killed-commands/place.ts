import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { spawnSkein, startSkein, type Running, type SkeinOptions } from "../../cli/support/skein.ts";

/** Where commands are killed: a workspace, and all that it has to do with, below one folder. */
export interface Place {
  readonly root: string;
  readonly app: string;
  /** Another workspace of the same people. */
  readonly other: string;
  /** What the other one has sent, and where nothing was sent yet. */
  readonly remote: string;
  readonly emptyRemote: string;
  /** What the other one has saved. */
  readonly bundle: string;
  readonly skeinHome: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What a command came to. */
export interface Answer {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly data: Record<string, unknown> | undefined;
  readonly error: { readonly kind: string; readonly message: string } | undefined;
}

/** Names the parts of a place. */
export function placeAt(root: string): Place {
  const at = (name: string): string => join(root, name);
  return {
    root,
    app: at("app"),
    other: at("other"),
    remote: at("remote.git"),
    emptyRemote: at("empty.git"),
    bundle: at("other.bundle"),
    skeinHome: at("skein"),
    env: { HOME: at("home"), SKEIN_HOME: at("skein"), TMPDIR: at("tmp") },
  };
}

/** Makes it as new: a copy of what was prepared. */
export async function copyPlace(template: string, { root }: Place): Promise<void> {
  await rm(root, { recursive: true, force: true, maxRetries: 9 });
  await promisify(execFile)("cp", ["-a", "--reflink=auto", template, root]);
  await mkdir(join(root, "tmp"), { recursive: true });
}

/** Starts a command in the workspace, at the head of a process group of its own. */
export async function startIn({ app, env }: Place, args: readonly string[]): Promise<Running> {
  return await startSkein(args, { cwd: app, env, leadsGroup: true });
}

/** Runs a command to its end. */
export async function ask({ app, env }: Place, args: readonly string[], options: SkeinOptions = {}): Promise<Answer> {
  const words = args.includes("--output-format") ? args : [...args, "--output-format", "json"];
  const finished = await spawnSkein(words, { cwd: app, env, ...options });
  const last = readLines(finished.stdout).at(-1);
  return {
    ...finished,
    data: last?.["data"] as Record<string, unknown> | undefined,
    error: last?.["error"] as Answer["error"],
  };
}

/** Runs a command that has to succeed. */
export async function demand(
  place: Place,
  args: readonly string[],
  options: SkeinOptions = {},
): Promise<Record<string, unknown>> {
  const { code, data, stdout, stderr } = await ask(place, args, options);
  if (code === 0 && data) return data;
  throw new Error(`skein ${args.join(" ")} ended with ${code}: ${stdout.slice(-2000)} ${stderr.slice(-2000)}`);
}

/** The lines of JSON that were printed whole. */
export function readLines(stdout: string): readonly Record<string, unknown>[] {
  return stdout.split("\n").flatMap((line) => {
    try {
      return [JSON.parse(line) as Record<string, unknown>];
    } catch {
      return [];
    }
  });
}

/** The folder in which everything of the workspace is kept, and the repository in it. */
export function storeOf({ skeinHome }: Place): { readonly home: string; readonly gitDirectory: string } {
  const folder = join(skeinHome, "workspaces");
  const name = readdirSync(folder).find((each) => /^app-[0-9a-f]+$/u.test(each)) ?? "";
  return { home: join(folder, name), gitDirectory: join(folder, name, "store.git") };
}
