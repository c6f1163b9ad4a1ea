import { createHash } from "node:crypto";
import type { PlacedSection } from "./check-sections.ts";
import { defined } from "../core/index.ts";

/** One section by its content. */
export interface SectionDescriptor {
  readonly path: string;
  /** Of the section's own text, before params and overrides. */
  readonly hash: string;
  /** Of the text that an override put in its place. */
  readonly overrideHash?: string;
}

/** Which prompt this is, by name and by content: two with the same hash have the same texts. */
export interface PromptDescriptor {
  readonly ns: string;
  readonly key: string;
  readonly name?: string;
  /** All sections, also those that are not shown; outer ones first. */
  readonly sections: readonly SectionDescriptor[];
  /** Of the texts in force: titles, summaries, and sources or what overrides put in their place. */
  readonly hash: string;
}

/** Describes a template, with the texts that overrides put in, by path. */
export function describePrompt(
  template: {
    readonly ns: string;
    readonly key: string;
    readonly name: string | undefined;
    readonly placed: readonly PlacedSection[];
  },
  overrides: ReadonlyMap<string, string> = new Map(),
): PromptDescriptor {
  const { ns, key, name, placed } = template;
  const sections = placed.map(({ path, section }) => {
    const override = overrides.get(path);
    return {
      path,
      hash: hashText(section.source),
      ...(override === undefined ? {} : { overrideHash: hashText(override) }),
    };
  });
  const texts = placed.map(({ path, section: { title, source, summary } }) => [
    path,
    title,
    overrides.get(path) ?? source,
    summary ?? null,
  ]);
  const hash = hashText(JSON.stringify([ns, key, texts]));
  return { ns, key, ...defined({ name }), sections, hash };
}

/** The SHA-256 of a text, in hexadecimal digits. */
export function hashText(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
