import type { Insertable, Selectable } from "kysely";
import { microUsd, toUsd, type MicroUsd } from "../../core/index.ts";
import type { IndexedState, IndexedTurn, ToolUse } from "./indexed-state.ts";
import type { StateTable } from "./schema.ts";

/** A state as it is read: its row, joined with its body where it has one. */
export type StateRow = Selectable<Omit<StateTable, "row">> & {
  readonly prompt: string | null;
  readonly response: string | null;
};

/** The row of a state. */
export function toStateRow(state: IndexedState): Insertable<StateTable> {
  const { turn } = state;
  return {
    id: state.id,
    parentId: state.parentId ?? null,
    kind: state.kind,
    conversationId: state.conversationId,
    recordedAtMs: state.recordedAtMs,
    depth: state.depth,
    rewards: JSON.stringify(state.rewards),
    transitionId: turn?.transitionId ?? null,
    sessionId: turn?.sessionId ?? null,
    model: turn?.model ?? null,
    outcome: turn?.outcome ?? null,
    errorKind: turn?.errorKind ?? state.errorKind ?? null,
    stopReason: turn?.stopReason ?? null,
    costMicroUsd: microUsd(turn?.costUsd ?? 0),
    inputTokens: turn?.inputTokens ?? 0,
    outputTokens: turn?.outputTokens ?? 0,
    cacheReadTokens: turn?.cacheReadTokens ?? 0,
    cacheWriteTokens: turn?.cacheWriteTokens ?? 0,
    durationMs: turn?.durationMs ?? 0,
    tools: JSON.stringify(turn?.tools ?? []),
    filesCreated: turn?.filesCreated ?? 0,
    filesModified: turn?.filesModified ?? 0,
    filesDeleted: turn?.filesDeleted ?? 0,
  };
}

/** The state of a row. */
export function fromStateRow(row: StateRow): IndexedState {
  return {
    id: row.id,
    ...(row.parentId === null ? {} : { parentId: row.parentId }),
    kind: row.kind,
    conversationId: row.conversationId,
    recordedAtMs: row.recordedAtMs,
    depth: row.depth,
    ...(row.kind === "unreadable" && row.errorKind !== null ? { errorKind: row.errorKind } : {}),
    ...(row.outcome === null ? {} : { turn: toTurn(row, row.outcome) }),
    rewards: JSON.parse(row.rewards) as IndexedState["rewards"],
  };
}

function toTurn(row: StateRow, outcome: IndexedTurn["outcome"]): IndexedTurn {
  return {
    transitionId: row.transitionId ?? "",
    prompt: row.prompt ?? "",
    response: row.response ?? "",
    sessionId: row.sessionId ?? "",
    model: row.model ?? "",
    outcome,
    ...(row.errorKind === null ? {} : { errorKind: row.errorKind }),
    ...(row.stopReason === null ? {} : { stopReason: row.stopReason }),
    costUsd: toUsd(row.costMicroUsd as MicroUsd),
    inputTokens: row.inputTokens,
    outputTokens: row.outputTokens,
    cacheReadTokens: row.cacheReadTokens,
    cacheWriteTokens: row.cacheWriteTokens,
    durationMs: row.durationMs,
    tools: JSON.parse(row.tools) as readonly ToolUse[],
    filesCreated: row.filesCreated,
    filesModified: row.filesModified,
    filesDeleted: row.filesDeleted,
  };
}
