import { resolve } from "node:path";
import { z } from "zod";
import { loadConversations } from "../../../workspace/index.ts";
import { defineCommand } from "../../define-command.ts";
import { cwdFlag, openToRead } from "../../open-workspace.ts";
import { shortId } from "../../states/short-id.ts";
import { argument } from "../../common-flags.ts";

/** Takes in a conversation from a file. */
export const load = defineCommand({
  name: "load",
  summary: "Load a conversation from a file",
  effects: { changes: "replaces", isRepeatable: true, reaches: "machine" },
  args: z.object({ file: argument("A file written by skein save"), cwd: cwdFlag }),
  positional: ["file"],
  data: z.strictObject({
    conversations: z.array(z.strictObject({ conversation_id: z.string(), state_id: z.string() })),
  }),
  examples: ["load todo-app.bundle"],
  async run({ file, cwd }, context) {
    await using workspace = await openToRead(cwd, context);
    const loaded = await loadConversations(workspace, resolve(file));
    return { conversations: [...loaded].map(([id, tip]) => ({ conversation_id: id, state_id: tip })) };
  },
  format({ conversations }, { terminal: { colors } }) {
    const lines = conversations.map(({ conversation_id: id, state_id: tip }) => {
      const state = shortId(tip);
      const how = colors.dim(
        `Continue it here: skein restore ${state}, then skein run --continue. In a new directory: skein branch ${state}`,
      );
      return `Loaded the conversation ${id}, which ends at ${colors.yellow(shortId(tip))}\n${how}\n`;
    });
    return lines.join("");
  },
});
