import { z } from "zod";
import { checkName, usageError } from "../usage-error.ts";
import { hashText } from "./prompt-descriptor.ts";
import type { PromptTemplate } from "./prompt-template.ts";

/** The format of an override file, docs/formats/prompt-overrides.md. */
export const overridesSchema = z.strictObject({
  version: z.literal(1),
  ns: z.string(),
  key: z.string(),
  tag: z.string(),
  /** By the section's path. */
  sections: z.record(
    z.string(),
    z.strictObject({
      /** Of the text that the override was made for. */
      hash: z.string().regex(/^[0-9a-f]{64}$/u),
      text: z.string(),
    }),
  ),
});

/** Texts that take the place of sections' own, each guarded by the hash of the text that it was made for. */
export type PromptOverrides = z.infer<typeof overridesSchema>;

/** Makes overrides for a template as it is now; what could not hold is thrown here. */
export function createOverrides(
  { ns, key, placed }: Target,
  { tag = "latest", texts }: { readonly tag?: string; readonly texts: Readonly<Record<string, string>> },
): PromptOverrides {
  const sections = Object.entries(texts).map(([path, text]) => {
    const section = placed.find((each) => each.path === path)?.section;
    const refusal = section ? section.refuseOverride(text) : "there is no such section";
    if (!section || refusal !== undefined) {
      const hint = `The sections are ${placed.map((each) => each.path).join(", ")}`;
      throw usageError(path, `The section ${path} of ${ns}/${key} cannot have this text: ${refusal}`, hint);
    }
    return [path, { hash: hashText(section.source), text }] as const;
  });
  return { version: 1, ns, key, tag: checkName("tag of an override", tag), sections: Object.fromEntries(sections) };
}

type Target = Pick<PromptTemplate<unknown>, "ns" | "key" | "placed">;

/** An override that was not put in: made for another text; of a section that is not there; or not fit for the section. */
export interface PromptWarning {
  readonly type: "stale-override" | "unknown-section" | "refused-override";
  readonly path: string;
  readonly message: string;
}

export interface AppliedOverrides {
  readonly texts: ReadonlyMap<string, string>;
  readonly warnings: readonly PromptWarning[];
}

/** Decides which overrides hold for a template: those made for exactly the texts that it has. */
export function applyOverrides({ ns, key, placed }: Target, overrides: PromptOverrides | undefined): AppliedOverrides {
  if (!overrides) return { texts: new Map(), warnings: [] };
  if (overrides.ns !== ns || overrides.key !== key) {
    const message = `The overrides are for the prompt ${overrides.ns}/${overrides.key}, not for ${ns}/${key}`;
    throw usageError(`${ns}/${key}`, message, "Read them by this prompt's ns and key");
  }
  const sections = new Map(placed.map(({ path, section }) => [path, section]));
  const texts = new Map<string, string>();
  const warnings: PromptWarning[] = [];
  const warn = (type: PromptWarning["type"], path: string, why: string): void => {
    warnings.push({ type, path, message: `The override of ${path} (${overrides.tag}) is ignored: ${why}` });
  };
  for (const [path, { hash, text }] of Object.entries(overrides.sections)) {
    const section = sections.get(path);
    const refusal = section?.refuseOverride(text);
    if (!section) warn("unknown-section", path, "there is no such section");
    else if (hash !== hashText(section.source)) warn("stale-override", path, "the section's text has changed since");
    else if (refusal !== undefined) warn("refused-override", path, refusal);
    else texts.set(path, text);
  }
  return { texts, warnings };
}
