import { z } from "zod";
import { configuredValues } from "../../../config/internal.ts";
import { defined, errorFromRecord, SkeinError, systemClock, type SkeinEvent } from "../../../core/internal.ts";
import type { TurnLoop } from "../../../trace/internal.ts";
import {
  ClaudeSDKClient,
  claudePrompt,
  detectCredentials,
  findCli,
  type ClaudeOptions,
} from "../../../engine/internal.ts";
import { detectSandbox } from "../../../isolation/internal.ts";
import { openOfflineModel, type OfflineModel } from "../../../offline/internal.ts";
import {
  askOffer,
  describeSetUp,
  matchedNames,
  rankOffer,
  RouteMatch,
  SetUp,
  usageError,
} from "../../../protocol/index.ts";
import { argument } from "../../common-flags.ts";
import { defineCommand, type CommandContext } from "../../define-command.ts";
import { createFlag, makeMissing } from "../../make-missing.ts";
import { cwdFlag, findAgentFolder, openForAgent } from "../../open-workspace.ts";
import { agentFlags, turnFlags } from "../../turn/agent-flags.ts";
import { undoneField, undoOnFailureFlag } from "../../turn/undo-failed.ts";
import { readSetup } from "../../turn/setup/read-setup.ts";
import { beforeFailure, beforeField, LoopTurnData } from "./turn-loop-data.ts";
import { runLoop, type LoopEnd } from "./turn-loop.ts";

const args = z.object({
  prompt: argument("What the agent should do"),
  cwd: cwdFlag,
  create: createFlag,
  limit: z.coerce.number().int().min(0).default(5).meta({
    label: "count",
    description: "Match at most this many commands and tools in total",
  }),
  undoOnFailure: undoOnFailureFlag,
  ...turnFlags,
});

const data = z.strictObject({
  prompt: z.string().describe("The prompt of the turn"),
  limit: z.int().describe("The most commands and tools that were matched"),
  cwd: z.string().describe("The workspace"),
  setup: SetUp.describe("What was found on this machine"),
  routed_matches: z
    .array(RouteMatch)
    .describe("The commands and tools that the prompt seems to be about, the best first"),
  command_execution_messages: z.array(z.string()).describe("What a slash command answered, where the prompt is one"),
  tool_execution_messages: z.array(z.string()).describe("How the calls of each tool of the turn went, a line each"),
  turn: LoopTurnData.describe("What the turn came to"),
  conversation_id: z.string().nullable().describe("The conversation of the turn; null where nothing was recorded"),
  persisted_session_path: z
    .string()
    .nullable()
    .describe("The store that holds the turn and its session; null where nothing was recorded"),
});

export const bootstrap = defineCommand({
  name: "bootstrap",
  summary: "Report the setup, route a prompt, run one turn",
  effects: { changes: "replaces", isRepeatable: false, reaches: "world" },
  args,
  positional: ["prompt"],
  data,
  streaming: "on-request",
  hasTurnEvents: true,
  errorDetails: data.partial().extend({ ...beforeField, ...undoneField }),
  examples: ['bootstrap "Build a TODO app" --offline', 'bootstrap "Fix the failing test" --output-format json'],
  async run(given, context) {
    if (given.prompt.trim() === "") {
      throw usageError("bootstrap", "The prompt is empty", { target: "prompt", hint: "Say what the agent should do." });
    }
    await makeMissing(given, context);
    const setup = await readSetup(given, context);
    const directory = await findAgentFolder(given.cwd, context);
    const machine = await describeSetUp(directory, context);
    const routed = await route(given, directory, context);
    const { prompt, limit } = given;
    const limits = { maxTurns: 1, ...configuredEnd(context) };
    const end = await runLoop({ ...given, setup, ...limits, match: () => matchedNames(routed) }, context);
    const found = { ...toData(end), prompt, limit, setup: machine, routed_matches: routed };
    const { stop_reason: reason } = found.turn;
    if (reason === "completed" || reason === "max_budget_reached") return found;
    const told = { ...found, ...beforeFailure(found.turn), ...defined({ undone: end.undone }) };
    if (end.error) throw errorFromRecord(end.error, told);
    throw new SkeinError("The turn was cancelled", { kind: "cancelled", details: told });
  },
  format({ setup, routed_matches: matches, turn }) {
    const routed = matches.map(({ kind, name, score }) => `${kind}\t${name}\t${score}\n`);
    const about = `Claude Code ${setup.cli_version}, Node ${setup.node_version}, ${setup.platform_name}\n`;
    return `\n${about}${routed.join("")}stop_reason=${turn.stop_reason}\n`;
  },
});

