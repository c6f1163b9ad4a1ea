import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { z } from "zod";
import { saveConversation, loadConversations } from "../../../workspace/index.ts";
import { defineCommand } from "../../define-command.ts";
import { findConversation } from "../../../trace/index.ts";
import { formatBytes } from "../../format-amounts.ts";
import { cwdFlag, openToRead } from "../../open-workspace.ts";
import { plainLine } from "../../plain-text.ts";
import { argument } from "../../common-flags.ts";
import { shortId } from "../../states/short-id.ts";

export const save = defineCommand({
  name: "save",
  summary: "Save a conversation to one file",
  effects: { changes: "replaces", isRepeatable: true, reaches: "machine" },
  args: z.object({
    id: argument("The conversation's id or its first characters, or @"),
    file: argument("The file to write, a git bundle"),
    cwd: cwdFlag,
  }),
  positional: ["id", "file"],
  data: z.strictObject({ conversation_id: z.string(), file: z.string(), bytes: z.int() }),
  examples: ["save @ todo-app.bundle"],
  async run({ id: name, file, cwd }, context) {
    await using workspace = await openToRead(cwd, context);
    const id = await findConversation(workspace, name);
    const path = resolve(file);
    await saveConversation(workspace, id, path);
    return { conversation_id: id, file: path, bytes: (await stat(path)).size };
  },
  format({ conversation_id: id, file, bytes }, { terminal: { colors } }) {
    const how = colors.dim("Load it elsewhere: skein load FILE");
    return `The conversation ${id} is in\n  ${colors.bold(plainLine(file))} (${formatBytes(bytes)})\n${how}\n`;
  },
});

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
