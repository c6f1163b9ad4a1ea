import { z } from "zod";
import type { UnheldChange } from "../../snapshot/index.ts";
import { formatBytes } from "../format-amounts.ts";
import { plainLine } from "../plain-text.ts";

/** What is in the directory and in no state, as the envelope tells it. */
export const LeftOutData = z.strictObject({ path: z.string(), reason: z.string(), size_bytes: z.number() });

/** What is in the directory and in no state, as the envelope tells it. */
export type LeftOutData = z.infer<typeof LeftOutData>;

/** Puts what a capture left out into the words of the envelope. */
export function toLeftOutData(
  leftOut: readonly { readonly path: string; readonly reason: string; readonly sizeBytes: number }[],
): LeftOutData[] {
  return leftOut.map(({ path, reason, sizeBytes }) => ({ path, reason, size_bytes: sizeBytes }));
}

/** What became of something that a state does not hold, as the envelope tells it. */
export const UnheldData = LeftOutData.extend({
  /** Gone, changed, replaced by something that is held, no longer held, or added. */
  change: z.enum(["gone", "changed", "replaced", "unheld", "added"]),
});

/** What became of something that a state does not hold, as the envelope tells it. */
export type UnheldData = z.infer<typeof UnheldData>;

/** Puts it into the words of the envelope. */
export function toUnheldData(unheld: readonly UnheldChange[]): UnheldData[] {
  return unheld.map(({ path, reason, sizeBytes, change }) => ({ path, reason, size_bytes: sizeBytes, change }));
}

/** What became of each, for people, and why it cannot be brought back. */
export function unheldLine({ path, reason, size_bytes: size, change }: UnheldData): string {
  const words = { gone: "is gone", changed: "was changed", replaced: "was replaced", unheld: "is no longer recorded" };
  return `${plainLine(path)} ${change === "added" ? "is new" : words[change]}: ${reasonWords(reason, size)}`;
}

/** Each with its reason, for people. */
export function leftOutLine({ path, reason, size_bytes: size }: LeftOutData): string {
  return `${plainLine(path)}  (${reasonWords(reason, size)})`;
}

function reasonWords(reason: string, size: number): string {
  const words: Readonly<Record<string, string>> = {
    "too-large": `over the size limit: ${formatBytes(size)}`,
    unreadable: "cannot be read",
    "special-file": "a pipe, socket or device",
    "reserved-name": "a name that git cannot hold",
    repository: "a nested repository's own folder",
    secret: "a secret, by a built-in rule",
    heavy: "heavy and easy to recreate, by a built-in rule",
  };
  return words[reason] ?? plainLine(reason);
}
