import { z } from "zod";
import type { ToolExecution, Transition } from "../../trace/internal.ts";
import type { SnapshotFile } from "../../snapshot/index.ts";
import { FilesData, LeftOutData, type Recorded, ToolCallData } from "../../protocol/index.ts";
import { ModelUsageData, offlineFields, UsageData } from "../turn/turn-data.ts";

const TurnShown = z.strictObject({
  transition_id: z.string().describe("The turn's id"),
  prompt: z.string().describe("The turn's prompt"),
  attachments: z
    .array(
      z.strictObject({
        type: z.string().describe("What it is: an image, a document …"),
        name: z.string().describe("Its name"),
      }),
    )
    .describe("What was sent with the prompt"),
  response: z.string().describe("The agent's last answer"),
  model: z.string().describe("The model that answered, as the API names it"),
  outcome: z.enum(["completed", "failed", "cancelled", "interrupted"]).describe("How the turn ended"),
  error: z
    .strictObject({
      kind: z.string().describe("The kind of the error, as in `error.kind`"),
      message: z.string().describe("What went wrong"),
    })
    .nullable()
    .describe("Why it failed; null where it did not"),
  stop_reason: z.string().nullable().describe("The model's own last word; null where none is known"),
  started_at: z.string().describe("When the turn began, ISO 8601"),
  duration_ms: z.number().describe("How long the turn took, in milliseconds"),
  responses: z.int().describe("Model responses that it took"),
  cost_usd: z.number().describe("What it cost, in US dollars; of an offline turn what the price list says"),
  ...offlineFields,
  usage: UsageData.describe("The tokens of the turn"),
  usage_by_model: z.record(z.string(), ModelUsageData).describe("Tokens and money of each model, by its name"),
  ledger: z
    .strictObject({
      source: z
        .enum(["result", "stream", "transcript"])
        .describe("Where the numbers come from: the turn's result, its events, or the transcript"),
      is_lower_bound: z.boolean().describe("Whether more may have been used than could be counted"),
      subagents: z.record(z.string(), UsageData).describe("The tokens of each sub-agent, by its id"),
      mismatches: z
        .array(
          z.strictObject({
            model: z.string().describe("The model that the number is of"),
            field: z.string().describe("Which number it is"),
            source: z.string().describe("The other source"),
            result: z.number().describe("What the turn's result says"),
            found: z.number().describe("What the other source says"),
          }),
        )
        .describe("Numbers of the turn's result that another source contradicts"),
    })
    .describe("Where the numbers come from, and where their sources disagree"),
  tools: z.array(ToolCallData).describe("The tool calls of the turn, in order"),
  metadata: z.record(z.string(), z.unknown()).describe("What the caller recorded with the turn"),
});

const HeldFile = z.strictObject({
  path: z.string().describe("Below the workspace"),
  path_base64: z.string().optional().describe("The name's bytes, where they are not UTF-8"),
  kind: z.enum(["file", "symlink"]).describe("Whether it is a file or a symbolic link"),
  mode: z.string().describe("The permission bits, octal"),
  size_bytes: z.int().describe("Its size"),
  content_id: z.string().describe("The id of its content: the same content has the same id"),
});

export const ShownState = z.strictObject({
  state_id: z.string().describe("The state's id"),
  parent_id: z.string().nullable().describe("The state before it; null for the first"),
  kind: z
    .enum(["start", "turn", "edit"])
    .describe("What led to it: the beginning of a conversation, a turn of the agent, or changes outside of any turn"),
  conversation_id: z.string().describe("The conversation that it belongs to"),
  recorded_at: z.string().describe("When it was recorded, ISO 8601"),
  checkpoints: z.array(z.string()).describe("The names that it was given"),
  is_here: z.boolean().describe("Whether the directory is at this state"),
  session_id: z.string().nullable().describe("The Claude Code session that goes on from it; null where there is none"),
  settings: z.record(z.string(), z.unknown()).describe("What the agent ran with"),
  rewards: z.record(z.string(), z.number()).describe("The rewards that it was given, by name"),
  note_problem: z
    .string()
    .nullable()
    .describe("What is wrong with the note on it; null where it can be read, or there is none"),
  files: FilesData.describe("What is different from the state before"),
  all_files: z
    .array(HeldFile)
    .nullable()
    .describe("With `--files`: all that the state holds, ordered by path; null otherwise"),
  left_out: z.array(LeftOutData).describe("What was in the directory and is not in the state"),
  moved: z.array(z.string()).describe("Files that were still being written while the state was captured"),
  turn: TurnShown.nullable().describe("The turn that led to it; null where none did"),
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
