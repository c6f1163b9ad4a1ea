import { existsSync } from "node:fs";
import { basename, resolve } from "node:path";
import { z } from "zod";
import { receiveConversation, shellWord, usageError, RestoreData } from "../../../protocol/index.ts";
import { findConversation } from "../../../trace/internal.ts";
import { hideCredentials, pushStates } from "../../../workspace/internal.ts";
import { argument, optionalArgument, switchFlag, textFlag } from "../../common-flags.ts";
import { defineCommand, type CommandContext } from "../../define-command.ts";
import { cwdFlag, openWorkspace } from "../../open-workspace.ts";
import { plainLine } from "../../../terminal/index.ts";
import { formatArrival, restoreHere } from "../../states/restore-here.ts";
import { shortId } from "../../states/short-id.ts";
import { recordHere } from "../../states/take-directory.ts";
import { agentFlags } from "../../turn/agent-flags.ts";
import { TurnData } from "../../turn/turn-data.ts";
import { toTransferData } from "../store/transfer.ts";

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
  remote: z.string().describe("The machine and directory at the other end"),
  action: z.enum(["sent", "received"]).describe("Which way the conversation went"),
  directory: z.string().describe("The workspace here"),
  conversation_id: z.string().describe("The conversation that moved"),
  state_id: z.string().describe("Its last state"),
  next: z.array(z.string()).describe("The words of the command that goes on: on the other machine, or here"),
  restored: RestoreData.nullable().describe("What became of the files here; null where they were left"),
  turn: TurnData.nullable().describe("The turn that was run after it; null without a prompt"),
});

export const teleportMode = defineCommand({
  name: "teleport-mode",
  summary: "Move a conversation to another machine",
  effects: { changes: "replaces", isRepeatable: false, reaches: "world" },
  args,
  positional: ["target", "prompt"],
  data,
  streaming: "on-request",
  hasTurnEvents: true,
  examples: [
    "teleport-mode git@example.org:team/states.git",
    'teleport-mode git@example.org:team/states.git "Now add tests" --pull --cwd ./app',
  ],
  async run(given, context) {
    const { target: remote, prompt, cwd, conversation } = given;
    if (!given.pull) {
      if (prompt !== undefined) throw usageError("teleport-mode", "A prompt needs --pull", { target: "prompt" });
      return await sendConversation(given, context);
    }
    const directory = resolve(cwd ?? ".");
    const received = await receiveConversation({ remote, directory, conversation }, context, (workspace, state) =>
      restoreHere(workspace, { state }, context),
    );
    const { directory: path, arrived: restored } = received;
    return {
      remote: hideCredentials(remote),
      action: "received" as const,
      directory: path,
      conversation_id: received.conversationId,
      state_id: restored.state_id,
      next: ["skein", "run", "…", "--continue", "--cwd", path],
      restored,
      turn: prompt === undefined ? null : await goOn(path, given, context),
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

/** Sends a conversation, with the files as they are where it is the one that the directory stands at. */
async function sendConversation(
  { target, cwd, conversation }: Args,
  context: CommandContext,
): Promise<z.infer<typeof data>> {
  await using workspace = await openWorkspace(cwd, context);
  const { path, states } = workspace;
  const wanted = conversation === undefined ? undefined : await findConversation(workspace, conversation);
  const id = wanted ?? (await recordHere(workspace, context)).conversationId;
  const refs = await pushStates(workspace, target, context);
  const remote = hideCredentials(target);
  // Others that went on differently there are no matter of this one.
  const own = refs.filter(({ ref }) => ref.endsWith(`/${id}`));
  toTransferData(remote, own, "It already continued there; skein teleport-mode --pull fetches it.");
  const address = existsSync(target) ? resolve(target) : remote;
  return {
    remote,
    action: "sent",
    directory: path,
    conversation_id: id,
    state_id: await states.resolve(id),
    next: ["skein", "teleport-mode", address, "--pull", "--conversation", id, "--cwd", basename(path)],
    restored: null,
    turn: null,
  };
}

/** One more turn of the conversation, by the same command that people run, which takes the flags that it has. */
async function goOn(cwd: string, given: Args, context: CommandContext): Promise<TurnData> {
  const run = await context.commands.load("run");
  return TurnData.parse(await run.run(run.args.parse({ ...given, cwd, continue: true }), context));
}
