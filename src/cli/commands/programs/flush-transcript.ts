import { link, rename, rm, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { z } from "zod";
import { createId, formatJsonl, PRIVATE_FILE, SkeinError } from "../../../core/index.ts";
import { readConversation } from "../../../trace/index.ts";
import { defineCommand } from "../../define-command.ts";
import { cwdFlag, openWorkspace } from "../../open-workspace.ts";
import { plainLine } from "../../plain-text.ts";
import { countMessages, sessionIdArgument, toSessionData } from "./session-data.ts";
import { switchFlag, textFlag } from "../../common-flags.ts";

export const flushTranscript = defineCommand({
  name: "flush-transcript",
  summary: "Write a recorded session's transcript",
  effects: { changes: "replaces", isRepeatable: true, reaches: "machine" },
  args: z.object({
    sessionId: sessionIdArgument,
    cwd: cwdFlag,
    file: textFlag("path", "The file to write (default: <session>.jsonl)"),
    replace: switchFlag("Replace an existing file"),
  }),
  positional: ["sessionId"],
  data: z.strictObject({
    session_id: z.string(),
    path: z.string(),
    flushed: z.literal(true),
    /** Lines of the file: the main transcript's. */
    lines_count: z.int(),
    /** Messages of the whole transcript, those of sub-agents too, which are not in the file. */
    messages_count: z.int(),
    subagents_count: z.int(),
    input_tokens: z.int(),
    output_tokens: z.int(),
  }),
  examples: ["flush-transcript 01a1e04e-6a1c-7591-8015-e683b9dae774 --file session.jsonl"],
  async run({ sessionId, cwd, file, replace }, context) {
    await using workspace = await openWorkspace(cwd, context);
    const { conversation, session } = await readConversation(workspace, sessionId);
    const path = resolve(file ?? `${conversation.id}.jsonl`);
    await writeWhole(path, session.main.map(formatJsonl).join(""), replace);
    const { input_tokens, output_tokens } = toSessionData(conversation);
    return {
      session_id: conversation.id,
      path,
      flushed: true as const,
      lines_count: session.main.length,
      messages_count: countMessages(session),
      subagents_count: session.subagents.size,
      input_tokens,
      output_tokens,
    };
  },
  format: ({ path, lines_count: count }) => `${plainLine(path)}\n${count} lines\n`,
});

/** The file appears whole or not at all. What an agent was told is for its owner's eyes. */
async function writeWhole(path: string, text: string, replace: boolean): Promise<void> {
  const own = `${path}.${createId()}.tmp`;
  try {
    await writeFile(own, text, { flag: "wx", mode: PRIVATE_FILE });
    await (replace ? rename(own, path) : link(own, path));
  } catch (cause) {
    const isThere = (cause as NodeJS.ErrnoException).code === "EEXIST";
    throw new SkeinError(
      `The transcript cannot be written: ${isThere ? "the file already exists" : (cause as Error).message}`,
      {
        kind: "filesystem",
        target: path,
        hint: isThere ? "Name another file with --file, or add --replace" : "Name another file with --file",
        cause,
      },
    );
  } finally {
    await rm(own, { force: true });
  }
}
