import { z } from "zod";
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

/** Each with its reason, for people. */
export function leftOutLine({ path, reason, size_bytes: size }: LeftOutData): string {
  const words: Readonly<Record<string, string>> = {
    "too-large": `over the size limit: ${formatBytes(size)}`,
    unreadable: "cannot be read",
    "special-file": "a pipe, socket or device",
    "reserved-name": "a name that git cannot hold",
    secret: "a secret, by a built-in rule",
    heavy: "heavy and easily made again, by a built-in rule",
  };
  return `${plainLine(path)}  (${words[reason] ?? plainLine(reason)})`;
}
