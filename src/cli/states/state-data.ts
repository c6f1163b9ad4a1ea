import { z } from "zod";
import { isoTime } from "../../core/internal.ts";
import { offlineFields } from "../turn/turn-data.ts";
import { asData } from "../../protocol/index.ts";
import type { IndexedState } from "../../trace/internal.ts";
import type { Workspace } from "../../workspace/internal.ts";

export const StateData = z.strictObject({
  state_id: z.string(),
  parent_id: z.string().nullable(),
  /** A turn of the agent, the beginning of a conversation, files that were changed outside of any turn; or it cannot be read. */
  kind: z.enum(["start", "turn", "edit", "unreadable"]),
  conversation_id: z.string(),
  recorded_at: z.string(),
  checkpoints: z.array(z.string()),
  is_here: z.boolean(),
  rewards: z.record(z.string(), z.number()),
  turn: z
    .strictObject({
      transition_id: z.string(),
      session_id: z.string(),
      model: z.string(),
      prompt: z.string(),
      outcome: z.enum(["completed", "failed", "cancelled", "interrupted"]),
      error_kind: z.string().nullable(),
      cost_usd: z.number(),
      ...offlineFields,
      duration_ms: z.number(),
      tools: z.array(z.strictObject({ tool: z.string(), calls: z.int(), errors: z.int() })),
      files_created: z.int(),
      files_modified: z.int(),
      files_deleted: z.int(),
    })
    .nullable(),
});
export type StateData = z.infer<typeof StateData>;

/** The names that people gave to states, and where the directory stands. */
export interface StateNames {
  readonly head: string | undefined;
  readonly checkpoints: ReadonlyMap<string, string>;
}

export async function readNames({ states }: Workspace): Promise<StateNames> {
  return { head: (await states.head())?.stateId, checkpoints: await states.checkpoints() };
}

export function toStateData(state: IndexedState, { head, checkpoints }: StateNames): StateData {
  const { id, recordedAtMs } = state;
  return asData(StateData, {
    ...state,
    turn: state.turn && { ...state.turn, offline: state.turn.scenario !== undefined },
    stateId: id,
    recordedAt: isoTime(recordedAtMs),
    checkpoints: [...checkpoints].filter(([, named]) => named === id).map(([name]) => name),
    isHere: id === head,
  });
}
