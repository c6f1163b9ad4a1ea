import {
  type Attributes,
  type Context,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import type { EventOf, SkeinEvent, ToolEndEvent, ToolStartEvent, TurnResult, UsageEvent } from "../../core/internal.ts";
import { GEN_AI } from "./names.ts";
import { costAttributes, operation, toolFailure, type TurnInstruments, usageAttributes } from "./turn-instruments.ts";

/** What the spans of a turn are made with. */
export interface TurnSpansOptions {
  readonly tracer: Tracer;
  readonly instruments: TurnInstruments;
  /** What was active in the host when the turn was asked for. */
  readonly parent: Context;
  readonly captureContent: boolean;
  /** The prompt as text, and the model that was asked for. */
  readonly prompt: string;
  readonly model: string | undefined;
}

interface OpenSpan {
  readonly span: Span;
  readonly context: Context;
}

interface OpenTool extends OpenSpan {
  /** The kind of sub-agent that the call starts, where it starts one. */
  readonly agentName: string;
}

/** A response that is being written, by the tool call that its agent works for. */
interface OpenResponse {
  readonly span: Span;
  readonly messageId: string;
  readonly model: string;
  readonly startedMs: number;
  /** When it was last heard of: that is its end where nobody tells it. */
  heardMs: number;
}

/** The main agent speaks for no tool call. */
const MAIN = "";

/** The spans of one turn: the agent, its responses, its tool calls, and below those the same of each sub-agent. */
export class TurnSpans {
  readonly #options: TurnSpansOptions;
  readonly #agents = new Map<string, OpenSpan>();
  readonly #tools = new Map<string, OpenTool>();
  readonly #responses = new Map<string, OpenResponse>();
  #isOver = false;

  constructor(options: TurnSpansOptions) {
    this.#options = options;
    const { model, captureContent, prompt } = options;
    const agent = this.#startAgent("claude-code", options.parent, Date.now());
    if (model !== undefined) agent.span.setAttribute(GEN_AI.requestModel, model);
    if (captureContent) agent.span.setAttribute(GEN_AI.inputMessages, message("user", prompt));
    this.#agents.set(MAIN, agent);
  }

  /** The context in which the agent's own process is started, so that what it exports joins the trace. */
  get context(): Context {
    return this.#agents.get(MAIN)?.context ?? this.#options.parent;
  }

  read(event: SkeinEvent): void {
    const speaker = event.parentToolUseId ?? MAIN;
    const atMs = Date.parse(event.timestamp);
    if (event.sessionId) this.#agents.get(MAIN)?.span.setAttribute(GEN_AI.conversationId, event.sessionId);
    if (speaker !== MAIN && this.#tools.has(speaker)) this.#agent(speaker, atMs);
    const response = this.#responses.get(speaker);
    if (response && event.type !== "tool-end") response.heardMs = atMs;
    if (event.type === "status") this.#agents.get(speaker)?.span.addEvent(event.status, atMs);
    if (event.type === "turn-start") this.#started(event);
    if (event.type === "usage") this.#respond(event, speaker, atMs);
    if (event.type === "tool-start") this.#startTool(event, speaker, atMs);
    if (event.type === "tool-end") this.#endTool(event, atMs);
    if (event.type === "turn-end") this.#end(event.result, atMs);
  }

  /** Ends what is open: of a turn that broke, or whose reader left. */
  close(failure?: unknown): void {
    const agent = this.#agents.get(MAIN);
    if (this.#isOver || !agent) return;
    const type = failure === undefined ? "cancelled" : kindOf(failure);
    agent.span.setAttribute(GEN_AI.errorType, type).setStatus({ code: SpanStatusCode.ERROR });
    this.#endAll(Date.now());
  }

  #started({ model }: EventOf<"turn-start">): void {
    this.#agents.get(MAIN)?.span.setAttribute(GEN_AI.requestModel, model);
  }

  #respond(event: UsageEvent, speaker: string, atMs: number): void {
    let open = this.#responses.get(speaker);
    if (open?.messageId !== event.messageId) {
      this.#endResponse(speaker);
      open = this.#startResponse(event, speaker, atMs);
    }
    open.span.setAttributes({ ...usageAttributes(event.usage), [GEN_AI.responseModel]: event.model });
    if (!event.isFinal) return;
    if (event.stopReason !== undefined) open.span.setAttribute(GEN_AI.finishReasons, [event.stopReason]);
    this.#endResponse(speaker);
  }

  #startResponse({ messageId, model }: UsageEvent, speaker: string, startedMs: number): OpenResponse {
    const attributes = { ...operation("chat"), [GEN_AI.requestModel]: model, [GEN_AI.responseId]: messageId };
    const { context } = this.#agent(speaker, startedMs);
    const span = this.#start(`chat ${model}`, { kind: SpanKind.CLIENT, attributes, startedMs }, context).span;
    const response = { span, messageId, model, startedMs, heardMs: startedMs };
    this.#responses.set(speaker, response);
    return response;
  }

  #endResponse(speaker: string): void {
    const open = this.#responses.get(speaker);
    if (!open) return;
    this.#responses.delete(speaker);
    open.span.end(open.heardMs);
    this.#options.instruments.response(open.model, open.heardMs - open.startedMs);
  }

  #startTool({ toolUseId, tool, input }: ToolStartEvent, speaker: string, startedMs: number): void {
    const attributes = {
      ...operation("execute_tool"),
      [GEN_AI.toolName]: tool,
      [GEN_AI.toolCallId]: toolUseId,
      [GEN_AI.toolType]: tool.startsWith("mcp__") ? "extension" : "function",
      ...this.#content({ [GEN_AI.toolArguments]: input }),
    };
    const { context } = this.#agent(speaker, startedMs);
    const open = this.#start(`execute_tool ${tool}`, { kind: SpanKind.INTERNAL, attributes, startedMs }, context);
    this.#tools.set(toolUseId, { ...open, agentName: subagentIn(input) });
  }

  #endTool(event: ToolEndEvent, atMs: number): void {
    this.#options.instruments.tool(event);
    const open = this.#tools.get(event.toolUseId);
    if (!open) return;
    const failure = toolFailure(event);
    open.span.setAttributes({ ...failure, ...this.#content({ [GEN_AI.toolResult]: event.output }) });
    if (event.isError || event.isDenied) open.span.setStatus({ code: SpanStatusCode.ERROR });
    this.#endAgent(event.toolUseId, atMs);
    open.span.end(atMs);
    this.#tools.delete(event.toolUseId);
  }

  #end(result: TurnResult, atMs: number): void {
    this.#options.instruments.turn(result);
    const { span } = this.#agent(MAIN, atMs);
    span.setAttributes({
      ...usageAttributes(result.usage),
      ...costAttributes(result),
      [GEN_AI.responseModel]: result.model,
      ...(result.stopReason === undefined ? {} : { [GEN_AI.finishReasons]: [result.stopReason] }),
    });
    if (this.#options.captureContent) span.setAttribute(GEN_AI.outputMessages, message("assistant", result.text));
    if (result.isError) {
      span.setAttribute(GEN_AI.errorType, result.error?.kind ?? "runtime");
      const said = this.#options.captureContent ? result.error?.message : undefined;
      span.setStatus({ code: SpanStatusCode.ERROR, ...(said === undefined ? {} : { message: said }) });
    }
    this.#endAll(atMs);
  }

  /** The agent that speaks: a sub-agent begins with the first that is heard of it, below the call that it works for. */
  #agent(speaker: string, atMs: number): OpenSpan {
    const known = this.#agents.get(speaker);
    if (known) return known;
    const call = this.#tools.get(speaker);
    const agent = this.#startAgent(call?.agentName ?? "sub-agent", call?.context ?? this.context, atMs);
    this.#agents.set(speaker, agent);
    return agent;
  }

  #startAgent(name: string, parent: Context, startedMs: number): OpenSpan {
    const attributes = { ...operation("invoke_agent"), [GEN_AI.agentName]: name };
    return this.#start(`invoke_agent ${name}`, { kind: SpanKind.INTERNAL, attributes, startedMs }, parent);
  }

  #endAgent(speaker: string, atMs: number): void {
    this.#endResponse(speaker);
    this.#agents.get(speaker)?.span.end(atMs);
    this.#agents.delete(speaker);
  }

  #endAll(atMs: number): void {
    this.#isOver = true;
    for (const speaker of this.#responses.keys()) this.#endResponse(speaker);
    for (const { span } of this.#tools.values()) span.end(atMs);
    // The main agent is the first: those below it end before it.
    for (const speaker of [...this.#agents.keys()].toReversed()) this.#endAgent(speaker, atMs);
  }

  #start(
    name: string,
    about: { readonly kind: SpanKind; readonly attributes: Attributes; readonly startedMs: number },
    parent: Context,
  ): OpenSpan {
    const { kind, attributes, startedMs } = about;
    const span = this.#options.tracer.startSpan(name, { kind, attributes, startTime: startedMs }, parent);
    return { span, context: trace.setSpan(parent, span) };
  }

  /** What was said and done stays out of spans unless it is asked for. */
  #content(values: Readonly<Record<string, unknown>>): Attributes {
    if (!this.#options.captureContent) return {};
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, asText(value)]));
  }
}

function message(role: string, content: string): string {
  return JSON.stringify([{ role, parts: [{ type: "text", content }] }]);
}

function subagentIn(input: unknown): string {
  const type =
    typeof input === "object" && input !== null && "subagent_type" in input ? input.subagent_type : undefined;
  return typeof type === "string" ? type : "sub-agent";
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function kindOf(failure: unknown): string {
  const kind: unknown = typeof failure === "object" && failure !== null && "kind" in failure ? failure.kind : undefined;
  return typeof kind === "string" ? kind : "runtime";
}
