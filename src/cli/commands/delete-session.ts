import { z } from "zod";
import { SkeinError, toSkeinError } from "../../core/index.ts";
import { findBySession, TraceIndex } from "../../trace/index.ts";
import type { Workspace } from "../../workspace/index.ts";
import { defineCommand } from "../define-command.ts";
import { cwdFlag, openWorkspace } from "../open-workspace.ts";
import { plainLine } from "../plain-text.ts";
import { sessionIdArgument } from "../protocol/session-data.ts";

/** Forgets a recorded conversation. One that is not there is as good as forgotten. */
export const deleteSession = defineCommand({
  name: "delete-session",
  summary: "Forget a recorded session",
  heading: "For programs:",
  effects: { changes: "replaces", isRepeatable: true, reaches: "workspace" },
  args: z.object({ sessionId: sessionIdArgument, cwd: cwdFlag }),
  positional: ["sessionId"],
  data: z.strictObject({
    session_id: z.string(),
    cwd: z.string(),
    deleted: z.boolean(),
    status: z.enum(["deleted", "not_found"]),
  }),
  examples: ["delete-session 01a1e04e-6a1c-7591-8015-e683b9dae774"],
  async run({ sessionId, cwd }, context) {
    await using workspace = await openWorkspace(cwd, context);
    const found = await idOf(workspace, sessionId);
    const deleted = found !== undefined && (await remove(workspace, found));
    const status = deleted ? ("deleted" as const) : ("not_found" as const);
    return { session_id: found ?? sessionId, cwd: workspace.path, deleted, status };
  },
  format: ({ session_id: id, status }) =>
    status === "deleted" ? `Deleted ${id}\n` : `There was no session ${plainLine(id)}\n`,
});

/** The conversation's own id. One that is damaged has it too: it is not read before it is forgotten. */
async function idOf(workspace: Workspace, id: string): Promise<string | undefined> {
  try {
    if ((await workspace.states.conversations()).has(id)) return id;
    await using index = await TraceIndex.open(workspace);
    return (await findBySession(index, id)).id;
  } catch (error) {
    if (error instanceof SkeinError && error.kind === "session_not_found") return undefined;
    throw error;
  }
}

async function remove({ states }: Workspace, id: string): Promise<boolean> {
  try {
    return await states.removeConversation(id);
  } catch (cause) {
    throw new SkeinError(`The session ${id} could not be deleted: ${toSkeinError(cause).message}`, {
      kind: "session_delete_failed",
      target: id,
      retryable: true,
      hint: "Nothing was changed. Check that the store is writable and that no turn is running in the session.",
      cause,
    });
  }
}
