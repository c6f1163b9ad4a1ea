import { blocksOf, isObject, string, textOf, type Fields } from "../records/content.ts";
import { createTitleFinder, titleIn } from "../records/session-title.ts";
import { fieldOf, isMessage, isSidechain, type RecordOf, type TranscriptRecord } from "../records/transcript-record.ts";
import { buildMessages } from "./build-messages.ts";
import { collectSubagents, type SubagentFile } from "./subagents.ts";
import { recordsOf, type Compaction, type Transcript } from "./transcript.ts";

export type LoadedFile = Pick<Transcript, "records" | "problems" | "endsInHalfALine" | "sizeBytes">;

export function buildTranscript(
  file: LoadedFile & Pick<Transcript, "path" | "sessionId" | "skipped">,
  subagentFiles: readonly SubagentFile[],
): Transcript {
  const records = recordsOf(file);
  // A sub-agent's own file has nothing but side chains: there they are the conversation.
  const main = records.filter((record) => !isSidechain(record));
  const messages = buildMessages(main.some(isMessage) ? main : records);
  return {
    ...file,
    sessionIds: valuesOf(records, "sessionId"),
    versions: valuesOf(records, "version"),
    cwd: valuesOf(records, "cwd")[0],
    title: titleOf(records),
    messages,
    subagents: collectSubagents(main.some(isMessage) ? records : [], messages, subagentFiles),
    compactions: collectCompactions(records),
  };
}

/** The session that records belong to: the expected one where they name it, else the first that they name. */
export function nameSession(file: LoadedFile, expected: string): string {
  const ids = valuesOf(recordsOf(file), "sessionId");
  return ids.find((id) => id === expected) ?? ids[0] ?? expected;
}

function valuesOf(records: readonly TranscriptRecord[], field: "sessionId" | "version" | "cwd"): readonly string[] {
  return [...new Set(records.flatMap((record) => fieldOf(record, field) ?? []))];
}

function titleOf(records: readonly TranscriptRecord[]): string | undefined {
  const finder = createTitleFinder();
  for (const record of records) {
    const [uuid, leafUuid] = [fieldOf(record, "uuid"), fieldOf(record, "leafUuid")];
    finder.add({ recordType: record.type, text: titleIn(record as Fields), uuid, leafUuid });
  }
  return finder.title();
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
    const open = compactions.at(-1)?.summary === undefined ? compactions.pop() : undefined;
    compactions.push({ ...(open ?? fromBoundary({}, record)), summary });
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
