import { string, type Fields } from "./content.ts";

interface TitledRecord {
  readonly recordType: string;
  readonly text: string;
  readonly uuid: string | undefined;
  readonly leafUuid: string | undefined;
}

/** The title that a record gives its session, or a summary another; empty where it gives none. */
export function titleIn(record: Fields): string {
  return string(record["summary"] ?? record["aiTitle"] ?? record["customTitle"] ?? record["agentName"]) ?? "";
}

/** Whether a record names its session. Once a person has, only a person does: else the last name counts. */
export function isTitle({ recordType, text }: Pick<TitledRecord, "recordType" | "text">, isGiven = false): boolean {
  return text !== "" && (recordType === "custom-title" || (recordType === "ai-title" && !isGiven));
}

/** Finds the title of a session in its records; without any, the last summary of a record among them. */
export function createTitleFinder(): { add(record: TitledRecord): void; title(): string | undefined } {
  const uuids = new Set<string>();
  const summaries: TitledRecord[] = [];
  let named: TitledRecord | undefined;
  return {
    add(record) {
      if (record.uuid !== undefined) uuids.add(record.uuid);
      if (record.recordType === "summary") summaries.push(record);
      if (isTitle(record, named?.recordType === "custom-title")) named = record;
    },
    // Early versions wrote the titles of other sessions into each file.
    title: () => (named ?? summaries.findLast(({ leafUuid = "" }) => uuids.has(leafUuid)))?.text,
  };
}