/** It has no flags for these. */
function configuredEnd({ configuration }: CommandContext): Pick<TurnLoop, "maxCostUsd" | "deadline"> {
  const { maxCostUsd, timeoutSeconds } = (configuration && configuredValues(configuration).budget) ?? {};
  const deadline = timeoutSeconds === undefined ? undefined : systemClock.now() + timeoutSeconds * 1000;
  return defined({ maxCostUsd, deadline });
}

async function route(
  { prompt, limit }: z.infer<typeof args>,
  directory: string,
  context: CommandContext,
): Promise<RouteMatch[]> {
  if (limit === 0) return [];
  // The turn reads no settings files, so it is offered what there is without them.
  const offer = await askOffer(directory, { env: context.env, signal: context.signal });
  return rankOffer(prompt, offer).slice(0, limit);
}

function toData({
  cwd,
  turns,
  recorded,
}: LoopEnd): Omit<z.infer<typeof data>, "prompt" | "limit" | "setup" | "routed_matches"> {
  const [turn] = turns as readonly [LoopTurnData];
  return {
    cwd,
    command_execution_messages: turn.prompt.startsWith("/") && turn.output !== "" ? [turn.output] : [],
    tool_execution_messages: turn.tools.map(
      ({ tool, calls, errors, denied }) => `${tool}: ${calls} called, ${errors} failed, ${denied} denied`,
    ),
    turn,
    conversation_id: recorded?.conversationId ?? null,
    persisted_session_path: recorded?.storePath ?? null,
  };
}

const Stage = z.strictObject({
  stage: z.string().describe("The stage's name"),
  summary: z.string().describe("What happens in it"),
  after: z.array(z.string()).describe("The stages that have to be over before it can begin"),
  started_ms: z.number().describe("When it began, in milliseconds since the process was started"),
  duration_ms: z.number().describe("How long it took, in milliseconds"),
});
type Stage = z.infer<typeof Stage>;

/** Goes through the whole start-up once, up to the model's first word, and measures its stages. */
export const bootstrapGraph = defineCommand({
  name: "bootstrap-graph",
  summary: "List the stages of startup with their times",
  effects: { changes: "nothing", isRepeatable: true, reaches: "machine" },
  args: z.object({ cwd: cwdFlag, model: agentFlags.model }),
  data: z.strictObject({
    cwd: z.string().describe("The folder that an agent was started for"),
    cli_version: z.string().describe("The version of Claude Code"),
    stages: z.array(Stage).describe("The stages that a start goes through, as measured now"),
    total_ms: z.number().describe("From the start of the process to the end of the last stage, in milliseconds"),
    note: z.string().describe("How it was measured"),
  }),
  examples: ["bootstrap-graph", "bootstrap-graph --output-format json"],
  async run({ cwd, model }, context) {
    const clock = createStageClock({ stage: "load-command", summary: "Node starts and loads the command" });
    await using workspace = await clock.measure(
      { stage: "open-workspace", summary: "The directory's store is opened", after: ["load-command"] },
      () => openForAgent(cwd, context),
    );
    const { version } = await lookAround(clock, context);
    await using offline = await clock.measure(
      { stage: "start-model", summary: "The embedded model listens", after: ["load-command"] },
      () => openOfflineModel("direct"),
    );
    await startAgent(clock, offline, { cwd: workspace.path, signal: context.signal, ...defined({ model }) });
    const { stages } = clock;
    const last = stages.at(-1);
    return {
      cwd: workspace.path,
      cli_version: version,
      stages,
      total_ms: (last?.started_ms ?? 0) + (last?.duration_ms ?? 0),
      note: "Measured just now, stage by stage, against the embedded model; nothing was recorded.",
    };
  },
  format({ stages, total_ms: total }, { terminal: { colors } }) {
    const width = Math.max(...stages.map(({ stage }) => stage.length));
    const lines = stages.map(
      ({ stage, summary, duration_ms: ms }) =>
        `${stage.padEnd(width)}  ${`${ms.toFixed(1)} ms`.padStart(11)}  ${colors.dim(summary)}\n`,
    );
    return `${lines.join("")}${"all".padEnd(width)}  ${`${total.toFixed(1)} ms`.padStart(11)}\n`;
  },
});

