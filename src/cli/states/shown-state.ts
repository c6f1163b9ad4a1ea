import { z } from "zod";
import type { ToolExecution, Transition } from "../../trace/internal.ts";
import type { SnapshotFile } from "../../snapshot/index.ts";
import type { Recorded } from "../../protocol/index.ts";
import { FilesData } from "../turn/files-data.ts";
import { ModelUsageData, offlineFields, UsageData } from "../turn/turn-data.ts";
import { LeftOutData } from "./left-out.ts";

const ToolCall = z.strictObject({
  tool: z.string(),
  tool_use_id: z.string(),
  started_at: z.string(),
  duration_ms: z.number(),
  is_error: z.boolean(),
  is_denied: z.boolean(),
  /** It had no result when the turn ended. */
  is_open: z.boolean(),
  /** The call of the sub-agent that made it. */
  parent_tool_use_id: z.string().nullable(),
  input: z.unknown(),
  output: z.unknown(),
});

const TurnShown = z.strictObject({
  transition_id: z.string(),
  prompt: z.string(),
  attachments: z.array(z.strictObject({ type: z.string(), name: z.string() })),
  response: z.string(),
  model: z.string(),
  outcome: z.enum(["completed", "failed", "cancelled", "interrupted"]),
  error: z.strictObject({ kind: z.string(), message: z.string() }).nullable(),
  stop_reason: z.string().nullable(),
  started_at: z.string(),
  duration_ms: z.number(),
  responses: z.int(),
  cost_usd: z.number(),
  ...offlineFields,
  usage: UsageData,
  usage_by_model: z.record(z.string(), ModelUsageData),
  /** Where the numbers come from, and where their sources disagree. */
  ledger: z.strictObject({
    source: z.enum(["result", "stream", "transcript"]),
    is_lower_bound: z.boolean(),
    subagents: z.record(z.string(), UsageData),
    mismatches: z.array(
      z.strictObject({
        model: z.string(),
        field: z.string(),
        source: z.string(),
        result: z.number(),
        found: z.number(),
      }),
    ),
  }),
  tools: z.array(ToolCall),
  metadata: z.record(z.string(), z.unknown()),
});

const HeldFile = z.strictObject({
  path: z.string(),
  /** The name's bytes, where they are not UTF-8. */
  path_base64: z.string().optional(),
  kind: z.enum(["file", "symlink"]),
  /** The permission bits, octal. */
  mode: z.string(),
  size_bytes: z.int(),
  content_id: z.string(),
});

export const ShownState = z.strictObject({
  state_id: z.string(),
  parent_id: z.string().nullable(),
  kind: z.enum(["start", "turn", "edit"]),
  conversation_id: z.string(),
  recorded_at: z.string(),
  checkpoints: z.array(z.string()),
  is_here: z.boolean(),
  session_id: z.string().nullable(),
  settings: z.record(z.string(), z.unknown()),
  rewards: z.record(z.string(), z.number()),
  /** What is wrong with the note on it; null where it can be read, or there is none. */
  note_problem: z.string().nullable(),
  /** Against the state before. */
  files: FilesData,
  /** With `--files`: all that the state holds, ordered by path. */
  all_files: z.array(HeldFile).nullable(),
  /** What was in the directory and is not in the state. */
  left_out: z.array(LeftOutData),
  moved: z.array(z.string()),
  /** Null where no turn led to it. */
  turn: TurnShown.nullable(),
});

export type ShownState = z.infer<typeof ShownState>;

export function toHeldFile(file: SnapshotFile): Recorded<z.infer<typeof HeldFile>> {
  const pathBase64 = file.pathBytes && Buffer.from(file.pathBytes).toString("base64");
  return { ...file, mode: file.mode.toString(8), pathBase64 };
}

export function toShownTurn(transition: Transition, tools: readonly ToolExecution[]): Recorded<ShownState["turn"]> {
  const { id, execution, prompt, metadata } = transition;
  return {
    ...execution,
    offline: execution.offline ?? false,
    transitionId: id,
    prompt: prompt.text,
    attachments: prompt.attachments,
    tools: tools.map((call) => ({ ...call, input: call.input ?? null, output: call.output ?? null })),
    metadata,
  };
}
