import { createHash } from "node:crypto";

/** Which prompt this is, by name and by content: two with the same hash have the same texts. */
export interface PromptDescriptor {
  readonly ns: string;
  readonly key: string;
  readonly name?: string;
  /** All sections, also those that are not shown; outer ones first. */
  readonly sections: readonly {
    readonly path: string;
    /** Of the section's own text, before params and overrides. */
    readonly hash: string;
    /** Of the text that an override put in its place. */
    readonly overrideHash?: string;
  }[];
  /** Of the texts in force: titles, summaries, and sources or what overrides put in their place. */
  readonly hash: string;
}

export function hashText(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
