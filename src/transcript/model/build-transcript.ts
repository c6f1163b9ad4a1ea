import { blocksOf, isObject, string, textOf, type Fields } from "../records/content.ts";
import { fieldOf, isMessage, isSidechain, type RecordOf, type TranscriptRecord } from "../records/transcript-record.ts";
import { buildMessages } from "./build-messages.ts";
import { collectSubagents, type SubagentFile } from "./subagents.ts";
import type { Compaction, Transcript } from "./transcript.ts";

/** The records of one file, and what could not be read of it. */
export interface LoadedFile extends Pick<Transcript, "records" | "problems" | "endsInHalfALine" | "sizeBytes"> {}

/** Makes a transcript of its records and those of its sub-agents, wherever they were read. */
export function buildTranscript({
  path,
  sessionId,
  file,
  subagentFiles,
  skipped,
}: Pick<Transcript, "path" | "sessionId" | "skipped"> & {
  readonly file: LoadedFile;
  readonly subagentFiles: readonly SubagentFile[];
}): Transcript {
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
    ...file,
    messages,
    subagents: collectSubagents(main.some(isMessage) ? records : [], messages, subagentFiles),
    compactions: collectCompactions(records),
    skipped,
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

function valuesOf(records: readonly TranscriptRecord[], field: "sessionId" | "version" | "cwd"): readonly string[] {
  const values = new Set<string>();
  for (const record of records) {
    const value = fieldOf(record, field);
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
    if (record.type === "summary" && hasUuid(records, record.leafUuid ?? "")) summary = record.summary;
  }
  return custom ?? generated ?? summary;
}

function hasUuid(records: readonly TranscriptRecord[], uuid: string): boolean {
  return records.some((record) => fieldOf(record, "uuid") === uuid);
}

/** The compactions of a file. Early versions wrote only the summary, without a boundary before it. */
function collectCompactions(records: readonly TranscriptRecord[]): readonly Compaction[] {
  const compactions: Compaction[] = [];
  for (const record of records) {
    if (record.type === "system" && record.subtype === "compact_boundary") {
      compactions.push(fromBoundary(record.compactMetadata ?? {}, record));
    }
    if (record.type !== "user" || record.isCompactSummary !== true) continue;
    const summary = textOf(blocksOf(record.message.content));
    const last = compactions.at(-1);
    if (last !== undefined && last.summary === undefined) compactions[compactions.length - 1] = { ...last, summary };
    else compactions.push({ ...fromBoundary({}, record), summary });
  }
  return compactions;
}

function fromBoundary(metadata: Fields, record: RecordOf<"system" | "user">): Compaction {
  const { preTokens, preservedMessages } = metadata;
  const preserved = isObject(preservedMessages) ? preservedMessages["uuids"] : undefined;
  return {
    uuid: record.uuid,
    timestamp: record.timestamp,
    trigger: string(metadata["trigger"]),
    preTokens: typeof preTokens === "number" ? preTokens : undefined,
    logicalParentUuid: record.logicalParentUuid ?? record.parentUuid ?? undefined,
    summary: undefined,
    preservedUuids: Array.isArray(preserved) ? preserved.filter((uuid) => typeof uuid === "string") : [],
  };
}
