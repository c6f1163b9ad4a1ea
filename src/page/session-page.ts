import {
  collectTurns,
  sumUsage,
  type Subagent,
  type TranscriptMessage,
  type UsageTotals,
} from "../transcript/internal.ts";
import { costText, tokensText, type IndexedSessionData } from "./session-data.ts";
import type { BranchMark, PageSource } from "./page-source.ts";
import { groupBy, offlineName, ownValue, scenarioOfMessage } from "../core/internal.ts";
import { formatMoment, dotted } from "../terminal/index.ts";

type SessionHead = Pick<
  IndexedSessionData,
  "session_id" | "title" | "first_prompt" | "project" | "started_at" | "models" | "usage"
>;

export interface PageTurn {
  /** Counted from 1; what stands before the first prompt is 0. */
  readonly number: number;
  readonly prompt: TranscriptMessage | undefined;
  readonly messages: readonly TranscriptMessage[];
  readonly usage: UsageTotals;
  readonly failures: number;
  readonly durationMs: number | undefined;
  /** Set where the conversation no longer stands on it. */
  readonly mark: BranchMark | undefined;
}

/** A session as every format shows it, wherever it was read from. */
export interface SessionPage {
  readonly head: SessionHead;
  readonly turns: readonly PageTurn[];
  readonly subagents: ReadonlyMap<string, readonly Subagent[]>;
  /** Sub-agents whose call is not there. */
  readonly strays: readonly Subagent[];
  readonly usageOf: (subagent: Subagent) => UsageTotals;
  /** Whether messages before or after are left out. */
  readonly isPart: boolean;
}

/** Puts a session together: turns with their cost, and sub-agents at the calls that started them. */
export function toSessionPage(head: SessionHead, source: PageSource, isPart = false): SessionPage {
  const { messages, subagents, marks, counted } = source;
  const parts = new Map(counted.map((message) => [message.messageId, [message, ...message.advisors]]));
  const usage = (some: readonly TranscriptMessage[]): UsageTotals => {
    const ids = new Set(some.flatMap((message) => message.usage?.messageId ?? []));
    return sumUsage([...ids].flatMap((id) => parts.get(id) ?? []));
  };
  const own = new Set(messages);
  const found = collectTurns({ messages, subagents });
  const first = found[0]?.prompt === undefined ? 0 : 1;
  const turns = found.map((turn, index): PageTurn => ({
    number: index + first,
    prompt: turn.prompt,
    messages: turn.messages.filter((message) => own.has(message) && message !== turn.prompt),
    usage: usage(turn.messages),
    failures: turn.messages.flatMap(({ toolUses }) => toolUses).filter(({ result }) => result?.isError === true).length,
    durationMs: durationOf(turn.messages),
    mark: turn.messages.map(({ uuid }) => marks.get(uuid ?? "")).find((mark) => mark !== undefined),
  }));
  return {
    head,
    turns,
    ...placeSubagents(messages, subagents),
    usageOf: (subagent) => usage(subagent.messages),
    isPart,
  };
}

/** Sub-agents within sub-agents, down to here; what is deeper is shown at the end. */
const MOST_NESTED = 8;

/** Finds for each sub-agent the call that leads to it. What nothing leads to, a ring among them, is a stray. */
function placeSubagents(
  messages: readonly TranscriptMessage[],
  subagents: readonly Subagent[],
): Pick<SessionPage, "subagents" | "strays"> {
  const byCall = groupBy(subagents, ({ parentToolUseId }) => parentToolUseId ?? "");
  const placed = new Map<string, readonly Subagent[]>();
  let reached: readonly TranscriptMessage[] = messages;
  for (let depth = 0; depth < MOST_NESTED && reached.length > 0; depth += 1) {
    const found = reached.flatMap(({ toolUses }) =>
      toolUses.flatMap(({ id }) => {
        if (id === "" || placed.has(id) || !byCall.has(id)) return [];
        placed.set(id, byCall.get(id) ?? []);
        return byCall.get(id) ?? [];
      }),
    );
    reached = found.flatMap((subagent) => subagent.messages);
  }
  const shown = new Set([...placed.values()].flat());
  return { subagents: placed, strays: subagents.filter((subagent) => !shown.has(subagent)) };
}

function durationOf(messages: readonly TranscriptMessage[]): number | undefined {
  const times = messages
    .flatMap(({ timestamp, endTimestamp }) => [Date.parse(timestamp ?? ""), Date.parse(endTimestamp ?? "")])
    .filter((time) => !Number.isNaN(time))
    .toSorted((left, right) => left - right);
  return (times.at(-1) ?? 0) - (times[0] ?? 0) || undefined;
}

export function labelOf({
  role,
  kind,
  model,
  messageId = "",
}: Pick<TranscriptMessage, "role" | "kind" | "model" | "messageId">): string {
  // What the CLI itself says in the model's name is marked so.
  const scenario = scenarioOfMessage(messageId);
  if (role === "assistant" && scenario !== undefined) return offlineName(scenario);
  if (role === "assistant") return model === "<synthetic>" ? "Claude Code" : (model ?? "Claude");
  return ownValue(LABELS, kind) ?? "User";
}

const LABELS: Readonly<Record<string, string>> = {
  meta: "Claude Code",
  "tool-result": "Tool",
  "command-output": "Command",
  interrupt: "Interrupted",
  "compact-summary": "Summary of what came before",
};

/** The models that answered; what the CLI says in a model's name is none. */
export function modelsOf({ models }: SessionHead): string {
  return models.filter((model) => model !== "<synthetic>").join(", ");
}

export function factsOf(head: SessionHead): string {
  const { project, started_at: startedAt, usage, session_id: id } = head;
  return dotted([
    project ?? "",
    momentOf(startedAt),
    modelsOf(head),
    `${tokensText(usage)} tokens`,
    costText(usage),
    id,
  ]);
}

/** A time of a transcript by the clock on the wall; nothing where it is none. */
export function momentOf(timestamp: string | null | undefined): string {
  const at = Date.parse(timestamp ?? "");
  return Number.isNaN(at) ? "" : formatMoment(at);
}
