import { recordState } from "../../src/trace/record/record-state.ts";
import type { Execution, State } from "../../src/trace/index.ts";
import type { Workspace } from "../../src/workspace/index.ts";
import { createId, isoTime } from "../../src/core/internal.ts";

/** What may be said of a turn that is recorded without being run. */
export interface MadeTurn extends Partial<
  Pick<Execution, "outcome" | "error" | "costUsd" | "scenario" | "model" | "response" | "durationMs" | "usage">
> {
  readonly prompt: string;
  readonly tools?: readonly string[];
  readonly atMs?: number;
}

/** Records turns that nobody ran, one after the other, as a conversation; gives their states. The files stay as they are. */
export async function recordTurns(workspace: Workspace, turns: readonly MadeTurn[]): Promise<readonly State[]> {
  const conversationId = createId(workspace.clock);
  const snapshot = await workspace.snapshot();
  const states: State[] = [];
  let parent = await recordState(workspace, { kind: "start", conversationId, snapshot, settings: {} });
  for (const [at, { prompt, tools = [], atMs = workspace.clock.now(), ...known }] of turns.entries()) {
    const file = {
      id: createId(workspace.clock),
      conversationId,
      turn: at + 1,
      prompt: { text: prompt, attachments: [] },
      execution: { ...PLAIN_EXECUTION, tools: tools.map(toTool), startedAt: isoTime(atMs), ...known },
      recordedAt: isoTime(atMs),
      metadata: {},
      rewards: {},
    };
    const segment = {
      main: [{ type: "user", uuid: file.id, message: { role: "user", content: prompt } }],
      subagents: new Map(),
    };
    const place = {
      ...workspace,
      states: workspace.states,
      clock: { ...workspace.clock, now: () => atMs },
    } as Workspace;
    parent = await recordState(place, {
      kind: "turn",
      conversationId,
      snapshot,
      parent,
      settings: {},
      turn: { file, segment },
    });
    states.push(parent);
  }
  await workspace.states.moveTip(conversationId, { from: undefined, to: parent.id });
  return states;
}

const USAGE = { inputTokens: 10, outputTokens: 20, cacheReadTokens: 30, cacheWriteTokens: 40 };

/** What a turn did that did nothing. */
export const PLAIN_EXECUTION: Execution = {
  response: "fine",
  sessionId: "session",
  model: "claude-sonnet-5-5",
  outcome: "completed",
  isError: false,
  costUsd: 0.01,
  usage: USAGE,
  usageByModel: { "claude-sonnet-5-5": { ...USAGE, costUsd: 0.01 } },
  durationMs: 100,
  responses: 1,
  startedAt: "2026-01-01T00:00:00.000Z",
  permissionDenials: [],
  tools: [],
  ledger: { source: "result", isLowerBound: false, subagents: {}, mismatches: [] },
};

function toTool(tool: string, at: number): Execution["tools"][number] {
  return {
    toolUseId: `t${at}`,
    tool,
    startedAt: "2026-01-01T00:00:00.000Z",
    durationMs: 1,
    isError: false,
    isDenied: false,
    isOpen: false,
  };
}
