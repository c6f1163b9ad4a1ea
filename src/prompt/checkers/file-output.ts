import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { SkeinError } from "../../core/index.ts";
import type { CompletionChecker } from "../completion-checker.ts";

/** Missing files that are named to the agent; the rest is a number. */
const NAMED = 3;

/** The task is done when these files are there; paths are relative to where the agent works. */
export function fileOutput(files: readonly string[]): CompletionChecker {
  if (files.length === 0) {
    const hint = "Name the files the agent must create.";
    throw new SkeinError("fileOutput needs at least one file", { kind: "usage", target: "files", hint });
  }
  return {
    async check({ path }) {
      const found = await Promise.all(files.map(async (file) => await isFile(resolve(path, file))));
      const missing = files.filter((_, index) => !found[index]);
      if (missing.length === 0) return { complete: true };
      const rest = missing.length > NAMED ? ` and ${missing.length - NAMED} more` : "";
      return { complete: false, feedback: `These files are missing: ${missing.slice(0, NAMED).join(", ")}${rest}.` };
    },
  };
}

async function isFile(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
