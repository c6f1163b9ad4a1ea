import { z } from "zod";
import { findLeftOutGit } from "../../snapshot/index.ts";
import type { Workspace } from "../../workspace/index.ts";
import { plainLine } from "../plain-text.ts";

/** The repository that the directory is in and whose HEAD and index no state of it holds; null where there is none such. */
export const GitLeftOutData = z
  .strictObject({
    /** The directory is a folder of it, its `.git` is of a kind that is not read, or a turn has removed it. */
    reason: z.enum(["subdirectory", "unsupported", "gone"]),
    repository: z.string(),
  })
  .nullable();

/** The repository whose HEAD and index no state holds, as the envelope tells it. */
export type GitLeftOutData = z.infer<typeof GitLeftOutData>;

/** Looks for it. */
export function gitLeftOut({ view }: Pick<Workspace, "view">): GitLeftOutData {
  return findLeftOutGit(view) ?? null;
}

/** The same after a turn, which may have removed a repository that the state before it held. */
export async function gitLeftOutByTurn(
  workspace: Workspace,
  { before, after }: { readonly before: string | undefined; readonly after: string | undefined },
): Promise<GitLeftOutData> {
  const [had, has] = await Promise.all([before, after].map((id) => holdsGit(workspace, id)));
  return had && !has ? { reason: "gone", repository: workspace.path } : gitLeftOut(workspace);
}

async function holdsGit({ states }: Workspace, id: string | undefined): Promise<boolean> {
  return id !== undefined && (await states.read(id)).entries.has("git.json");
}

/** That its HEAD and index stay as they are, for people; no line where all is held. */
export function gitLeftOutLines(data: GitLeftOutData): string[] {
  if (data === null) return [];
  const where = plainLine(data.repository);
  const why = {
    subdirectory: `this is a folder inside ${where}, whose HEAD and index are left as they are`,
    unsupported: `the .git of ${where} is a link, or of a kind Skein does not read; its HEAD and index are left as they are`,
    gone: `the repository of ${where} is gone; no state holds its commits, and an undo does not bring it back`,
  };
  return [`not recorded: ${why[data.reason]}`];
}
