import { existsSync } from "node:fs";
import { mkdir, readdir, rmdir } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { SkeinError } from "../../../core/index.ts";
import { hideCredentials, pullStates, pushStates, Workspace } from "../../../workspace/index.ts";
import type { CommandContext } from "../../command-context.ts";
import { findConversation } from "../../../trace/index.ts";
import { openWorkspace } from "../../open-workspace.ts";
import { type RestoreData, restoreHere } from "../../states/restore-here.ts";
import { recordHere } from "../../states/take-directory.ts";
import { toTransferData } from "../store/transfer.ts";

interface Teleport {
  readonly remote: string;
  readonly cwd: string | undefined;
  readonly conversation: string | undefined;
}

interface Teleported {
  readonly remote: string;
  readonly action: "sent" | "received";
  readonly directory: string;
  readonly conversation_id: string;
  readonly state_id: string;
  readonly next: string[];
}

/** Sends a conversation, with the files as they are where it is the one that the directory stands at. */
export async function sendConversation(
  { remote, cwd, conversation }: Teleport,
  context: CommandContext,
): Promise<Teleported & { readonly action: "sent" }> {
  await using workspace = await openWorkspace(cwd, context);
  const { path, states } = workspace;
  const wanted = conversation === undefined ? undefined : await findConversation(workspace, conversation);
  const id = wanted ?? (await recordHere(workspace, context)).conversationId;
  const refs = await pushStates(workspace, remote, context);
  // Others that went on differently there are no matter of this one.
  toTransferData(
    hideCredentials(remote),
    refs.filter(({ ref }) => ref.endsWith(`/${id}`)),
    "It already continued there; skein teleport-mode --pull fetches it.",
  );
  const address = existsSync(remote) ? resolve(remote) : hideCredentials(remote);
  const next = ["skein", "teleport-mode", address, "--pull", "--conversation", id, "--cwd", basename(path)];
  const state = await states.resolve(id);
  return {
    remote: hideCredentials(remote),
    action: "sent",
    directory: path,
    conversation_id: id,
    state_id: state,
    next,
  };
}

/** Fetches a conversation, and makes a directory equal to its last state. */
export async function receiveConversation(
  { remote, cwd, conversation }: Teleport,
  context: CommandContext,
): Promise<Teleported & { readonly action: "received"; readonly restored: RestoreData }> {
  const directory = resolve(cwd ?? ".");
  const isNew = !existsSync(directory);
  try {
    await mkdir(directory, { recursive: true });
    await using workspace = await Workspace.open(directory);
    await checkDirectory(workspace);
    // Fetching may leave the directory behind its conversation: where it stood is asked first.
    const before = (await workspace.states.head())?.conversationId;
    await pullStates(workspace, remote, context);
    const id = await chooseConversation(workspace, conversation === "@" ? before : (conversation ?? before));
    const state = async (): Promise<string> => (await workspace.states.tip(id)) ?? id;
    const restored = await restoreHere(workspace, { state }, context);
    const next = ["skein", "run", "…", "--continue", "--cwd", workspace.path];
    const moved = {
      remote: hideCredentials(remote),
      action: "received" as const,
      directory: workspace.path,
      conversation_id: id,
      next,
    };
    return { ...moved, state_id: restored.state_id, restored };
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
    hint: "Give --cwd a new or empty directory, or one where Skein has recorded something.",
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
