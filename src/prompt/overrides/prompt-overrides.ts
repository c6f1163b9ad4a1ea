import { z } from "zod";
import { SkeinError } from "../../core/index.ts";
import { hashText } from "../prompt-descriptor.ts";
import { checkName } from "../prompt-name.ts";
import type { PromptTemplate } from "../prompt-template.ts";

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
  template: Pick<PromptTemplate<unknown>, "ns" | "key" | "placed">,
  { tag = "latest", texts }: { readonly tag?: string; readonly texts: Readonly<Record<string, string>> },
): PromptOverrides {
  const { ns, key, placed } = template;
  const sections = Object.entries(texts).map(([path, text]) => {
    const section = placed.find((each) => each.path === path)?.section;
    const refusal = section ? section.refuseOverride(text) : "there is no such section";
    if (!section || refusal !== undefined) {
      throw new SkeinError(`The section ${path} of ${ns}/${key} cannot have this text: ${refusal}`, {
        kind: "usage",
        target: path,
        hint: `The sections are ${placed.map((each) => each.path).join(", ")}`,
      });
    }
    return [path, { hash: hashText(section.source), text }] as const;
  });
  return { version: 1, ns, key, tag: checkName("tag of an override", tag), sections: Object.fromEntries(sections) };
}
