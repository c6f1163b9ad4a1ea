import { basename } from "node:path";
import { z } from "zod";
import { defined, SkeinError } from "../../../core/internal.ts";
import { ClaudeEngine } from "../../../engine/internal.ts";
import { Conversation } from "../../../trace/internal.ts";
import { Workspace } from "../../../workspace/internal.ts";
import { agentFields, placeOf } from "../launch-body.ts";
import { route } from "../route.ts";
import { flagFields, sessionParameters, toFlagData } from "./session-routes.ts";

export const setSessionFlags = route({
  method: "PUT",
  path: "/api/sessions/{session}/flags",
  operation: "setSessionFlags",
  summary: "Pins a session, puts it away, or notes up to when it was read; what is left out stays",
  parameters: sessionParameters,
  body: z.strictObject({
    pinned: z.boolean().optional().describe("Whether it is pinned"),
    archived: z.boolean().optional().describe("Whether it is put away"),
    read_to: z.iso
      .datetime({ offset: true })
      .nullable()
      .optional()
      .describe("Up to when it was read, ISO 8601; null where it was not"),
  }),
  data: z.strictObject({ session_id: z.string().describe("The session's id"), ...flagFields }),
  async answer({ session: id, body: { pinned, archived, read_to: readTo } }, { transcripts, flags }) {
    const session = await transcripts.useTotals((totals) => totals.session(id));
    // Of one that was joined with others since, what was said before goes on.
    await flags.set(session.id, { ...flags.of(session), ...defined({ pinned, archived, readTo }) });
    return { session_id: session.id, ...toFlagData(session, flags) };
  },
});

export const importSession = route({
  method: "POST",
  path: "/api/sessions/{session}/import",
  operation: "importSession",
  summary: "Records the beginning of a conversation that goes on with a session; its own transcript stays as it is",
  parameters: sessionParameters,
  body: z.strictObject({ workspace: agentFields.workspace, directory: agentFields.directory }),
  data: z.strictObject({
    workspace_id: z.string().describe("The workspace's id"),
    workspace: z.string().describe("The workspace's path"),
    conversation_id: z.string().describe("The conversation, which is the directory's now: `continue` goes on with it"),
    state_id: z.string().describe("The state that it begins with: the files as they are, and the session"),
  }),
  async answer({ session: id, body }, context) {
    const { transcripts, dataHome } = context;
    const session = await transcripts.useTotals((totals) => totals.session(id));
    const file = session.files.findLast(({ isSubagent, isPurged }) => !isSubagent && !isPurged)?.path;
    if (file === undefined) {
      throw new SkeinError(`The transcript of the session ${session.id} is gone`, {
        kind: "session_not_found",
        target: session.id,
      });
    }
    await using workspace = await Workspace.open(await placeOf(body, context), { home: dataHome });
    // No turn is run: the engine is for those that follow, and of its settings there are none to record.
    await using conversation = await Conversation.import(workspace, { file }, { engine: new ClaudeEngine() });
    return {
      workspace_id: basename(workspace.home),
      workspace: workspace.path,
      conversation_id: conversation.id,
      state_id: conversation.tip?.id ?? "",
    };
  },
});
