import { z } from "zod";
import { findLeftOutGit } from "../../snapshot/index.ts";
import type { Workspace } from "../../workspace/internal.ts";

export const LeftOutData = z.strictObject({
  path: z.string().describe("Below the workspace; a folder's ends with a slash"),
  reason: z
    .string()
    .describe("Why no state holds it: `secret`, `heavy`, `too-large` …, or the rule that leaves it out"),
  size_bytes: z.number().describe("Its size"),
});

export type LeftOutData = z.infer<typeof LeftOutData>;

export const UnheldData = LeftOutData.extend({
  change: z.enum(["gone", "changed", "replaced", "unheld", "added"]).describe("What became of it since"),
});

export type UnheldData = z.infer<typeof UnheldData>;

/** The repository that the directory is in and whose HEAD and index no state of it holds; null where there is none such. */
export const GitLeftOutData = z
  .strictObject({
    reason: z
      .enum(["subdirectory", "unsupported", "gone"])
      .describe("The directory is a folder of it, its `.git` is of a kind that is not read, or a turn has removed it"),
    repository: z.string().describe("The repository's folder"),
  })
  .nullable();

export type GitLeftOutData = z.infer<typeof GitLeftOutData>;

export function gitLeftOut({ view }: Pick<Workspace, "view">): GitLeftOutData {
  return findLeftOutGit(view) ?? null;
}
