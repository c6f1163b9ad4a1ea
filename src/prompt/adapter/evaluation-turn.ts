import { z } from "zod";
import { defined, SkeinError, type SkeinEvent, type ToldUsage, type TurnStartEvent } from "../../core/internal.ts";
import { ClaudeEngine, createUsageReader, type ClaudeOptions } from "../../engine/internal.ts";
import { isolate, mergeHooks } from "../../isolation/internal.ts";
import { Conversation, type Transition } from "../../trace/internal.ts";
import { installSkills } from "../skills/install-skills.ts";
import type { RenderedPrompt } from "../template/render-prompt.ts";
import { bridgedName, createToolBridge, SERVER_KEY, toCall } from "../tools/tool-bridge.ts";
import type { ToolCall } from "../tools/tool-policy.ts";
import type { AnyTool } from "../tools/tool.ts";
import { afterCall, createEvaluationHooks } from "./evaluation-hooks.ts";
import type { Evaluation } from "./evaluation.ts";
import { createToolRunner } from "./tool-runner.ts";

/** Runs one turn of an evaluation, recorded as any other: a new conversation, or on from an old one. */
export async function* evaluationTurn(
  evaluation: Evaluation,
  { rendered, text }: { readonly rendered: RenderedPrompt; readonly text: string },
  from: string | undefined,
): AsyncGenerator<SkeinEvent, Transition, void> {
  const options = { ...turnOptions(evaluation, rendered), cwd: evaluation.workspace.path };
  const { isolation } = evaluation.adapter;
  await using installed = await installSkills(rendered.skills, options);
  await using isolated = isolation ? await isolate(isolation, installed.options) : undefined;
  await using conversation = await openConversation(evaluation, (isolated ?? installed).options, from);
  const limit = defined({ deadline: evaluation.limits.deadline });
  const turn = conversation.stream({ text, attachments: [] }, { signal: evaluation.ending.signal, ...limit });
  return yield* readTurn(turn, evaluation, rendered.tools);
}

async function openConversation(
  { adapter, workspace, rendered, events, options: { session } }: Evaluation,
  prepared: ClaudeOptions,
  from: string | undefined,
): Promise<Conversation> {
  // Where the agent works is the conversation's matter.
  const { cwd: _, ...options } = prepared;
  const { ns, key, hash } = rendered.descriptor;
  const metadata = { prompt: { ns, key, hash }, evaluationId: events.evaluationId, sessionId: session.id };
  const turn = { engine: adapter.engine ?? new ClaudeEngine(), options, metadata };
  return from === undefined
    ? await Conversation.start(workspace, turn)
    : await Conversation.load(workspace, from, turn);
}

function turnOptions(evaluation: Evaluation, { tools }: RenderedPrompt): ClaudeOptions {
  const { options = {}, model, maxResponses, permissionMode } = evaluation.adapter;
  const leftUsd = evaluation.limits.leftUsd();
  const usage = createUsageReader();
  const server = tools.length === 0 ? {} : { [SERVER_KEY]: createToolBridge(tools, createToolRunner(evaluation)) };
  return {
    // A value that was put into the prompt must not make the CLI read a file (`@path`) or run a command (`/name`).
    verbatimPrompts: true,
    ...options,
    ...defined({ model, maxResponses, permissionMode }),
    ...(leftUsd === undefined ? {} : { maxCostUsd: Math.min(leftUsd, options.maxCostUsd ?? Infinity) }),
    ...(evaluation.shape ? { outputSchema: evaluation.shape.jsonSchema } : {}),
    mcpServers: { ...options.mcpServers, ...server },
    onMessage(message) {
      // At once: events may be read later than the hook is asked for the response's first call.
      const told = usage.read(message);
      if (told) count(evaluation, told);
      options.onMessage?.(message);
    },
    hooks: mergeHooks(createEvaluationHooks(evaluation), options.hooks),
  };
}

/** Reads the turn, and looks after what its events say: the tools there are, tokens, calls that no hook told of. */
async function* readTurn(
  turn: AsyncGenerator<SkeinEvent, Transition, void>,
  evaluation: Evaluation,
  tools: readonly AnyTool[],
): AsyncGenerator<SkeinEvent, Transition, void> {
  const calls = new Map<string, ToolCall>();
  let isOver = false;
  try {
    for (let next = await turn.next(); ; next = await turn.next()) {
      if (next.done) isOver = true;
      if (next.done) return next.value;
      if (next.value.type === "turn-start") requireTools(next.value, tools, evaluation);
      await noteEvent(next.value, evaluation, calls);
      yield next.value;
    }
  } finally {
    // The reader left: handlers are to stop, and what they did is taken back before the turn is recorded.
    if (!isOver) evaluation.ending.fail(new SkeinError("The evaluation was cancelled", { kind: "cancelled" }));
    await closeCalls(evaluation);
    await turn.return(undefined as never);
  }
}

async function noteEvent(event: SkeinEvent, evaluation: Evaluation, calls: Map<string, ToolCall>): Promise<void> {
  if (event.type === "usage" || event.type === "turn-end") count(evaluation, event);
  if (event.type === "tool-start") calls.set(event.toolUseId, toCall(event.tool, event.input, event.toolUseId));
  if (event.type === "tool-end") {
    const call = calls.get(event.toolUseId);
    if (call) await afterCall(evaluation, call, event);
  }
  // The directory is recorded once this event has been read: what is to be taken back goes before.
  if (event.type === "turn-end") await closeCalls(evaluation);
}

function count({ meter, limits, events }: Evaluation, event: SkeinEvent | ToldUsage): void {
  meter.read(event);
  limits.record(events.evaluationId, meter.spent());
}

/** A turn that was ended leaves calls without a result: they failed. */
async function closeCalls(evaluation: Evaluation): Promise<void> {
  const output = "The call was cut off: the turn ended.";
  for (const call of evaluation.log.open()) await afterCall(evaluation, call, { isError: true, output });
}

const rawSchema = z.looseObject({
  mcp_servers: z.array(z.looseObject({ name: z.string(), status: z.string() })).optional(),
});

/** A turn that begins without a tool of its prompt fails: an agent without it would do something else instead. */
function requireTools(
  { tools: offered, raw }: TurnStartEvent,
  tools: readonly AnyTool[],
  { ending }: Evaluation,
): void {
  const missing = tools.map(({ name }) => name).filter((name) => !offered.includes(bridgedName(name)));
  if (missing.length === 0) return;
  const servers = rawSchema.safeParse(raw).data?.mcp_servers ?? [];
  const status = servers.find(({ name }) => name === SERVER_KEY)?.status ?? "absent";
  const options = {
    kind: "mcp",
    target: missing.join(","),
    hint: `Their server is ${status}; look for rules that forbid mcp__${SERVER_KEY}, and try again.`,
  } as const;
  ending.fail(new SkeinError(`The agent was started without the tools ${missing.join(", ")} of its prompt`, options));
}