async function lookAround(clock: StageClock, { env }: CommandContext): Promise<{ readonly version: string }> {
  const look = <T>(stage: string, summary: string, work: () => Promise<T>): Promise<T> =>
    clock.measure({ stage, summary, after: ["load-command"] }, work);
  await look("detect-sandbox", "Tests the sandbox for Bash", () => detectSandbox({ path: env["PATH"] }));
  await look("detect-credentials", "Looks for a key or a login", () => detectCredentials(env));
  return await look("find-cli", "Finds the CLI and asks for its version", () => findCli());
}

async function startAgent(
  clock: StageClock,
  { env }: OfflineModel,
  options: Pick<ClaudeOptions, "cwd" | "model" | "signal">,
): Promise<void> {
  await using client = new ClaudeSDKClient({ ...options, persistSession: false, env });
  await clock.measure(
    { stage: "spawn", summary: "Loads the SDK and starts the CLI", after: ["find-cli", "start-model"] },
    () => client.connect(),
  );
  await clock.measure({ stage: "ready", summary: "The CLI answers its first question", after: ["spawn"] }, () =>
    client.mcpStatus(),
  );
  const waiting = [...TURN_STAGES];
  let end = clock.begin(TURN_STAGES[0]);
  // Read to its very end: what watches over a turn is let go of only there.
  for await (const event of client.stream(claudePrompt("say ok"))) {
    if (event.type === "turn-end" && event.result.error) throw errorFromRecord(event.result.error);
    if (event.type !== waiting[0]?.ends) continue;
    end();
    waiting.shift();
    if (waiting[0]) end = clock.begin(waiting[0]);
  }
}

const TURN_STAGES = [
  {
    stage: "init-message",
    summary: "The CLI takes a prompt and reports its session",
    after: ["ready"],
    ends: "turn-start",
  },
  {
    stage: "first-text",
    summary: "The model is called and starts to answer",
    after: ["init-message"],
    ends: "text-delta",
  },
  { stage: "result", summary: "The turn is over", after: ["first-text"], ends: "turn-end" },
] as const satisfies readonly (StageToDo & { readonly ends: SkeinEvent["type"] })[];

type StageToDo = Pick<Stage, "stage" | "summary"> & { readonly after?: readonly string[] };

type StageClock = ReturnType<typeof createStageClock>;

/** Makes a clock whose first stage is what came before it: everything since the process was started. */
function createStageClock(before: StageToDo) {
  const stages: Stage[] = [toStage(before, 0)];
  const begin = (stage: StageToDo): (() => void) => {
    const startedMs = performance.now();
    return () => void stages.push(toStage(stage, startedMs));
  };
  const measure = async <T>(stage: StageToDo, work: () => Promise<T>): Promise<T> => {
    const end = begin(stage);
    const value = await work();
    end();
    return value;
  };
  return { stages, begin, measure };
}

function toStage({ stage, summary, after = [] }: StageToDo, startedMs: number): Stage {
  const round = (ms: number): number => Math.round(ms * 10) / 10;
  const durationMs = performance.now() - startedMs;
  return { stage, summary, after: [...after], started_ms: round(startedMs), duration_ms: round(durationMs) };
}
