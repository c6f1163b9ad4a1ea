import { z } from "zod";
import { errorFromRecord, SkeinError, type SkeinEvent } from "../../../core/internal.ts";
import { ClaudeEngine, claudePrompt, type ClaudeOptions } from "../../../engine/internal.ts";
import { confineTurn } from "../../../isolation/internal.ts";
import { openOfflineModel } from "../../../offline/internal.ts";
import {
  ALL_TOOLS_AT_ONCE,
  askOffer,
  findCommand,
  findRuledOut,
  findTool,
  OfferedCommand,
  OfferedTool,
  offlineInFolder,
  type TrustedSettings,
} from "../../../protocol/index.ts";
import { Conversation } from "../../../trace/internal.ts";
import type { Workspace } from "../../../workspace/internal.ts";
import { argument, timeoutFlag } from "../../common-flags.ts";
import { defineCommand, type CommandContext } from "../../define-command.ts";
import { openForAgent } from "../../open-workspace.ts";
import { plainText } from "../../../terminal/index.ts";
import { requireTrust } from "../../require-trust.ts";
import { takeDirectory } from "../../states/take-directory.ts";
import { agentFlags, agentOptions, type AgentFlags } from "../../turn/agent-flags.ts";
import { turnPermissions } from "../../turn/open-agent.ts";
import { runTurn, type TurnOutcome } from "../../turn/run-turn.ts";
import { TurnData } from "../../turn/turn-data.ts";
import { turnSummary } from "../../turn/turn-summary.ts";
import { openTurnScreen, type TurnScreen } from "../../turn/open-turn-screen.ts";
import { offerFlags } from "./offer.ts";

export const execCommand = defineCommand({
  name: "exec-command",
  summary: "Run a slash command or skill",
  effects: { changes: "replaces", isRepeatable: false, reaches: "world" },
  args: z.object({
    name: argument("Its name, with or without the slash; case is ignored"),
    prompt: z.string().default("").meta({ description: "Its arguments, as you would type them after the name" }),
    ...offerFlags,
    ...agentFlags,
    timeout: timeoutFlag,
  }),
  positional: ["name", "prompt"],
  data: TurnData.extend({
    handled: z.literal(true).describe("Always true: a command that is not offered is an error"),
    name: z.string().describe("The command's name as it is offered"),
    prompt: z.string().describe("The prompt that was sent: the slash command with its arguments"),
    source: OfferedCommand.shape.source.describe("Whose command it is"),
  }),
  streaming: "on-request",
  hasTurnEvents: true,
  errorDetails: z.object({
    name: z.string().optional().describe("The command's name as it is offered"),
    prompt: z.string().optional().describe("The prompt that was sent"),
    handled: z.literal(false).optional().describe("Always false"),
    turn: TurnData.optional().describe("What the turn came to; absent where none was begun"),
  }),
  examples: ['exec-command review "the last commit"', "exec-command context --offline"],
  async run(given, context) {
    await using workspace = await openForAgent(given.cwd, context);
    const trusted = await requireTrust(workspace.path, { ...given, context });
    const offer = await askOffer(workspace.path, { ...context, settings: trusted });
    const { name, source } = findCommand(given.name, offer.commands);
    await using model = given.offline === undefined ? undefined : await openOfflineModel(given.offline);
    const prompt = `/${name} ${given.prompt}`.trimEnd();
    const { data, error } = await runInFolder(workspace, {
      prompt,
      trusted,
      flags: given,
      screen: openTurnScreen(context, { isOffline: given.offline !== undefined }),
      context,
      options: model === undefined ? {} : offlineInFolder(model, context.env),
    });
    const cwd = workspace.path;
    await context.print(turnSummary(data, { terminal: context.terminal, cwd, isOffline: model !== undefined }));
    if (error) throw errorFromRecord(error, { name, prompt, handled: false, turn: data });
    return { ...data, handled: true as const, name, prompt, source };
  },
});

type ToolEnd = Extract<SkeinEvent, { readonly type: "tool-end" }>;

const Recorded = TurnData.pick({ files: true, state_id: true, transition_id: true, conversation_id: true });

