import { readFile } from "node:fs/promises";
import { z } from "zod";
import { SkeinError, errorFromRecord, systemClock } from "../../../core/index.ts";
import { textFlag, LONGEST_TIMEOUT_S, countFlag, amountFlag, switchFlag, argument } from "../../common-flags.ts";
import { LOOP_STOP_REASONS, type LoopTurn } from "../../../trace/index.ts";
import { agentFlags } from "../../turn/agent-flags.ts";
import type { CommandContext } from "../../command-context.ts";
import { asData, matchNames, usageError } from "../../../protocol/index.ts";
import { defineCommand } from "../../define-command.ts";
import { LoopTurnData, runLoop, type LoopEnd } from "./run-loop.ts";
import { cwdFlag } from "../../open-workspace.ts";

/** Reads a JSON Schema from a file, or from the text itself where that begins like one. */
async function readOutputSchema(given: string): Promise<Readonly<Record<string, unknown>>> {
  const isText = given.trimStart().startsWith("{");
  const wrong = (why: string, cause?: unknown): SkeinError =>
    new SkeinError(`The output schema cannot be used: ${why}`, {
      kind: "parse",
      target: isText ? "--structured-output" : given,
      hint: 'Give a JSON Schema such as {"type":"object","properties":{"done":{"type":"boolean"}}}',
      cause,
    });
  const text = isText ? given : await readSchemaFile(given);
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch (cause) {
    throw wrong((cause as Error).message, cause);
  }
  if (typeof schema === "object" && schema !== null && !Array.isArray(schema)) return { ...schema };
  throw wrong("it is not a JSON object");
}

async function readSchemaFile(path: string): Promise<string> {
  return await readFile(path, "utf8").catch((cause: unknown) => {
    throw new SkeinError(`The schema ${path} cannot be read: ${(cause as Error).message}`, {
      kind: "filesystem",
      target: path,
      hint: "Give the path of a JSON Schema, or the schema itself.",
      cause,
    });
  });
}

const args = z.object({
  prompt: argument("What the agent should do in the first turn"),
  cwd: cwdFlag,
  maxTurns: z.coerce.number().int().min(0).default(3).meta({ label: "count", description: "Limit on turns" }),
  timeout: z.coerce.number().min(0).max(LONGEST_TIMEOUT_S).optional().meta({
    label: "seconds",
    description: "Time limit for all turns together",
  }),
  continuationPrompt: textFlag("prompt", "The prompt of every later turn; without it there is only one turn"),
  structuredOutput: textFlag("schema", "A JSON Schema for the answers, as a file or as text"),
  limit: z.coerce.number().int().min(0).default(5).meta({
    label: "count",
    description: "Match at most this many commands and this many tools to a prompt",
  }),
  maxTokens: countFlag("Token limit for all turns together, including cached tokens"),
  maxCostUsd: amountFlag("Spending limit for all turns together"),
  continue: switchFlag("Continue the conversation at the directory's head"),
  ...agentFlags,
});

type Args = z.infer<typeof args>;

const Limits = z.strictObject({
  max_turns: z.int(),
  timeout: z.number().nullable(),
  continuation_prompt: z.string().nullable(),
  max_tokens: z.int().nullable(),
  max_cost_usd: z.number().nullable(),
});

const data = z.strictObject({
  prompt: z.string(),
  cwd: z.string(),
  conversation_id: z.string().nullable(),
  ...Limits.shape,
  turns_completed: z.int(),
  turns: z.array(LoopTurnData),
  cost_usd: z.number(),
  /** Why the loop ended: its last turn's reason, or that there was more to say and no turn left; null without a turn. */
  final_stop_reason: z.enum(LOOP_STOP_REASONS).nullable(),
  final_cancel_observed: z.boolean(),
  safe_to_reuse_session: z.boolean(),
});

type Data = z.infer<typeof data>;

export const turnLoop = defineCommand({
  name: "turn-loop",
  summary: "Run turns of one conversation within limits",
  effects: { changes: "replaces", isRepeatable: false, reaches: "world" },
  args,
  positional: ["prompt"],
  data,
  streaming: "on-request",
  examples: [
    'turn-loop "Build a TODO app" --max-turns 5 --continuation-prompt "Keep going until all tests pass"',
    'turn-loop "Is it ready?" --structured-output ready.schema.json --timeout 120 --output-format json',
  ],
  async run(given, context) {
    checkPrompts(given);
    const deadline = given.timeout === undefined ? undefined : systemClock.now() + given.timeout * 1000;
    const outputSchema =
      given.structuredOutput === undefined ? undefined : await readOutputSchema(given.structuredOutput);
    const end = await runLoop(
      {
        ...given,
        deadline,
        outputSchema,
        continuation: given.continuationPrompt,
        match: (prompt, start) => matchNames(prompt, start, given.limit),
        onTurn: (turn) => printTurn(turn, context),
      },
      context,
    );
    const found = toData(given, end);
    failUnlessEnded(found, end);
    return found;
  },
});

async function printTurn(
  { number, ended }: { readonly number: number; readonly ended?: LoopTurn },
  { print }: CommandContext,
): Promise<void> {
  await print(ended ? `\nstop_reason=${ended.stopReason}\n` : `${number === 0 ? "" : "\n"}## Turn ${number + 1}\n`);
}

function checkPrompts({ prompt, continuationPrompt }: Args): void {
  const hint = "Say what the agent should do.";
  if (prompt.trim() === "") throw usageError("turn-loop", "The prompt is empty", { target: "prompt", hint });
  if (continuationPrompt?.trim() !== "") return;
  throw usageError("turn-loop", "The continuation prompt is empty", { target: "--continuation-prompt", hint });
}

function toData(given: Args, { cwd, turns, costUsd, recorded }: LoopEnd): Data {
  const last = turns.at(-1);
  const hadMoreToSay = last?.stop_reason === "completed" && given.continuationPrompt !== undefined;
  return {
    prompt: given.prompt,
    cwd,
    conversation_id: recorded?.conversationId ?? null,
    ...asData(Limits, given),
    turns_completed: turns.filter(({ stop_reason: reason }) => reason === "completed").length,
    turns: [...turns],
    cost_usd: costUsd,
    final_stop_reason: hadMoreToSay ? "max_turns_reached" : (last?.stop_reason ?? null),
    final_cancel_observed: last?.cancel_observed ?? false,
    safe_to_reuse_session: last?.safe_to_reuse_session ?? true,
  };
}

/** A loop that was stopped from outside, or failed, is an error with the same fields; one that used up its limits is none. */
function failUnlessEnded(found: Data, { error }: LoopEnd): void {
  const hint = hintFor(found);
  switch (found.final_stop_reason) {
    case "timeout": {
      const isSilence = error !== undefined && error["reason"] !== "deadline";
      const message = isSilence ? error.message : `The turns took longer than ${found.timeout} s`;
      throw new SkeinError(message, { kind: "timeout", retryable: true, hint, details: found });
    }
    case "cancelled":
      throw new SkeinError("The turns were cancelled", { kind: "cancelled", hint, details: found });
    case "error":
      throw error
        ? errorFromRecord(error, found)
        : new SkeinError("The turn failed", { kind: "runtime", details: found });
    default:
  }
}

function hintFor(found: Data): string {
  if (found.conversation_id === null && found.safe_to_reuse_session)
    return "Nothing was changed; you can run it again.";
  return found.safe_to_reuse_session ? "Continue the session with --continue" : "Start a new session.";
}
