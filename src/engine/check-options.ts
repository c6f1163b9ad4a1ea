import { stat } from "node:fs/promises";
import { ClaudeConfigError, SkeinError } from "../core/index.ts";
import { PERMISSION_MODES, type ClaudeOptions } from "./claude-options.ts";
import type { ClaudePrompt } from "./claude-prompt.ts";
import type { Environment } from "./environment.ts";

/** Refuses what cannot work, before anything is started. */
export async function checkTurn(prompt: ClaudePrompt, options: ClaudeOptions, environment: Environment): Promise<void> {
  if (prompt.text.trim() === "") {
    throw new SkeinError("The prompt is empty", {
      kind: "usage",
      target: "prompt",
      hint: "Say what the agent is to do.",
    });
  }
  checkPositive("maxTurns", options.maxTurns);
  checkPositive("maxBudgetUsd", options.maxBudgetUsd);
  checkPositive("timeoutMs", options.timeoutMs);
  checkPermissionMode(options, environment);
  if (options.forkSession && options.resume === undefined) {
    throw new ClaudeConfigError("forkSession needs resume", {
      option: "forkSession",
      hint: "Name the session to fork.",
    });
  }
  await checkDirectory("cwd", options.cwd ?? process.cwd());
}

function checkPositive(option: string, value: number | undefined): void {
  if (value === undefined || (Number.isFinite(value) && value > 0)) return;
  throw new ClaudeConfigError(`${option} is ${value}; it has to be a number above 0`, { option });
}

function checkPermissionMode({ permissionMode }: ClaudeOptions, environment: Environment): void {
  if (permissionMode === undefined) return;
  if (!PERMISSION_MODES.includes(permissionMode)) {
    throw new ClaudeConfigError(`There is no permission mode ${String(permissionMode)}`, {
      option: "permissionMode",
      hint: `Choose one of ${PERMISSION_MODES.join(", ")}.`,
    });
  }
  if (permissionMode === "bypassPermissions" && process.getuid?.() === 0 && environment["IS_SANDBOX"] !== "1") {
    throw new ClaudeConfigError("The CLI does not bypass permissions for root", {
      option: "permissionMode",
      hint: "Run as an ordinary user, or set IS_SANDBOX=1 where the whole machine may be lost.",
    });
  }
}

async function checkDirectory(option: string, path: string): Promise<void> {
  const found = await stat(path).catch((error: unknown) => {
    throw new SkeinError(`The working directory ${path} cannot be used: ${(error as Error).message}`, {
      kind: "filesystem",
      target: path,
      hint: "Create it first, or name another.",
      cause: error,
    });
  });
  if (found.isDirectory()) return;
  throw new SkeinError(`${path} is not a directory`, {
    kind: "filesystem",
    target: path,
    hint: `Give ${option} a directory.`,
  });
}
