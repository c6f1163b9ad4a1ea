/** Where words are looked for: in prompts, answers, thinking, what tools were given and gave, or titles. */
export type SearchRole = "prompt" | "answer" | "thinking" | "tool" | "title";

/** Where to look, and how much to give. All that is given must hold. */
export interface SearchOptions {
  /** A project's real path, its last part, or the name of Claude Code's folder for it. */
  readonly project?: string;
  /** A session's id, or the only one that begins so. */
  readonly session?: string;
  readonly sinceMs?: number;
  readonly untilMs?: number;
  readonly role?: SearchRole;
  /** 20 unless said. */
  readonly limit?: number;
  readonly offset?: number;
}

/** A part of a hit's text around the words. */
export interface Snippet {
  readonly text: string;
  /** Where in `text` the words stand: start and end, in UTF-16 units, in order. */
  readonly ranges: readonly (readonly [start: number, end: number])[];
  /** Whether text was left out before and after. */
  readonly isCutBefore: boolean;
  readonly isCutAfter: boolean;
}

/** A record that holds the words. */
export interface SearchHit {
  /** The logical session: what `session()` takes. */
  readonly sessionId: string;
  readonly project: string | undefined;
  readonly sessionTitle: string | undefined;
  /** The part of the record that holds most of the words. */
  readonly role: SearchRole;
  readonly uuid: string | undefined;
  readonly agentId: string | undefined;
  readonly timestampMs: number | undefined;
  readonly path: string;
  /** Where the record stands in the file. */
  readonly offset: number;
  /** How well it fits: the larger, the better. */
  readonly rank: number;
  /** Undefined where the file was purged and no copy was kept, or cannot be read. */
  readonly snippet: Snippet | undefined;
}

/** A page of hits. */
export interface SearchPage {
  readonly hits: readonly SearchHit[];
  /** Whether there are more after these. */
  readonly hasMore: boolean;
  /** Whether so many records hold the words that only the newest of them were ranked. */
  readonly isPartial: boolean;
}
