import { z } from "zod";
import { isoTime } from "../../core/internal.ts";
import { offlineFields, ToolCallsData } from "../turn/turn-data.ts";
import { asData } from "../../protocol/index.ts";
import type { IndexedState } from "../../trace/internal.ts";
import type { Workspace } from "../../workspace/internal.ts";

export const StateData = z.strictObject({
  state_id: z.string().describe("The state's id"),
  parent_id: z.string().nullable().describe("The state before it; null for the first"),
  kind: z
    .enum(["start", "turn", "edit", "unreadable"])
    .describe(
      "A turn of the agent, the beginning of a conversation, files that were changed outside of any turn; or it cannot be read",
    ),
  conversation_id: z.string().describe("The conversation that it belongs to"),
  recorded_at: z.string().describe("When it was recorded, ISO 8601"),
  checkpoints: z.array(z.string()).describe("The names that it was given"),
  is_here: z.boolean().describe("Whether the directory is at this state"),
  rewards: z.record(z.string(), z.number()).describe("The rewards that it was given, by name"),
  turn: z
    .strictObject({
      transition_id: z.string().describe("The turn's id"),
      session_id: z.string().describe("The Claude Code session that it ran in"),
      model: z.string().describe("The model that answered, as the API names it"),
      prompt: z.string().describe("The turn's prompt"),
      outcome: z.enum(["completed", "failed", "cancelled", "interrupted"]).describe("How the turn ended"),
      error_kind: z
        .string()
        .nullable()
        .describe("The kind of the error that ended it, as in `error.kind`; null where there was none"),
      cost_usd: z.number().describe("What it cost, in US dollars; of an offline turn what the price list says"),
      ...offlineFields,
      duration_ms: z.number().describe("How long the turn took, in milliseconds"),
      tools: z.array(ToolCallsData).describe("The tools that were called"),
      files_created: z.int().describe("How many files it created"),
      files_modified: z.int().describe("How many files it changed"),
      files_deleted: z.int().describe("How many files it deleted"),
    })
    .nullable()
    .describe("The turn that led to it; null where none did"),
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
