import { defined, SkeinError, type SkeinEvent } from "../../core/index.ts";
import { ClaudeEngine, type ClaudeOptions } from "../../engine/index.ts";
import { Conversation, type Transition } from "../../trace/index.ts";
import { isolate, mergeHooks } from "../../isolation/index.ts";
import { installSkills } from "../skills/install-skills.ts";
import type { RenderedPrompt } from "../rendered-prompt.ts";
import type { ToolCall } from "../tool-policy.ts";
import { ownName, SERVER_KEY } from "../tools/bridged-name.ts";
import { createToolBridge } from "../tools/tool-bridge.ts";
import { afterCall, createEvaluationHooks } from "./evaluation-hooks.ts";
import type { EvaluationParts } from "./evaluation-parts.ts";
import { missingTools } from "./missing-tools.ts";

/** What one turn of an evaluation is asked. */
export interface TurnRequest {
  readonly rendered: RenderedPrompt;
  readonly text: string;
  /** What it goes on from; a new conversation where there is none. */
  readonly from: string | undefined;
}

/** Runs one turn of an evaluation, recorded as any other. */
export async function* evaluationTurn(
  parts: EvaluationParts<unknown>,
  { rendered, text, from }: TurnRequest,
): AsyncGenerator<SkeinEvent, Transition, void> {
  parts.offer(rendered.tools);
  const options = { ...turnOptions(parts, rendered), cwd: parts.workspace.path };
  const { isolation } = parts.adapter;
  await using installed = await installSkills(rendered.skills, options);
  await using isolated = isolation ? await isolate(isolation, installed.options) : undefined;
  await using conversation = await openConversation(parts, (isolated ?? installed).options, from);
  return yield* readTurn(conversation, parts, { rendered, text });
}

async function openConversation(
  { adapter, workspace, rendered, events, options: { session } }: EvaluationParts<unknown>,
  prepared: ClaudeOptions,
  from: string | undefined,
): Promise<Conversation> {
  // Where the agent works is the conversation's matter.
  const { cwd: _, ...options } = prepared;
  const { ns, key, hash } = rendered.descriptor;
  const metadata = { prompt: { ns, key, hash }, evaluationId: events.evaluationId, sessionId: session.id };
  const parts = { engine: adapter.engine ?? new ClaudeEngine(), options, metadata };
  return from === undefined
    ? await Conversation.start(workspace, parts)
    : await Conversation.load(workspace, from, parts);
}

/** The options of a turn: the adapter's, with the tools, the shape and the hooks of this evaluation. */
function turnOptions(parts: EvaluationParts<unknown>, { tools }: RenderedPrompt): ClaudeOptions {
  const { options = {}, model, maxResponses, permissionMode } = parts.adapter;
  const leftUsd = parts.limits.leftUsd();
  const server = tools.length === 0 ? {} : { [SERVER_KEY]: createToolBridge(tools, parts.runner) };
  return {
    // A value that was put into the prompt must not make the CLI read a file (`@path`) or run a command (`/name`).
    verbatimPrompts: true,
    ...options,
    ...defined({ model, maxResponses, permissionMode }),
    ...(leftUsd === undefined ? {} : { maxCostUsd: Math.min(leftUsd, options.maxCostUsd ?? Infinity) }),
    ...(parts.shape ? { outputSchema: parts.shape.jsonSchema } : {}),
    mcpServers: { ...options.mcpServers, ...server },
    hooks: mergeHooks(createEvaluationHooks(parts.hooks), options.hooks),
  };
}

/** Reads the turn, and looks after what its events say: the tools there are, tokens, calls that no hook told of. */
async function* readTurn(
  conversation: Conversation,
  parts: EvaluationParts<unknown>,
  { rendered, text }: Omit<TurnRequest, "from">,
): AsyncGenerator<SkeinEvent, Transition, void> {
  const { signal, limits } = parts;
  const calls = new Map<string, ToolCall>();
  const deadline = limits.deadline === undefined ? {} : { deadline: limits.deadline };
  const turn = conversation.stream({ text, attachments: [] }, { signal, ...deadline });
  let isOver = false;
  try {
    for (let next = await turn.next(); ; next = await turn.next()) {
      if (next.done) isOver = true;
      if (next.done) return next.value;
      const event = next.value;
      await noteEvent(event, parts, { rendered, calls });
      yield event;
    }
  } finally {
    // The reader left: handlers are to stop, and what they did is taken back before the turn is recorded.
    if (!isOver) parts.fail(new SkeinError("The evaluation was cancelled", { kind: "cancelled" }));
    await closeCalls(parts);
    await turn.return(undefined as never);
  }
}

async function noteEvent(
  event: SkeinEvent,
  parts: EvaluationParts<unknown>,
  { rendered, calls }: { readonly rendered: RenderedPrompt; readonly calls: Map<string, ToolCall> },
): Promise<void> {
  if (event.type === "usage" || event.type === "turn-end") {
    parts.meter.read(event);
    parts.limits.record(parts.events.evaluationId, parts.meter.spent());
  }
  if (event.type === "turn-start") {
    const missing = missingTools(event, rendered.tools);
    if (missing) parts.fail(missing);
  }
  if (event.type === "tool-start") {
    const { toolUseId: callId, tool, input } = event;
    calls.set(callId, { ...ownName(tool), input: input as ToolCall["input"], callId });
  }
  if (event.type === "tool-end") {
    const call = calls.get(event.toolUseId);
    if (call) await afterCall(parts.hooks, call, event);
  }
  // The directory is recorded once this event has been read: what is to be taken back goes before.
  if (event.type === "turn-end") await closeCalls(parts);
}

/** A turn that was ended leaves calls without a result: they failed. */
async function closeCalls({ hooks }: EvaluationParts<unknown>): Promise<void> {
  const output = "The call was cut off: the turn ended.";
  for (const call of hooks.log.open()) await afterCall(hooks, call, { isError: true, output });
}
