import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { z } from "zod";
import { SkeinError } from "../../core/index.ts";
import type { CommandContext } from "../command-context.ts";
import { plainText } from "../plain-text.ts";

const execute = promisify(execFile);

/** What is tried of the app that the demo built, as arguments of Node. */
const TRIALS: readonly (readonly string[])[] = [
  ["--test"],
  ["src/cli.js", "add", "Try Skein", "--due", "2030-01-31"],
  ["src/cli.js", "list"],
];

/** A command of the built app and what it printed. */
export const AppRun = z.strictObject({ command: z.string(), output: z.string() });

/** A command of the built app and what it printed. */
export type AppRun = z.infer<typeof AppRun>;

/** Runs the tests of the built app, and the app. That they pass is what the demo claims. */
export async function runApp(directory: string, context: CommandContext): Promise<AppRun[]> {
  const runs: AppRun[] = [];
  // A test runner above us would make the app's tests report to it.
  const env = { ...context.env, NODE_TEST_CONTEXT: undefined, NODE_OPTIONS: undefined };
  for (const words of TRIALS) {
    const command = `node ${words.map((word) => (/\s/u.test(word) ? `"${word}"` : word)).join(" ")}`;
    const { signal } = context;
    const { stdout } = await execute(process.execPath, words, { cwd: directory, env, signal }).catch(
      (error: unknown) => {
        signal.throwIfAborted();
        throw failure(command, error as Error & { readonly stdout?: string }, directory);
      },
    );
    runs.push({ command, output: stdout });
    await context.print(shown(command, stdout, context));
  }
  return runs;
}

function shown(command: string, output: string, { terminal: { colors } }: CommandContext): string {
  // Of a test run the counts tell enough.
  const lines = plainText(output).trim().split("\n");
  const counts = lines.filter((line) => /^(?:#|ℹ) (?:tests|pass|fail) /u.test(line));
  const kept = counts.length > 0 ? [counts.map((line) => line.slice(2)).join(" · ")] : lines;
  return `  ${colors.dim("$")} ${command}\n${kept.map((line) => `    ${line}\n`).join("")}`;
}

function failure(command: string, error: Error & { readonly stdout?: string }, directory: string): SkeinError {
  return new SkeinError(`The finished app does not pass: ${command}`, {
    kind: "runtime",
    target: directory,
    hint: "Run the command in that directory to see why.",
    details: { output: error.stdout ?? error.message },
  });
}
