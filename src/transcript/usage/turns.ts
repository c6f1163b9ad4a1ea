import type { Subagent, Transcript } from "../model/transcript.ts";
import type { TranscriptMessage } from "../model/transcript-message.ts";

/** One prompt, up to the next: its messages, and those of the sub-agents that it started. */
export interface TranscriptTurn {
  /** Undefined for what stands before the first prompt. */
  readonly prompt: TranscriptMessage | undefined;
  readonly messages: readonly TranscriptMessage[];
}

/** The turns of a transcript in the order of the file, those of rewound branches too. */
export function collectTurns(transcript: Pick<Transcript, "messages" | "subagents">): readonly TranscriptTurn[] {
  const turns: { prompt: TranscriptMessage | undefined; messages: TranscriptMessage[] }[] = [];
  const turnOfCall = new Map<string, number>();
  for (const message of transcript.messages) {
    const isPrompt = message.kind === "prompt";
    if (isPrompt || turns.length === 0) turns.push({ prompt: isPrompt ? message : undefined, messages: [] });
    turns.at(-1)?.messages.push(message);
    for (const { id } of message.toolUses) turnOfCall.set(id, turns.length - 1);
  }
  for (const subagent of transcript.subagents) {
    // One whose call is not known goes to the last turn, rather than to none.
    const turn = turnOfCall.get(rootCallOf(subagent, transcript.subagents) ?? "") ?? turns.length - 1;
    turns[turn]?.messages.push(...subagent.messages);
  }
  return turns;
}

/** The call in the main conversation that a sub-agent, or the one that started it, came from. */
function rootCallOf(subagent: Subagent, all: readonly Subagent[]): string | undefined {
  const seen = new Set<Subagent>();
  let at = subagent;
  while (at.parentAgentId !== undefined && !seen.has(at)) {
    seen.add(at);
    const parent = all.find(({ agentId }) => agentId === at.parentAgentId);
    if (parent === undefined) break;
    at = parent;
  }
  return at.parentToolUseId;
}