const ToolCallData = z.strictObject({
  handled: z.literal(true).describe("Always true: a tool that cannot be called is an error"),
  name: z.string().describe("The tool's name as it is offered"),
  payload: z.record(z.string(), z.unknown()).describe("The input that the tool was given"),
  source: OfferedTool.shape.source.describe("Whose tool it is"),
  server: z.string().nullable().describe("The tool server that has it; null for a tool of Claude Code's own"),
  output: z.string().describe("What the tool answered, as text"),
  content: z
    .array(z.unknown())
    .nullable()
    .describe("The same in blocks, where it is more than one text, such as an image; null where the text is all"),
  is_error: z.boolean().describe("Whether the tool itself says that it failed: it was run all the same"),
  duration_ms: z.number().describe("How long the call took, in milliseconds"),
  ...Recorded.shape,
});
type ToolCallData = z.infer<typeof ToolCallData>;

export function toCallEnd(end: ToolEnd): Pick<ToolCallData, "output" | "content" | "is_error" | "duration_ms"> {
  const { output, isError, durationMs } = end;
  const rest = { is_error: isError, duration_ms: durationMs };
  if (!Array.isArray(output)) return { output: toText(output), content: null, ...rest };
  const blocks: readonly unknown[] = output;
  return { output: blocks.map(blockText).filter(Boolean).join("\n"), content: [...blocks], ...rest };
}

export function parsePayload(payload: string): Readonly<Record<string, unknown>> {
  const bad = (why: string): SkeinError =>
    new SkeinError(`The payload is not a JSON object: ${why}`, {
      kind: "parse",
      target: "payload",
      hint: `Give something like '{"command":"ls"}'; skein show-tool shows what a tool takes`,
    });
  let value: unknown;
  try {
    value = JSON.parse(payload);
  } catch (error) {
    throw bad((error as Error).message);
  }
  const parsed = z.record(z.string(), z.unknown()).safeParse(value);
  if (parsed.success) return parsed.data;
  throw bad(`it is ${Array.isArray(value) ? "a list" : value === null ? "null" : `a ${typeof value}`}`);
}

function blockText(block: unknown): string {
  const text = (block as { readonly text?: unknown } | null)?.text;
  return typeof text === "string" ? text : "";
}

function toText(output: unknown): string {
  if (output === undefined || output === null) return "";
  return typeof output === "string" ? output : JSON.stringify(output);
}

const NO_VIEW: TurnScreen["view"] = { begin: () => {}, show: async () => {}, pause: () => () => {}, end: () => {} };

/** Runs one tool for real: the embedded model names the call, the CLI decides about it and runs it. */
export const execTool = defineCommand({
  name: "exec-tool",
  summary: "Run one tool under the CLI's rules",
  effects: { changes: "replaces", isRepeatable: false, reaches: "world" },
  args: z.object({
    name: argument("Its name; case is ignored"),
    payload: argument("Its input, as a JSON object"),
    ...offerFlags,
    ...z.object(agentFlags).omit({ offline: true, model: true }).shape,
    timeout: timeoutFlag,
  }),
  positional: ["name", "payload"],
  data: ToolCallData,
  streaming: "on-request",
  hasTurnEvents: true,
  errorDetails: z.object({
    name: z.string().optional().describe("The tool's name as it is offered"),
    payload: z.record(z.string(), z.unknown()).optional().describe("The input that the tool was to be given"),
    handled: z.literal(false).optional().describe("Always false"),
    turn: TurnData.optional().describe("What the turn came to; absent where none was begun"),
  }),
  examples: [`exec-tool Bash '{"command":"ls"}'`, `exec-tool Read '{"file_path":"{{cwd}}/README.md"}'`],
  async run(given, context) {
    const payload = parsePayload(given.payload);
    await using workspace = await openForAgent(given.cwd, context);
    const trusted = await requireTrust(workspace.path, { ...given, context });
    const { name, source, server } = await findCallable(given, trusted, context);
    await using model = await openOfflineModel("direct");
    const { env, settings } = offlineInFolder(model, context.env);
    const ends: ToolEnd[] = [];
    const show = async (event: SkeinEvent): Promise<void> => void (event.type === "tool-end" && ends.push(event));
    const { data: turn, error } = await runInFolder(workspace, {
      prompt: `${name} ${JSON.stringify(payload)}`,
      trusted,
      flags: given,
      screen: { ...openTurnScreen(context), view: { ...NO_VIEW, show } },
      context,
      options: { env: { ...env, ...ALL_TOOLS_AT_ONCE }, settings, verbatimPrompts: true },
    });
    if (error) throw errorFromRecord(error, { name, payload, handled: false, turn });
    const [end] = ends;
    if (!end) throw new SkeinError(`The CLI did not run ${name}`, { kind: "runtime", target: name });
    const call = toCallEnd(end);
    if (end.isDenied) throw denied(name, call.output, { payload, turn });
    const recorded = Recorded.strip().parse(turn);
    return { handled: true as const, name, payload: { ...payload }, source, server, ...call, ...recorded };
  },
  format: ({ output }) => (output === "" ? "" : `${plainText(output).trimEnd()}\n`),
});

