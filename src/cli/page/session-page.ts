import {
  collectTurns,
  sumUsage,
  type CountedMessage,
  type CountedUsage,
  type Subagent,
  type TranscriptMessage,
  type UsageTotals,
} from "../../transcript/index.ts";
import type { IndexedSessionData } from "../commands/transcripts/session-data.ts";
import type { BranchMark, PageSource } from "./page-source.ts";
import { ownValue } from "../../core/index.ts";
import { formatMoment } from "../format-time.ts";
import { costText, tokensText } from "../commands/transcripts/usage-data.ts";

/** What is known of a session as a whole. */
type SessionHead = Pick<
  IndexedSessionData,
  "session_id" | "title" | "first_prompt" | "project" | "started_at" | "models" | "usage"
>;

/** One turn as it is shown. */
export interface PageTurn {
  /** Counted from 1; what stands before the first prompt is 0. */
  readonly number: number;
  /** Undefined for what stands before the first prompt. */
  readonly prompt: TranscriptMessage | undefined;
  /** What came after the prompt, in the main conversation. */
  readonly messages: readonly TranscriptMessage[];
  /** Tokens and money, sub-agents included. */
  readonly usage: UsageTotals;
  /** How many calls of tools failed, in sub-agents too. */
  readonly failures: number;
  readonly durationMs: number | undefined;
  /** Set where the conversation no longer stands on it. */
  readonly mark: BranchMark | undefined;
}

/** A session as every format shows it, wherever it was read from. */
export interface SessionPage {
  readonly head: SessionHead;
  readonly turns: readonly PageTurn[];
  /** Sub-agents by the call that started them. */
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
  const parts = new Map(counted.map((message) => [message.messageId, message]));
  const usage = (some: readonly TranscriptMessage[]): UsageTotals => {
    const ids = new Set(some.flatMap((message) => message.usage?.messageId ?? []));
    return sumUsage([...ids].flatMap((id) => partsOf(parts.get(id))));
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

function partsOf(counted: CountedMessage | undefined): readonly CountedUsage[] {
  return counted === undefined ? [] : [counted, ...counted.advisors];
}

/** Sub-agents within sub-agents, down to here; what is deeper is shown at the end. */
const MOST_NESTED = 8;

/** Finds for each sub-agent the call that leads to it. What nothing leads to, a ring among them, is a stray. */
function placeSubagents(
  messages: readonly TranscriptMessage[],
  subagents: readonly Subagent[],
): Pick<SessionPage, "subagents" | "strays"> {
  const byCall = new Map<string, Subagent[]>();
  for (const subagent of subagents) {
    const call = subagent.parentToolUseId ?? "";
    byCall.set(call, [...(byCall.get(call) ?? []), subagent]);
  }
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
    .filter((time) => !Number.isNaN(time));
  const [first, last] = [
    times.reduce((a, b) => Math.min(a, b), Infinity),
    times.reduce((a, b) => Math.max(a, b), -Infinity),
  ];
  return last > first ? last - first : undefined;
}

/** Who speaks. */
export function labelOf({ role, kind, model }: Pick<TranscriptMessage, "role" | "kind" | "model">): string {
  // What the CLI itself says in the model's name is marked so.
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

/** What there is to know of a session, in one line. */
export function factsOf(head: SessionHead): string {
  return [
    head.project ?? "",
    head.started_at === null ? "" : formatMoment(Date.parse(head.started_at)),
    modelsOf(head),
    `${tokensText(head.usage)} tokens`,
    costText(head.usage),
    head.session_id,
  ]
    .filter((fact) => fact !== "")
    .join(" · ");
}

/** A time of a transcript by the clock on the wall; nothing where it is none. */
export function momentOf(timestamp: string | undefined): string {
  const at = Date.parse(timestamp ?? "");
  return Number.isNaN(at) ? "" : formatMoment(at);
}
