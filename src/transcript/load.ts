import { basename } from "node:path";
import { SkeinError } from "../core/index.ts";
import { findSubagentFiles, readSubagentFile } from "./discover/subagent-files.ts";
import { buildMessages } from "./model/build-messages.ts";
import { collectCompactions } from "./model/compactions.ts";
import { string } from "./model/content.ts";
import { collectSubagents, type SubagentFile } from "./model/subagents.ts";
import { loadRecords } from "./load-records.ts";
import type { Transcript } from "./model/transcript.ts";
import type { SkippedPath } from "./problem.ts";
import type { TranscriptRecord } from "./records/transcript-record.ts";
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
  const records = file.records.map(({ record }) => record);
  // A sub-agent's own file has nothing but side chains: there they are the conversation.
  const main = records.filter((record) => !isSidechain(record));
  const messages = buildMessages(main.some(isMessage) ? main : records);
  const sessionIds = valuesOf(records, "sessionId");
  const sessionId =
    sessionIds.find((id) => id === basename(path, ".jsonl")) ?? sessionIds[0] ?? basename(path, ".jsonl");
  const files = options.subagents === false ? [] : await findSubagentFiles(path, sessionId);
  const skipped: SkippedPath[] = [];
  const subagentFiles = await readSubagentFiles(files, skipped, options.signal);
  return {
    path,
    sessionId,
    sessionIds,
    versions: valuesOf(records, "version"),
    cwd: valuesOf(records, "cwd")[0],
    title: titleOf(records),
    records: file.records,
    messages,
    subagents: collectSubagents(main.some(isMessage) ? records : [], messages, subagentFiles),
    compactions: collectCompactions(records),
    problems: file.problems,
    skipped,
    endsInHalfALine: file.endsInHalfALine,
    sizeBytes: file.sizeBytes,
  };
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

function isSidechain(record: TranscriptRecord): boolean {
  return "isSidechain" in record && record.isSidechain === true;
}

function isMessage({ type }: TranscriptRecord): boolean {
  return type === "user" || type === "assistant";
}

function valuesOf(records: readonly TranscriptRecord[], field: "sessionId" | "version" | "cwd"): readonly string[] {
  const values = new Set<string>();
  for (const record of records) {
    const value = field in record ? string((record as Readonly<Record<string, unknown>>)[field]) : undefined;
    if (value !== undefined) values.add(value);
  }
  return [...values];
}

/** What a person called it, else what the CLI did. A summary is only its title where it is of a record in this file. */
function titleOf(records: readonly TranscriptRecord[]): string | undefined {
  let [custom, generated, summary]: (string | undefined)[] = [];
  for (const record of records) {
    if (record.type === "custom-title") custom = record.customTitle;
    if (record.type === "ai-title") generated = record.aiTitle;
    if (record.type === "summary" && hasUuid(records, record.leafUuid)) summary = record.summary;
  }
  return custom ?? generated ?? summary;
}

function hasUuid(records: readonly TranscriptRecord[], uuid: string | null | undefined): boolean {
  return records.some((record) => "uuid" in record && record.uuid !== undefined && record.uuid === uuid);
}
