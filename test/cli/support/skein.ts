import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { runHosted } from "./command-host.ts";

const MAIN = resolve("dist/cli/main.js");

/** What a finished command left behind. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that runs. */
export interface Running {
  readonly child: ChildProcess;
  /** Resolves when standard output holds the text. */
  printed(text: string): Promise<void>;
  readonly finished: Promise<Finished>;
}

/** Where and how a command is run. */
export interface SkeinOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Whether it leads a process group, by which it can be ended with what it runs. */
  readonly leadsGroup?: boolean;
}

/** A directory that is gone after the test. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "skein-test-"));
  // What was ended at once may be writing a last time.
  onTestFinished(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }));
  return directory;
}

/** Starts the built command as a process, with a home of its own and no credentials. */
export async function startSkein(args: readonly string[], options: SkeinOptions = {}): Promise<Running> {
  const { cwd, env } = await placeOf(options);
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd,
    env,
    stdio: ["pipe", "pipe", "pipe"],
    detached: options.leadsGroup ?? false,
  });
  onTestFinished(() => void child.kill());
  // A command that does not read its input may be gone before it is written.
  child.stdin.on("error", () => {});
  child.stdin.end(options.stdin ?? "");
  // A test may close standard output, as a reader that has seen enough does.
  const stdout = text(child.stdout).catch(() => "");
  const finished = Promise.all([once(child, "close"), stdout, text(child.stderr)]).then(([[code], out, err]) => ({
    code: code as number | null,
    stdout: out,
    stderr: err,
  }));
  return { child, finished, printed: (wanted) => waitForText(child, wanted) };
}

/** Runs the built command to its end, in a process that is kept warm. */
export async function runSkein(args: readonly string[], options: SkeinOptions = {}): Promise<Finished> {
  return await runHosted({ argv: args, ...(await placeOf(options)), stdin: options.stdin ?? "" });
}

/** Runs it in a process of its own, for what only that shows: that it ends by itself, and what it ends with. */
export async function spawnSkein(args: readonly string[], options: SkeinOptions = {}): Promise<Finished> {
  return await (
    await startSkein(args, options)
  ).finished;
}

async function placeOf({ cwd, env }: SkeinOptions): Promise<{ readonly cwd: string; readonly env: NodeJS.ProcessEnv }> {
  const home = env?.["HOME"] ?? (await temporaryDirectory());
  return {
    cwd: cwd ?? (await temporaryDirectory()),
    env: { PATH: process.env["PATH"], HOME: home, SKEIN_HOME: join(home, "skein"), ...env },
  };
}

/** Runs it with `--output-format json` and gives the one envelope, its time checked and taken out. */
export async function runSkeinJson(
  args: readonly string[],
  options: SkeinOptions = {},
): Promise<{ readonly code: number | null; readonly envelope: Record<string, unknown>; readonly stderr: string }> {
  const { code, stdout, stderr } = await runSkein([...args, "--output-format", "json"], options);
  return { code, envelope: readEnvelope(stdout), stderr };
}

/** Reads a line that has to be an envelope, and the only one. */
export function readEnvelope(line: string): Record<string, unknown> {
  const { timestamp, ...envelope } = JSON.parse(line) as Record<string, unknown>;
  if (typeof timestamp !== "string" || new Date(timestamp).toISOString() !== timestamp) {
    throw new Error(`The envelope has no time: ${line}`);
  }
  return envelope;
}

function waitForText(child: ChildProcess, wanted: string): Promise<void> {
  return new Promise((done, fail) => {
    let seen = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      seen += chunk.toString("utf8");
      if (seen.includes(wanted)) done();
    });
    child.once("close", () => fail(new Error(`It ended before it printed ${wanted}; it printed: ${seen}`)));
  });
}
