import { z } from "zod";
import { parseSize } from "../../snapshot/index.ts";
import type { WorkspaceOptions } from "../../workspace/internal.ts";
import { defined } from "../../core/internal.ts";
import { listFlag } from "../common-flags.ts";

/** The flags that say what states hold, for every command that records one. */
export const captureFlags = {
  include: listFlag("glob", "Files to record even if ignored, secret or heavy, such as .env"),
  sizeLimit: z
    .string()
    .refine((text) => parseSize(text) !== undefined, "is not a size: write 200MB or 1.5GB")
    .optional()
    .meta({
      label: "size",
      description: "Larger files are not recorded (default: SKEIN_SIZE_LIMIT, or 50MB)",
    }),
} as const;

export function captureOptions(given: {
  readonly include: readonly string[];
  readonly sizeLimit?: string | undefined;
}): WorkspaceOptions {
  const sizeLimitBytes = given.sizeLimit === undefined ? undefined : parseSize(given.sizeLimit);
  return {
    ...(given.include.length === 0 ? {} : { include: given.include }),
    ...defined({ sizeLimitBytes }),
  };
}
