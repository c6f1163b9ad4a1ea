import { basename } from "node:path";
import { SkeinError } from "../core/index.ts";
import { findSubagentFiles, readSubagentFile } from "./discover/subagent-files.ts";
import { loadRecords } from "./load-records.ts";
import { buildTranscript, nameSession } from "./model/build-transcript.ts";
import type { SubagentFile } from "./model/subagents.ts";
import type { Transcript } from "./model/transcript.ts";
import type { SkippedPath } from "./problem.ts";
import { toSkipped } from "./to-skipped.ts";

/** How a transcript is loaded. */
export interface LoadOptions {
  /** Whether the files of its sub-agents are read too; they are unless this is false. */
  readonly subagents?: boolean;
  readonly signal?: AbortSignal;
}

/** Reads a whole transcript with its sub-agents. What is wrong in it is listed in `problems`, and the rest is there. */
export async function load(path: string, options: LoadOptions = {}): Promise<Transcript> {
  const file = await loadRecords(path, options.signal);
  const sessionId = nameSession(file, basename(path, ".jsonl"));
  const paths = options.subagents === false ? [] : await findSubagentFiles(path, sessionId);
  const skipped: SkippedPath[] = [];
  const subagentFiles = await readSubagentFiles(paths, skipped, options.signal);
  return buildTranscript({ path, sessionId, file, subagentFiles, skipped });
}

/** One that was deleted since it was found, or may not be read, leaves the others as they are. */
async function readSubagentFiles(
  paths: readonly string[],
  skipped: SkippedPath[],
  signal: AbortSignal | undefined,
): Promise<readonly SubagentFile[]> {
  const files: SubagentFile[] = [];
  for (const path of paths) {
    try {
      files.push(await readSubagentFile(path, signal));
    } catch (error) {
      if (!(error instanceof SkeinError) || error.kind !== "filesystem") throw error;
      skipped.push(toSkipped(path, error));
    }
  }
  return files;
}
