import type { Columns } from "./columns.ts";

/** What one transcript says, as far as sums and lists need it: a fiftieth of the file, and nothing of what was said but titles and first prompts. */
export interface FileDigest {
  readonly facts: FileFacts;
  readonly messages: Columns<typeof MESSAGES>;
  readonly calls: Columns<typeof CALLS>;
  readonly usage: Columns<typeof USAGE>;
}

/** A file, how far it was read, and what its records say of it as a whole. */
export interface FileFacts {
  readonly path: string;
  /** The project's folder. */
  readonly folder: string;
  readonly isSubagent: boolean;
  /** Device and inode. */
  readonly identity: string;
  readonly sizeBytes: number;
  readonly modifiedAtNs: string;
  readonly changedAtNs: string;
  readonly offset: number;
  /** Hashes of the first bytes and of those before `offset`: where they differ, the file was written anew. */
  readonly headBytes: number;
  readonly headHash: string;
  readonly edgeHash: string;
  /** Records, and what is none. */
  readonly lines: number;
  readonly brokenLines: number;
  readonly sessionId: string | null;
  readonly sessionIds: readonly string[];
  readonly versions: readonly string[];
  readonly title: string | null;
  readonly isTitleGiven: boolean;
  readonly firstPrompt: string | null;
  readonly cwd: string | null;
  /** Whether Claude Code has deleted it. */
  readonly isPurged: boolean;
  /** Titles that early versions wrote, of the session that has the record, mostly in another file. */
  readonly summaries: readonly (readonly [leafUuid: string, title: string])[];
  /** The names of models and tools, which the columns give by their place here. */
  readonly names: readonly string[];
}

/** A record of a conversation. Ids are hashes; 0 in both halves is none. */
export const MESSAGES = {
  uuidLow: "u32",
  uuidHigh: "u32",
  /** The response's id; none where the record is no part of a response. */
  idLow: "u32",
  idHigh: "u32",
  timestampMs: "f64",
  /** One of `KINDS`, and `SIDECHAIN`. */
  flags: "u8",
} as const;

export const KINDS = ["prompt", "answer", "tool", "meta", "system", "title"] as const;

/** What a record with words is: someone asked, the model answered, a tool gave its result, the CLI said something. */
export type MessageKind = (typeof KINDS)[number];

export const KIND_BITS = 7;
export const SIDECHAIN = 8;

export const CALLS = {
  idLow: "u32",
  idHigh: "u32",
  /** The response that called. */
  messageLow: "u32",
  messageHigh: "u32",
  name: "u32",
  /** Tells which call of a response came first. */
  position: "f64",
  startedAtMs: "f64",
  endedAtMs: "f64",
  /** One of the three below. */
  outcome: "u8",
} as const;

export const UNANSWERED = 0;
export const SUCCEEDED = 1;
export const FAILED = 2;

/** The usage of a response, and after it what advisors used within it, in rows with `IS_ADVISOR`. */
export const USAGE = {
  messageLow: "u32",
  messageHigh: "u32",
  model: "u32",
  /** Who gave it: the model, or the scenario of the offline model. */
  answeredBy: "u32",
  inputTokens: "u32",
  outputTokens: "u32",
  cacheReadTokens: "u32",
  cacheWrite5mTokens: "u32",
  cacheWrite1hTokens: "u32",
  webSearches: "u32",
  /** NaN where the record states no cost. */
  recordedCostUsd: "f64",
  timestampMs: "f64",
  flags: "u8",
} as const;

export const IS_FINAL = 1;
export const IS_FAST = 2;
export const IS_US_ONLY = 4;
export const IS_OFFLINE = 8;
export const IS_ADVISOR = 16;
