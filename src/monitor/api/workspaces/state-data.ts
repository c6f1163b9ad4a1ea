import { z } from "zod";
import { isoTime } from "../../../core/internal.ts";
import { asData } from "../../../protocol/index.ts";
import type { IndexedState } from "../../../trace/internal.ts";
import type { Workspace } from "../../../workspace/internal.ts";

export const STATE_KINDS = ["start", "turn", "edit", "unreadable"] as const;

export const OUTCOMES = ["completed", "failed", "cancelled", "interrupted"] as const;

const TurnData = z.strictObject({
  transition_id: z.string().describe("The turn's id, and its run's"),
  session_id: z.string().describe("The Claude Code session that it ran in"),
  model: z.string().describe("The model that answered, as the API names it"),
  prompt: z.string().describe("The turn's prompt"),
  response: z.string().describe("The agent's last answer"),
  outcome: z.enum(OUTCOMES).describe("How the turn ended"),
  error_kind: z.string().nullable().describe("The kind of the error that ended it; null where there was none"),
  cost_usd: z.number().describe("What it cost, in US dollars; of an offline turn what the price list says"),
  offline: z.boolean().describe("Whether the offline model gave every response, so that nobody paid"),
  input_tokens: z.int().describe("Tokens that were read and not from the cache"),
  output_tokens: z.int().describe("Tokens that were written, thinking too"),
  cache_read_tokens: z.int().describe("Tokens that were read from the cache"),
  cache_write_tokens: z.int().describe("Tokens that were written into the cache"),
  duration_ms: z.number().describe("How long the turn took, in milliseconds"),
  search_id: z.string().nullable().describe("The run of the search that it is part of; null where it is of none"),
  tools: z
    .array(
      z.strictObject({
        tool: z.string().describe("The tool's name"),
        calls: z.int().describe("How often it was called"),
        errors: z.int().describe("How often it failed or was denied"),
      }),
    )
    .describe("The tools that were called"),
  files_created: z.int().describe("How many files it created"),
  files_modified: z.int().describe("How many files it changed"),
  files_deleted: z.int().describe("How many files it deleted"),
});

/** What a person wrote on a state. */
export const markFields = {
  remark: z.string().nullable().describe("What somebody wrote on it; null where nobody did"),
  bookmark: z.string().nullable().describe("The name of its bookmark; null where it has none"),
};

export const StateData = z.strictObject({
  state_id: z.string().describe("The state's id"),
  parent_id: z.string().nullable().describe("The state before it; null for the first"),
  kind: z
    .enum(STATE_KINDS)
    .describe(
      "A turn of the agent, the beginning of a conversation, files that were changed outside of any turn; or it cannot be read",
    ),
  conversation_id: z.string().describe("The conversation that it belongs to"),
  recorded_at: z.string().describe("When it was recorded, ISO 8601"),
  depth: z.int().describe("How many states are before it on its path"),
  checkpoints: z.array(z.string()).describe("The names that it was given"),
  is_here: z.boolean().describe("Whether the directory is at this state"),
  rewards: z.record(z.string(), z.number()).describe("The rewards that it was given, by name"),
  ...markFields,
  turn: TurnData.nullable().describe("The turn that led to it; null where none did"),
});

export type StateData = z.infer<typeof StateData>;

/** The names that people gave to states, and where the directory stands. */
export interface StateNames {
  readonly head: string | undefined;
  readonly checkpoints: ReadonlyMap<string, readonly string[]>;
}

export async function readNames({ states }: Pick<Workspace, "states">): Promise<StateNames> {
  const checkpoints = new Map<string, string[]>();
  for (const [name, id] of await states.checkpoints()) checkpoints.set(id, [...(checkpoints.get(id) ?? []), name]);
  return { head: (await states.head())?.stateId, checkpoints };
}

export function toStateData(state: IndexedState, { head, checkpoints }: StateNames): StateData {
  const { id, recordedAtMs, turn } = state;
  return asData(StateData, {
    ...state,
    turn: turn && { ...turn, offline: turn.scenario !== undefined },
    stateId: id,
    recordedAt: isoTime(recordedAtMs),
    checkpoints: checkpoints.get(id) ?? [],
    isHere: id === head,
  });
}
