import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Clock } from "../../core/internal.ts";
import { runShellCommand, type ShellCommandOutcome } from "../../engine/internal.ts";
import type { PromptSession } from "../session/prompt-session.ts";
import { usageError } from "../usage-error.ts";

/** What there is to check when the agent wants to stop. */
export interface CompletionContext {
  readonly session: PromptSession;
  readonly path: string;
  /** The answer in the prompt's shape, where it was given already. */
  readonly output?: unknown;
  /** The agent's last words. */
  readonly text?: string;
  readonly signal: AbortSignal;
}

/** Whether the task is done; the feedback is what the agent is told where it is not. */
export interface Completion {
  readonly complete: boolean;
  readonly feedback?: string;
}

/** Decides whether an agent may stop. */
export interface CompletionChecker {
  check(context: CompletionContext): Completion | Promise<Completion>;
}

/**
 * The task is done when a shell command succeeds where the agent works: `command("npm test")`. It runs as this program does, not
 * in the agent's sandbox, without the keys of its environment.
 */
export function command(
  line: string,
  options: { readonly timeoutMs?: number; readonly clock?: Clock } = {},
): CompletionChecker {
  if (line.trim() === "") {
    throw usageError("command", "There is no command to check with", "Give a command such as npm test.");
  }
  return {
    async check({ path, signal }) {
      const end = await runShellCommand(line, { directory: path, signal }, options);
      if (end.exitCode === 0) return { complete: true };
      return { complete: false, feedback: `\`${line}\` ${describe(end)}.\n${end.tail}`.trim() };
    },
  };
}

function describe({ exitCode, isTimeout }: ShellCommandOutcome): string {
  if (isTimeout) return "took too long";
  return exitCode === undefined ? "was killed by a signal" : `failed with exit code ${exitCode}`;
}

/** The task is done when all checkers say so, or with `allMustPass: false` when one does. */
export function composite(
  checkers: readonly CompletionChecker[],
  { allMustPass = true }: { readonly allMustPass?: boolean } = {},
): CompletionChecker {
  if (checkers.length === 0) {
    throw usageError("checkers", "composite needs at least one checker", "Give it at least one checker.");
  }
  return {
    async check(context) {
      const unsatisfied: Completion[] = [];
      // One after the other: tests and builds would get into each other's way.
      for (const checker of checkers) {
        const found = await checker.check(context);
        if (found.complete && !allMustPass) return { complete: true };
        if (!found.complete) unsatisfied.push(found);
      }
      if (unsatisfied.length === 0) return { complete: true };
      const feedback = unsatisfied.flatMap((found) => found.feedback ?? []).join("\n");
      return { complete: false, ...(feedback === "" ? {} : { feedback }) };
    },
  };
}

/** Missing files that are named to the agent; the rest is a number. */
const NAMED = 3;

/** The task is done when these files are there; paths are relative to where the agent works. */
export function fileOutput(files: readonly string[]): CompletionChecker {
  if (files.length === 0) {
    throw usageError("files", "fileOutput needs at least one file", "Name the files the agent must create.");
  }
  return {
    async check({ path }) {
      const found = await Promise.all(files.map((file) => stat(resolve(path, file)).catch(() => undefined)));
      const missing = files.filter((_, index) => !found[index]?.isFile());
      if (missing.length === 0) return { complete: true };
      const rest = missing.length > NAMED ? ` and ${missing.length - NAMED} more` : "";
      return { complete: false, feedback: `These files are missing: ${missing.slice(0, NAMED).join(", ")}${rest}.` };
    },
  };
}
