import { createHash } from "node:crypto";
import { defined, SkeinError } from "../../core/index.ts";

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
    readonly placed: readonly {
      readonly path: string;
      readonly section: { readonly title: string; readonly source: string; readonly summary: string | undefined };
    }[];
  },
  overrides: ReadonlyMap<string, string> = new Map(),
): PromptDescriptor {
  const { ns, key, name, placed } = template;
  const sections = placed.map(({ path, section }) => {
    const override = overrides.get(path);
    const overrideHash = override === undefined ? undefined : hashText(override);
    return { path, hash: hashText(section.source), ...defined({ overrideHash }) };
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

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/u;

/** Checks the name of a prompt, a section or an override: it becomes part of paths and of what the model reads. */
export function checkName(what: string, name: unknown): string {
  if (typeof name === "string" && NAME.test(name)) return name;
  throw new SkeinError(`The ${what} cannot be ${JSON.stringify(name)}`, {
    kind: "usage",
    target: what,
    hint: "1 to 64 of a-z, 0-9, '.', '_' and '-', the first a letter or a digit",
  });
}
