import type { LoadedFile } from "../load-records.ts";
import type { SkippedPath } from "../problem.ts";
import type { TranscriptRecord } from "../records/transcript-record.ts";
import { buildMessages } from "./build-messages.ts";
import { collectCompactions } from "./compactions.ts";
import { string } from "./content.ts";
import { collectSubagents, type SubagentFile } from "./subagents.ts";
import type { Transcript } from "./transcript.ts";

/** What a transcript is made of, wherever it was read. */
export interface TranscriptParts {
  readonly path: string;
  readonly sessionId: string;
  readonly file: LoadedFile;
  readonly subagentFiles: readonly SubagentFile[];
  /** Files of sub-agents that could not be read. */
  readonly skipped: readonly SkippedPath[];
}

/** Makes a transcript of its records and those of its sub-agents. */
export function buildTranscript({ path, sessionId, file, subagentFiles, skipped }: TranscriptParts): Transcript {
  const records = file.records.map(({ record }) => record);
  // A sub-agent's own file has nothing but side chains: there they are the conversation.
  const main = records.filter((record) => !isSidechain(record));
  const messages = buildMessages(main.some(isMessage) ? main : records);
  return {
    path,
    sessionId,
    sessionIds: valuesOf(records, "sessionId"),
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

/** The session that records belong to: the expected one where they name it, else the first that they name. */
export function nameSession({ records }: LoadedFile, expected: string): string {
  const ids = valuesOf(
    records.map(({ record }) => record),
    "sessionId",
  );
  return ids.find((id) => id === expected) ?? ids[0] ?? expected;
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
