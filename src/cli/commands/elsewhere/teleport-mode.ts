import { z } from "zod";
import { agentFlags } from "../../turn/agent-flags.ts";
import type { CommandContext } from "../../command-context.ts";
import { defineCommand } from "../../define-command.ts";
import { cwdFlag } from "../../open-workspace.ts";
import { usageError, shellWord } from "../../../protocol/index.ts";
import { plainLine } from "../../plain-text.ts";
import { formatArrival, RestoreData } from "../../states/restore-here.ts";
import { shortId } from "../../states/short-id.ts";
import { receiveConversation, sendConversation } from "./teleport.ts";
import { TurnData } from "../../turn/turn-data.ts";
import { switchFlag, textFlag, argument, optionalArgument } from "../../common-flags.ts";

const args = z.object({
  target: argument("A git remote: an address, a path, or one of the repository's remotes"),
  prompt: optionalArgument("With --pull: continue right away with this prompt"),
  cwd: cwdFlag,
  pull: switchFlag("Fetch a conversation from there and restore its files"),
  conversation: textFlag(
    "id",
    "Which conversation (default: the one at the directory's head, or else the only one there)",
  ),
  ...agentFlags,
});

type Args = z.infer<typeof args>;

const data = z.strictObject({
  remote: z.string(),
  action: z.enum(["sent", "received"]),
  directory: z.string(),
  conversation_id: z.string(),
  state_id: z.string(),
  /** The words of the command that goes on: on the other machine, or here. */
  next: z.array(z.string()),
  restored: RestoreData.nullable(),
  turn: TurnData.nullable(),
});

export const teleportMode = defineCommand({
  name: "teleport-mode",
  summary: "Move a conversation to another machine",
  effects: { changes: "replaces", isRepeatable: false, reaches: "world" },
  args,
  positional: ["target", "prompt"],
  data,
  streaming: "on-request",
  examples: [
    "teleport-mode git@example.org:team/states.git",
    'teleport-mode git@example.org:team/states.git "Now add tests" --pull --cwd ./app',
  ],
  async run(given, context) {
    const { target, prompt, cwd, pull, conversation } = given;
    if (!pull) {
      if (prompt !== undefined) throw usageError("teleport-mode", "A prompt needs --pull", { target: "prompt" });
      return {
        ...(await sendConversation({ remote: target, cwd, conversation }, context)),
        restored: null,
        turn: null,
      };
    }
    const received = await receiveConversation({ remote: target, cwd, conversation }, context);
    return {
      ...received,
      turn: prompt === undefined ? null : await goOn(received.directory, { ...given, prompt }, context),
    };
  },
  format(moved, context) {
    const { green, cyan, dim } = context.terminal.colors;
    const next = cyan(moved.next.map((word) => shellWord(word)).join(" "));
    if (moved.turn) return "";
    if (moved.restored) return `${formatArrival(moved.restored, context, "Restored")}\n${dim("Continue:")} ${next}\n`;
    const sent = `${green("Sent")} ${shortId(moved.state_id)} to ${plainLine(moved.remote)}`;
    return `${sent}\n\n${dim("Continue there:")}\n  ${next}\n`;
  },
});

/** One more turn of the conversation, by the same command that people run. */
async function goOn(
  cwd: string,
  given: Args & { readonly prompt: string },
  context: CommandContext,
): Promise<TurnData> {
  const { prompt, offline, model, permissionMode, allowedTools, disallowedTools, allowWorktrees, reveal } = given;
  const run = await context.commands.load("run");
  const agent = { offline, model, permissionMode, allowedTools, disallowedTools, allowWorktrees, reveal };
  return TurnData.parse(await run.run(run.args.parse({ prompt, cwd, continue: true, ...agent }), context));
}
