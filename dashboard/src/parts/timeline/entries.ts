import type { ToolCall } from "../tool-call.tsx";

/** What a timeline shows, one under the other. */
export type Entry = PromptEntry | TextEntry | ThinkingEntry | ToolEntry | NoticeEntry | UsageEntry;

interface EntryBase {
  /** Its own for as long as it is shown. */
  readonly key: string;
  readonly at: string | undefined;
}

/** What a person said. */
export interface PromptEntry extends EntryBase {
  readonly kind: "prompt";
  readonly text: string;
  /** Content blocks among which there may be pictures. */
  readonly blocks: unknown;
}

/** What the agent said. */
export interface TextEntry extends EntryBase {
  readonly kind: "text";
  readonly text: string;
  readonly model: string | undefined;
  readonly isWriting: boolean;
}

export interface ThinkingEntry extends EntryBase {
  readonly kind: "thinking";
  readonly text: string;
  readonly isWriting: boolean;
}

/** A call of a tool, and where a sub-agent was called, what that one said and did. */
export interface ToolEntry extends EntryBase {
  readonly kind: "tool";
  /** The call's id, as the model gave it. */
  readonly id: string;
  readonly call: ToolCall;
  readonly inside: readonly Entry[];
}

/** Something that neither said: a failure, a compaction, an answer of somebody's, the end. */
export interface NoticeEntry extends EntryBase {
  readonly kind: "notice";
  readonly meaning: "good" | "bad" | "attention" | "neutral";
  readonly words: string;
  /** More of it, to be opened. */
  readonly detail: string | undefined;
  /** Whether it is only for who wants to see all. */
  readonly isMinor: boolean;
  /** What can be done about it. */
  readonly action?: { readonly label: string; readonly run: () => void };
}

/** What a response of the model used. */
export interface UsageEntry extends EntryBase {
  readonly kind: "usage";
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** Money by the price list, where it is told. */
  readonly costUsd: number | undefined;
  /** Whether more may have been used: the last counts were never told. */
  readonly isLowerBound: boolean;
}

/** A record as it came. */
export interface RawEntry {
  readonly key: string;
  readonly title: string;
  readonly at: string | undefined;
  readonly value: unknown;
}

/** How much of a timeline is shown. */
export const LEVELS = ["conversation", "simple", "all", "raw"] as const;

export type Level = (typeof LEVELS)[number];

/** A row: an entry, or in a conversation the steps between two texts, folded. */
export type TimelineRow =
  | { readonly type: "entry"; readonly key: string; readonly entry: Entry }
  | { readonly type: "steps"; readonly key: string; readonly entries: readonly Entry[] }
  | { readonly type: "raw"; readonly key: string; readonly raw: RawEntry };

/** The rows of a level. Nothing that went wrong is left out at any. */
export function timelineRows(
  entries: readonly Entry[],
  raw: readonly RawEntry[],
  level: Level,
): readonly TimelineRow[] {
  switch (level) {
    case "raw":
      return raw.map((each) => ({ type: "raw", key: each.key, raw: each }));
    case "all":
      return entries.map(asRow);
    case "simple":
      return entries.filter(isSimple).map(asRow);
    case "conversation":
      return folded(entries.filter(isSimple));
  }
}

/** An entry has one row for ever: what is drawn already is not drawn again because others came. */
const rowsOfEntries = new WeakMap<Entry, TimelineRow>();

function asRow(entry: Entry): TimelineRow {
  const row: TimelineRow = rowsOfEntries.get(entry) ?? { type: "entry", key: entry.key, entry };
  rowsOfEntries.set(entry, row);
  return row;
}

function isSimple(entry: Entry): boolean {
  if (entry.kind === "thinking") return entry.isWriting;
  return entry.kind !== "usage" && !(entry.kind === "notice" && entry.isMinor);
}

/** Calls between two texts become one row; one that runs now is seen. */
function folded(entries: readonly Entry[]): readonly TimelineRow[] {
  const rows: TimelineRow[] = [];
  let steps: Entry[] = [];
  const flush = (): void => {
    const [first] = steps;
    if (first) rows.push({ type: "steps", key: `steps ${first.key}`, entries: steps });
    steps = [];
  };
  for (const entry of entries) {
    if (entry.kind === "tool" && !isRunning(entry)) steps.push(entry);
    else {
      flush();
      rows.push(asRow(entry));
    }
  }
  flush();
  return rows;
}

function isRunning({ call }: ToolEntry): boolean {
  return call.isOpen && call.runsSince !== undefined;
}
