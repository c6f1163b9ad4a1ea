import { z } from "zod";
import { defined, parseJson, SkeinError } from "../../core/internal.ts";
import { isBranchName, isUnfinishedFile } from "../../git/index.ts";
import type { GitState } from "../snapshot-store.ts";

export type WantedGit = Omit<GitState, "indexId">;

const GitFile = z
  .strictObject({
    version: z.literal(1),
    head: z
      .string()
      .regex(/^[0-9a-f]{40}$/)
      .optional(),
    branch: z.string().refine(isBranchName, "is not the full name of a branch").optional(),
    detached: z.boolean(),
    unfinished: z.record(z.string(), z.string()).optional(),
  })
  .refine(
    ({ detached, branch, head }) => (detached ? head !== undefined && branch === undefined : branch !== undefined),
    "names neither a branch nor a detached head",
  );

/** What it says ends up in the user's `.git`: only what git itself could have left there is taken. */
export function parseGitFile(content: Buffer): WantedGit {
  const parsed = GitFile.safeParse(parseJson(content.toString("utf8")));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw refused(`${issue?.path.join(".") || "its root"}: ${issue?.message}`, parsed.error);
  }
  const { head, branch, detached, unfinished } = parsed.data;
  const files = Object.entries(unfinished ?? {});
  const wrong = files.find(([name, text]) => !isUnfinishedFile(name, text));
  if (wrong) throw refused(`unfinished: ${JSON.stringify(wrong[0].slice(0, 200))} is not what git leaves there`);
  if (files.length > MOST_FILES) throw refused(`unfinished: there are ${files.length} files`);
  return defined({ head, branch, detached, unfinished });
}

const MOST_FILES = 4000;

function refused(why: string, cause?: unknown): SkeinError {
  return new SkeinError(`A snapshot's git.json cannot be used: ${why}`, {
    kind: "policy",
    target: "git.json",
    hint: "It was made by a newer version of Skein, or not by Skein; nothing was changed",
    cause,
  });
}
