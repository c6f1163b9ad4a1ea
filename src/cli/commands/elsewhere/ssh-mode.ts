import { createHash } from "node:crypto";
import { hostname } from "node:os";
import { basename } from "node:path";
import { z } from "zod";
import { errorFromRecord } from "../../../core/internal.ts";
import {
  checkCame,
  fetchConversation,
  preparePlace,
  runRemoteTurn,
  sendState,
  sshTarget,
  toWire,
  usageError,
  RestoreData,
} from "../../../protocol/index.ts";
import type { Workspace } from "../../../workspace/internal.ts";
import { defineCommand } from "../../define-command.ts";
import { cwdFlag, openForAgent } from "../../open-workspace.ts";
import { formatArrival, restoreHere } from "../../states/restore-here.ts";
import { shortId } from "../../states/short-id.ts";
import { recordHere } from "../../states/take-directory.ts";
import { agentFlags, limitFlags } from "../../turn/agent-flags.ts";
import { TurnData } from "../../turn/turn-data.ts";
import { turnSummary } from "../../turn/turn-summary.ts";
import { createTurnView } from "../../turn/turn-view.ts";
import { switchFlag, textFlag, listFlag, argument } from "../../common-flags.ts";

const args = z.object({
  host: argument("HOST or USER@HOST, as you would give it to ssh"),
  prompt: argument("What the agent should do"),
  cwd: cwdFlag,
  remoteCwd: textFlag("directory", "Its working directory there (default: its own under ~/skein-workspaces)"),
  remoteCommand: z.string().default("skein").meta({
    label: "command",
    description: "The shell command that runs Skein there",
  }),
  sshOption: listFlag("name=value", "Options for ssh -o"),
  ...agentFlags,
  ...limitFlags,
  continue: switchFlag("Continue the conversation at the directory's head"),
  adopt: switchFlag("Bring the resulting files here"),
});

type Args = z.infer<typeof args>;

export const sshMode = defineCommand({
  name: "ssh-mode",
  summary: "Run an agent on another machine",
  effects: { changes: "replaces", isRepeatable: false, reaches: "world" },
  args,
  positional: ["host", "prompt"],
  data: z.strictObject({
    host: z.string().describe("The other machine, as ssh knows it"),
    remote_cwd: z.string().describe("The directory there"),
    sent_state_id: z.string().describe("The state that was sent, which the turn began at"),
    turn: TurnData.describe("What the turn came to over there"),
    adopted: RestoreData.nullable().describe("What became of the files here; null unless its files were adopted"),
  }),
  streaming: "on-request",
  hasTurnEvents: true,
  errorDetails: z.object({
    remote_cwd: z.string().optional().describe("The directory there; absent where no turn was begun"),
  }),
  examples: [
    'ssh-mode build-box "Make the tests pass" --adopt',
    'ssh-mode me@10.0.0.7 "Now add tests" --continue --ssh-option Port=2222',
  ],
  async run(given, context) {
    const { signal } = context;
    const target = sshTarget(given.host, given.sshOption);
    await using workspace = await openForAgent(given.cwd, context);
    const directory = remoteDirectory(given, workspace);
    const sent = await recordHere(workspace, context);
    const place = await preparePlace(target, directory, signal);
    await sendState(workspace, sent, { place, signal });
    const flags = z.object({ ...agentFlags, ...limitFlags }).parse(given);
    const params = toWire({ prompt: given.prompt, ...flags, continue: given.continue });
    const asked = { command: given.remoteCommand, stateId: sent.id, params, data: TurnData };
    const { turn, error } = await runRemoteTurn(place, { ...asked, view: createTurnView(context) }, context);
    // What was done there is fetched even when somebody has had enough: it is recorded, and this is the only way to it.
    const { conversation_id: conversation, state_id: state } = turn;
    if (conversation !== null)
      await fetchConversation(workspace, conversation, { place, signal: AbortSignal.timeout(FETCH_MS) });
    await context.print(
      turnSummary(turn, { terminal: context.terminal, cwd: place.directory, isOffline: given.offline !== undefined }),
    );
    if (error) throw errorFromRecord(error.toJSON(), { remote_cwd: place.directory });
    const found = { host: given.host, remote_cwd: place.directory, sent_state_id: sent.id, turn };
    if (!given.adopt || state === null) return { ...found, adopted: null };
    await checkCame(workspace, conversation, { stateId: state, sentId: sent.id });
    return { ...found, adopted: await restoreHere(workspace, { state }, context) };
  },
  format({ turn, adopted }, context) {
    if (adopted) return `\n${formatArrival(adopted, context, "Adopted")}`;
    const { dim, cyan } = context.terminal.colors;
    return turn.state_id === null
      ? ""
      : `\n${dim("Bring it here:")} ${cyan(`skein adopt ${shortId(turn.state_id)}`)}\n`;
  },
});

const FETCH_MS = 600_000;

/** A directory of its own for each workspace of each machine, unless one is named. A path without / is below the home there. */
function remoteDirectory({ remoteCwd: given }: Args, { path }: Workspace): string {
  if (given === undefined) {
    const key = createHash("sha256").update(`${hostname()}\0${path}`).digest("hex").slice(0, 12);
    return `skein-workspaces/${basename(path).replaceAll(/[^\w.-]/gu, "-")}-${key}`;
  }
  const directory = given.replace(/^~\//u, "").replace(/\/+$/u, "");
  if (directory !== "" && directory !== "~" && !/[\0\r\n]/u.test(directory)) return directory;
  throw usageError("ssh-mode", `${JSON.stringify(given)} cannot be the remote directory`, {
    target: "--remote-cwd",
    hint: "Name a directory used for nothing else: the files from here replace its contents.",
  });
}