/** Finds the tool among those that are offered. One that only a rule keeps away is denied, not missing. */
async function findCallable(
  { name, disallowedTools: denies }: Pick<AgentFlags, "disallowedTools"> & { readonly name: string },
  settings: TrustedSettings,
  context: CommandContext,
): Promise<OfferedTool> {
  const { directory } = settings;
  const here = await askOffer(directory, { ...context, settings, options: { disallowedTools: denies } });
  try {
    return findTool(name, here.tools);
  } catch (error) {
    const bare = await askOffer(directory, context);
    const wanted = name.toLowerCase();
    const ruledOut = findRuledOut({ here, bare }).find((tool) => tool.name.toLowerCase() === wanted);
    throw ruledOut ? denied(ruledOut.name, "a rule keeps it from the model") : error;
  }
}

function denied(tool: string, message: string, details: Readonly<Record<string, unknown>> = {}): SkeinError {
  return new SkeinError(`The call to ${tool} was denied: ${message}`, {
    kind: "policy",
    target: tool,
    hint: `Allow it with \`allowedTools\` ${tool} or a rule in the folder's settings, unless another rule denies it`,
    details: { name: tool, handled: false, ...details },
  });
}

interface FolderTurn {
  readonly prompt: string;
  readonly trusted: TrustedSettings;
  readonly flags: Omit<AgentFlags, "offline"> & { readonly timeout?: number | undefined };
  readonly screen: TurnScreen;
  /** Where questions are asked. */
  readonly context: CommandContext;
  readonly options: Pick<ClaudeOptions, "env" | "settings" | "verbatimPrompts">;
}

/** Runs a turn as Claude Code would in the folder, with its settings, hooks, plugins and tool servers; records it as a new conversation. */
async function runInFolder(workspace: Workspace, turn: FolderTurn): Promise<TurnOutcome> {
  const { prompt, trusted, flags, context } = turn;
  const { view, context: shown, onAsk } = turn.screen;
  const { path: cwd } = workspace;
  await using _ = await takeDirectory(workspace, shown);
  const asking = { context, cwd, onAsk };
  const { options: allowed, ...told } = await turnPermissions(flags.permissionMode, asking);
  const { reveal, allowWorktrees, timeout } = flags;
  const given = {
    ...trusted.options,
    ...agentOptions({ ...flags, offline: undefined }, allowed),
    ...(timeout === undefined ? {} : { timeoutMs: Math.ceil(timeout * 1000) }),
    ...turn.options,
  };
  const options = await confineTurn(given, { hostEnv: context.env, cwd, reveal, allowWorktrees });
  const parts = { engine: new ClaudeEngine(), options, isClaimed: true };
  await using conversation = await Conversation.start(workspace, parts);
  const show = async (event: SkeinEvent): Promise<void> => {
    if (event.type === "turn-start") await trusted.verify();
    await view.show(event);
  };
  // Looked at once more: questions, and the recording of what was there, take their time.
  await trusted.verify();
  return await runTurn({
    conversation,
    prompt: claudePrompt(prompt),
    view: { ...view, show },
    context: shown,
    ...told,
  });
}
