import type { TranscriptRecord } from "../records/transcript-record.ts";
import { blocksOf, isObject, string, textOf } from "./content.ts";
import type { Compaction } from "./transcript.ts";

/** The compactions of a file. Early versions wrote only the summary, without a boundary before it. */
export function collectCompactions(records: readonly TranscriptRecord[]): readonly Compaction[] {
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

interface Boundary {
  readonly uuid?: string | undefined;
  readonly timestamp?: string | undefined;
  readonly parentUuid?: string | null | undefined;
  readonly logicalParentUuid?: string | null | undefined;
}

function fromBoundary(metadata: Readonly<Record<string, unknown>>, record: Boundary): Compaction {
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
