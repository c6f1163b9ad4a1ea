import { existsSync } from "node:fs";
import { mkdir, readdir, rmdir } from "node:fs/promises";
import { SkeinError } from "../../core/internal.ts";
import { findConversation } from "../../trace/internal.ts";
import { pullStates, Workspace } from "../../workspace/internal.ts";

/** Fetches a conversation from a git remote into a directory, and lets the caller make that equal to its last state. */
export async function receiveConversation<Arrived>(
  {
    remote,
    directory,
    conversation,
  }: { readonly remote: string; readonly directory: string; readonly conversation?: string | undefined },
  { signal }: { readonly signal: AbortSignal },
  arrive: (workspace: Workspace, state: () => Promise<string>) => Promise<Arrived>,
): Promise<{ readonly directory: string; readonly conversationId: string; readonly arrived: Arrived }> {
  const isNew = !existsSync(directory);
  try {
    await mkdir(directory, { recursive: true });
    await using workspace = await Workspace.open(directory);
    await checkDirectory(workspace);
    // Fetching may leave the directory behind its conversation: where it stood is asked first.
    const before = (await workspace.states.head())?.conversationId;
    await pullStates(workspace, remote, { signal });
    const id = await chooseConversation(workspace, conversation === "@" ? before : (conversation ?? before));
    const arrived = await arrive(workspace, async () => (await workspace.states.tip(id)) ?? id);
    return { directory: workspace.path, conversationId: id, arrived };
  } catch (error) {
    // Only a directory that is empty goes away again.
    if (isNew) await rmdir(directory).catch(() => undefined);
    throw error;
  }
}

/** Files that nothing is recorded of are somebody's, and not to be replaced by a conversation's. */
async function checkDirectory({ path, states }: Workspace): Promise<void> {
  if ((await states.head()) || (await readdir(path)).length === 0) return;
  throw new SkeinError(`${path} has files of its own`, {
    kind: "usage",
    target: path,
    hint: "Give `cwd` a new or empty directory, or one where Skein has recorded something.",
  });
}

async function chooseConversation(workspace: Workspace, name: string | undefined): Promise<string> {
  if (name !== undefined) return await findConversation(workspace, name);
  const [only, ...others] = (await workspace.states.conversations()).keys();
  if (only !== undefined && others.length === 0) return only;
  throw new SkeinError(
    only === undefined ? "There is no conversation there" : "There are several conversations there",
    {
      kind: only === undefined ? "state_not_found" : "usage",
      target: "--conversation",
      hint: "Name one; the command that sent it printed its id.",
    },
  );
}
