import { createHash } from "node:crypto";
import { z } from "zod";

export const descriptorSchema = z.looseObject({
  ns: z.string(),
  key: z.string(),
  name: z.string().exactOptional(),
  /** All sections, also those that are not shown; outer ones first. */
  sections: z.array(
    z.looseObject({
      path: z.string(),
      /** Of the section's own text, before params and overrides. */
      hash: z.string(),
      /** Of the text that an override put in its place. */
      overrideHash: z.string().exactOptional(),
    }),
  ),
  /** Of the texts in force: titles, summaries, and sources or what overrides put in their place. */
  hash: z.string(),
});

/** Which prompt this is, by name and by content: two with the same hash have the same texts. */
export type PromptDescriptor = z.infer<typeof descriptorSchema>;

export function hashText(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
