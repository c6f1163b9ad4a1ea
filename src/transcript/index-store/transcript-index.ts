import type { PlaceOptions, RefreshOptions, RefreshReport, TranscriptTotals } from "../totals/transcript-totals.ts";

/**
 * The totals of all transcripts, with an index of their words. It is made of the files and can be made of them again. Where
 * a call throws an `UnusableDatabaseError`, the file was damaged and is gone: open the index again.
 */
export interface TranscriptIndex extends TranscriptTotals {
  /**
   * Reads what is new in the files, the newest first. Any number of processes may do so at once: one takes words in, the
   * others wait for it. After it, all that stood in the files when it was called can be found, unless patience was limited.
   */
  refresh(options?: IndexRefreshOptions): Promise<IndexReport>;
  /** The messages that hold all the words, the best first, of what has been taken in. */
  search(words: string, options?: SearchOptions): Promise<SearchPage>;
}

/** How an index is brought up to date. */
export interface IndexRefreshOptions extends RefreshOptions {
  /**
   * How long words may be taken in: what is left then is told as `missing`, and the next refresh goes on with it. Another
   * process that does so is waited for a second at most. Without it, there is no end but the work's.
   */
  readonly patienceMs?: number;
}

/** Transcripts, or parts of them, that an index has not taken in. */
export interface MissingWords {
  readonly files: number;
  readonly bytes: number;
}

/** What a refresh of an index did. What was read is what was taken into the index: totals may have known it before. */
export interface IndexReport extends RefreshReport {
  readonly missing: MissingWords;
  /** What the index takes on the disk. */
  readonly indexBytes: number;
}

/** Where words are looked for: in prompts, answers, thinking, what tools were given and gave, or titles. */
export type SearchRole = "prompt" | "answer" | "thinking" | "tool" | "title";

/** Where to look, and how much to give. All that is given must hold. */
export interface SearchOptions extends PlaceOptions {
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
  readonly offset: number;
  /** How well it fits: the larger, the better. */
  readonly rank: number;
  /** Undefined where the file was purged and no copy was kept, or cannot be read. */
  readonly snippet: Snippet | undefined;
}

/** A page of hits. */
export interface SearchPage {
  readonly hits: readonly SearchHit[];
  readonly hasMore: boolean;
  /** Whether so many records hold the words that only the newest of them were ranked. */
  readonly isPartial: boolean;
  /** What the index has not taken in yet, and the words were not looked for in. */
  readonly missing: MissingWords;
}
