import { z } from "zod";
import { errorFromRecord } from "../../../core/internal.ts";
import { claudePrompt, readAttachment, type ClaudePrompt } from "../../../engine/internal.ts";
import { openOfflineModel } from "../../../offline/internal.ts";
import { usageError } from "../../../protocol/index.ts";
import { beginConversation } from "../../../trace/internal.ts";
import { defineCommand, type CommandContext } from "../../define-command.ts";
import { createFlag, makeMissing } from "../../make-missing.ts";
import { openForAgent } from "../../open-workspace.ts";
import { captureFlags, captureOptions } from "../../states/capture-flags.ts";
import { takeDirectory } from "../../states/take-directory.ts";
import { tellLeftOut } from "../../states/left-out.ts";
import { limitFlags, limitOptions, turnFlags } from "../../turn/agent-flags.ts";
import { openAgent } from "../../turn/open-agent.ts";
import { readInput } from "../../turn/read-input.ts";
import { runTurn } from "../../turn/run-turn.ts";
import { TurnData } from "../../turn/turn-data.ts";
import { turnSummary } from "../../turn/turn-summary.ts";
import { copyMounts } from "../../turn/setup/mounts.ts";
import { readSetup } from "../../turn/setup/read-setup.ts";
import { together } from "../../turn/setup/bound-flags.ts";
import { undoFailed, undoneField, undoOnFailureFlag } from "../../turn/undo-failed.ts";
import { turnEngine } from "../../turn/turn-engine.ts";
import { openTurnScreen } from "../../turn/open-turn-screen.ts";
import { switchFlag, textFlag, listFlag, argument } from "../../common-flags.ts";

const args = z.object({
  prompt: argument("What the agent should do; - reads it from standard input"),
  cwd: textFlag("directory", "Where the agent works (default: here)"),
  create: createFlag,
  ...turnFlags,
  ...limitFlags,
  attach: listFlag("file", "Images, PDFs or text files to send along"),
  continue: switchFlag("Continue the conversation at the directory's head"),
  from: textFlag("state", "Continue from this state, which must be the directory's head"),
  resume: textFlag("session", "Continue one of Claude Code's own sessions; the turn is not recorded"),
  import: textFlag(
    "session",
    "Continue one of Claude Code's own sessions and record it: its id or first characters, or its file",
  ),
  ...captureFlags,
  undoOnFailure: undoOnFailureFlag,
  record: z.boolean().default(true).meta({ description: "Do not record the turn, which means it cannot be undone" }),
});

type Args = z.infer<typeof args>;

export const run = defineCommand({
  name: "run",
  summary: "Run an agent on a prompt and record the turn",
  effects: { changes: "replaces", isRepeatable: false, reaches: "world" },
  args,
  positional: ["prompt"],
  conflicts: ["continue", "from", "resume", "import"],
  data: TurnData,
  streaming: "on-request",
  hasTurnEvents: true,
  errorDetails: z.object({
    before_state_id: z
      .string()
      .optional()
      .describe("The state that the turn began with; absent where it was not recorded"),
    turn: TurnData.optional().describe("What the turn came to; absent where none was begun"),
    ...undoneField,
  }),
  examples: [
    'run "Build a TODO app" --offline',
    'run "Fix the failing test" --cwd ./my-project --max-cost-usd 0.50',
    'run "Now add tests" --continue',
    'run "Now add tests" --import 5b3c',
    "run - --output-format json < prompt.md",
  ],
  rearrange: givePromptBack,
  async run(given, caller) {
    const isRecorded = checkRecording(given, caller);
    await makeMissing(given, caller);
    const prompt = await readPrompt(given, caller);
    const { view, context, onAsk } = openTurnScreen(caller, { isOffline: given.offline !== undefined });
    const setup = await readSetup(given, caller);
    const engine = await turnEngine(given, caller, { setup });
    await using workspace = await openForAgent(given.cwd, context, captureOptions(given));
    await using model = given.offline === undefined ? undefined : await openOfflineModel(given.offline);
    const { path: cwd } = workspace;
    await using agent = await openAgent(given, { context: caller, cwd, model, setup, onAsk });
    const options = { ...agent.options, ...limitOptions(given) };
    // A turn that was cut off here comes first: it is what `--continue` goes on from.
    await using _ = await takeDirectory(workspace, context);
    await copyMounts(setup.mounts, cwd);
    const parts = { engine, options, record: isRecorded, isClaimed: true };
    await using conversation = await beginConversation(workspace, given, parts);
    const { data, error } = await runTurn({ conversation, prompt, view, context, ...agent.told });
    if (isRecorded) await tellLeftOut(workspace, conversation.tip?.leftOut ?? [], context);
    const isTakenBack = error !== undefined && given.undoOnFailure && data.state_id !== null;
    const next = isTakenBack ? {} : { next: { env: context.env, cwd: given.cwd } };
    await context.print(
      turnSummary(data, { terminal: context.terminal, cwd, isOffline: model !== undefined, ...next }),
    );
    if (!error) return data;
    const told = { ...(data.before_state_id === null ? {} : { beforeStateId: data.before_state_id }), turn: data };
    if (!isTakenBack) throw errorFromRecord(error, told);
    await conversation.close();
    throw errorFromRecord(error, { ...told, undone: await undoFailed(workspace, context) });
  },
});

const NEED_A_RECORD = [
  ["import", "takes a session into the record"],
  ["continue", "continues a recorded conversation"],
  ["from", "continues a recorded conversation"],
] as const;

/** A session that Skein has no record of cannot be gone on with in a record. */
function checkRecording(given: Args, { notice }: CommandContext): boolean {
  const [field, why] = NEED_A_RECORD.find(([each]) => given[each] !== undefined && given[each] !== false) ?? [];
  if (!given.record && field !== undefined) {
    throw usageError("run", `--${field} ${why}, which --no-record rules out`, { target: `--${field}` });
  }
  if (given.ask === "remote" && (!given.record || given.resume !== undefined)) {
    throw together(
      "--ask remote",
      given.record ? "--resume" : "--no-record",
      "questions are shown by the turn's record",
    );
  }
  if (given.undoOnFailure && (!given.record || given.resume !== undefined)) {
    throw together(
      "--undo-on-failure",
      given.record ? "--resume" : "--no-record",
      "only a recorded turn can be taken back",
    );
  }
  if (given.resume === undefined || !given.record) return given.record;
  notice("The turn is not recorded: --resume continues a session that Skein has no record of; --import records it.");
  return false;
}

/** `--offline` may stand before the prompt, which then looks like its scenario. */
function givePromptBack(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { prompt, offline } = given;
  const isScenario = typeof offline !== "string" || /^\w+$|\.(?:json|m?js)$/u.test(offline);
  return prompt !== undefined || isScenario ? given : { ...given, prompt: offline, offline: "todo" };
}

async function readPrompt({ prompt, attach }: Args, context: CommandContext): Promise<ClaudePrompt> {
  const attachments = await Promise.all(attach.map((path) => readAttachment(path)));
  return claudePrompt({ text: prompt === "-" ? await readInput(context) : prompt, attachments });
}
