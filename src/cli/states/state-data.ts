import { z } from "zod";
import { isoTime } from "../../core/index.ts";
import type { IndexedState } from "../../trace/index.ts";
import type { Workspace } from "../../workspace/index.ts";

/** A state as a list has it. */
export const StateData = z.strictObject({
  state_id: z.string(),
  parent_id: z.string().nullable(),
  /** A turn of the agent, the beginning of a conversation, files that were changed outside of any turn; or it cannot be read. */
  kind: z.enum(["start", "turn", "edit", "unreadable"]),
  conversation_id: z.string(),
  recorded_at: z.string(),
  checkpoints: z.array(z.string()),
  /** Whether the directory stands there. */
  is_here: z.boolean(),
  rewards: z.record(z.string(), z.number()),
  /** Null for the other kinds. */
  turn: z
    .strictObject({
      transition_id: z.string(),
      session_id: z.string(),
      model: z.string(),
      prompt: z.string(),
      outcome: z.enum(["completed", "failed", "cancelled", "interrupted"]),
      error_kind: z.string().nullable(),
      cost_usd: z.number(),
      duration_ms: z.number(),
      tools: z.array(z.strictObject({ tool: z.string(), calls: z.int(), errors: z.int() })),
      files_created: z.int(),
      files_modified: z.int(),
      files_deleted: z.int(),
    })
    .nullable(),
});

/** A state as a list has it. */
export type StateData = z.infer<typeof StateData>;

/** The names that people gave to states, and where the directory stands. */
export interface StateNames {
  readonly head: string | undefined;
  readonly checkpoints: ReadonlyMap<string, string>;
}

/** Reads them. */
export async function readNames({ states }: Workspace): Promise<StateNames> {
  return { head: (await states.head())?.stateId, checkpoints: await states.checkpoints() };
}

/** Puts a state of the index, and its names, into the words of the envelope. */
export function toStateData(state: IndexedState, { head, checkpoints }: StateNames): StateData {
  const { id, turn } = state;
  return {
    state_id: id,
    parent_id: state.parentId ?? null,
    kind: state.kind,
    conversation_id: state.conversationId,
    recorded_at: isoTime(state.recordedAtMs),
    checkpoints: [...checkpoints].filter(([, named]) => named === id).map(([name]) => name),
    is_here: id === head,
    rewards: { ...state.rewards },
    turn: turn
      ? {
          transition_id: turn.transitionId,
          session_id: turn.sessionId,
          model: turn.model,
          prompt: turn.prompt,
          outcome: turn.outcome,
          error_kind: turn.errorKind ?? null,
          cost_usd: turn.costUsd,
          duration_ms: turn.durationMs,
          tools: turn.tools.map(({ tool, calls, errors }) => ({ tool, calls, errors })),
          files_created: turn.filesCreated,
          files_modified: turn.filesModified,
          files_deleted: turn.filesDeleted,
        }
      : null,
  };
}
