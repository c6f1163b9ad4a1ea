import { access, constants } from "node:fs/promises";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { z } from "zod";
import { SkeinError } from "../core/internal.ts";
import { runShellCommand } from "../engine/internal.ts";
import type { Confine } from "../isolation/internal.ts";
import type { Workspace } from "../workspace/internal.ts";

/** What a gate came to. */
export const GateResult = z.strictObject({
  command: z.string().describe("The command"),
  passed: z.boolean().describe("Whether it ended with exit code 0"),
  ending: z.string().describe("How it ended"),
  output: z.string().describe("The end of what it printed"),
});

export type GateResult = Readonly<z.infer<typeof GateResult>>;

export interface GateOptions {
  readonly signal: AbortSignal;
  /** The bounds of the workers hold for the gates, too: they run what workers wrote. */
  readonly confine: (directory: string) => Promise<Confine>;
}

/** Runs all gates on a branch, one after another, so that a worker is told of everything that fails. */
export async function runGates(
  branch: Workspace,
  gates: readonly string[],
  { signal, confine }: GateOptions,
): Promise<readonly GateResult[]> {
  const bounded = await confine(branch.path);
  const enter = (argv: readonly string[]): readonly string[] => branch.enter(bounded(argv));
  const results: GateResult[] = [];
  for (const command of gates) {
    const outcome = await runShellCommand(command, { directory: branch.view, enter, signal });
    const { exitCode, isTimeout, tail } = outcome;
    const ending = isTimeout
      ? "took too long"
      : exitCode === undefined
        ? "killed by a signal"
        : `exit code ${exitCode}`;
    results.push({ command, passed: exitCode === 0, ending, output: tail });
  }
  return results;
}

/** Words of a shell that are no programs, and prefixes before one. */
const SHELL_WORDS = new Set(
  ". : [ cd command eval exec exit export false for if set test time trap true ! { ( until while".split(" "),
);

/** Refuses a gate that could never pass, because there is no program of its name, before anything is run. */
export async function checkGates(
  gates: readonly string[],
  directory: string,
  path = process.env["PATH"],
): Promise<void> {
  for (const gate of gates) {
    const words = gate.trim().split(/\s+/u);
    const program = words.find((word) => !/^\w+=/u.test(word)) ?? "";
    if (program === "") throw gateError(gate, "it is empty");
    // What a shell would take apart or expand is its own matter.
    if (SHELL_WORDS.has(program) || /["'$`\\(){};&|<>*?~]/u.test(program)) continue;
    if (await isProgram(program, directory, path ?? "")) continue;
    throw gateError(gate, program.includes("/") ? `there is no program ${program}` : `${program} is not on PATH`);
  }
}

async function isProgram(program: string, directory: string, path: string): Promise<boolean> {
  const places = program.includes("/")
    ? [isAbsolute(program) ? program : resolve(directory, program)]
    : path.split(delimiter).map((folder) => join(folder || directory, program));
  const tries = places.map((place) => access(place, constants.X_OK));
  return await Promise.any(tries).then(
    () => true,
    () => false,
  );
}

function gateError(gate: string, problem: string): SkeinError {
  return new SkeinError(`The gate "${gate}" cannot be run: ${problem}`, {
    kind: "usage",
    target: "gates",
    hint: "A gate is a shell command that ends with exit code 0 where the work may be accepted",
  });
}
