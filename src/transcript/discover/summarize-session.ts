import { spokenText } from "../model/user-kind.ts";
import type { SkippedPath } from "../problem.ts";
import { scanFile, type ScannedRecord } from "../scan-file.ts";
import { toSkipped } from "../to-skipped.ts";
import type { SessionFile } from "./find-sessions.ts";

/** A session in a few numbers, read without keeping its messages in memory. */
export interface SessionSummary {
  readonly sessionId: string;
  readonly path: string;
  readonly title: string | undefined;
  readonly firstPrompt: string | undefined;
  /** Prompts, results and answers, of sub-agents too; an answer over several lines is one. */
  readonly messages: number;
  readonly prompts: number;
  readonly subagents: number;
  readonly models: readonly string[];
  readonly versions: readonly string[];
  readonly toolUsageCount: Readonly<Record<string, number>>;
  readonly firstTimestamp: string | undefined;
  readonly lastTimestamp: string | undefined;
  readonly durationMs: number;
  readonly sizeBytes: number;
}

const TITLES = new Set(["ai-title", "custom-title"]);

/** Sums a session up; undefined where its own file cannot be read, which is then listed. */
export function summarizeSession(
  session: SessionFile,
  subagents: readonly string[],
  skipped: SkippedPath[],
): SessionSummary | undefined {
  const tally = createTally();
  try {
    for (const record of scanFile(session.path)) if (record.type === "record") tally.add(record);
  } catch (error) {
    skipped.push(toSkipped(session.path, error));
    return undefined;
  }
  for (const path of subagents) {
    try {
      for (const record of scanFile(path)) if (record.type === "record") tally.add(record);
    } catch (error) {
      skipped.push(toSkipped(path, error));
    }
  }
  return {
    sessionId: session.sessionId,
    path: session.path,
    subagents: subagents.length,
    sizeBytes: session.sizeBytes,
    ...tally.sum(),
  };
}

function createTally() {
  const [ids, models, versions] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const tools = new Map<string, number>();
  const [uuids, summaries] = [new Set<string>(), new Map<string, string>()];
  let [users, prompts, title, firstPrompt, first, last]: [number, number, ...(string | undefined)[]] = [0, 0];
  return {
    add(record: ScannedRecord): void {
      if (TITLES.has(record.recordType)) title = record.text;
      if (record.uuid !== undefined) uuids.add(record.uuid);
      if (record.recordType === "summary" && record.leafUuid !== undefined) summaries.set(record.leafUuid, record.text);
      if (record.recordType !== "user" && record.recordType !== "assistant") return;
      if (record.recordType === "user") users += 1;
      else ids.add(record.messageId ?? record.uuid ?? "");
      if (record.isPrompt && !record.isSidechain) {
        prompts += 1;
        firstPrompt ??= spokenText(record.text);
      }
      if (record.model !== undefined) models.add(record.model);
      if (record.version !== undefined) versions.add(record.version);
      for (const { name } of record.toolUses) tools.set(name, (tools.get(name) ?? 0) + 1);
      const time = record.timestamp;
      if (time !== undefined && (first === undefined || time < first)) first = time;
      if (time !== undefined && (last === undefined || time > last)) last = time;
    },
    sum: () => ({
      // Early versions wrote the titles of other sessions into each file.
      title: title ?? [...summaries].findLast(([leaf]) => uuids.has(leaf))?.[1],
      firstPrompt,
      messages: users + ids.size,
      prompts,
      models: [...models],
      versions: [...versions],
      toolUsageCount: Object.fromEntries(tools) as Readonly<Record<string, number>>,
      firstTimestamp: first,
      lastTimestamp: last,
      durationMs: Math.max(0, Date.parse(last ?? "") - Date.parse(first ?? "")) || 0,
    }),
  };
}
