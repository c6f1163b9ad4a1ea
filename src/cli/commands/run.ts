import { resolve } from "node:path";
import { addAbortSignal, type Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { claudePrompt, PERMISSION_MODES, readAttachment, type ClaudePrompt } from "../../engine/index.ts";
import { CommandError } from "../command-error.ts";
import type { CommandContext } from "../command-context.ts";
import { defineCommand } from "../define-command.ts";
import { openOfflineModel } from "../offline-model.ts";
import { runTurn } from "../run-turn.ts";
import { TurnData } from "../turn-data.ts";
import { turnPermissions } from "../turn-permissions.ts";
import { turnSummary } from "../turn-summary.ts";
import { createTurnView } from "../turn-view.ts";

/** Node's timers count milliseconds in 31 bits. */
const LONGEST_TIMEOUT_S = 2_147_483;

const args = z.object({
  prompt: z.string().meta({ description: "What the agent is to do; - reads it from standard input" }),
  cwd: z.string().optional().meta({ label: "directory", description: "Where the agent works (default: here)" }),
  offline: z.string().optional().meta({
    label: "scenario",
    preset: "todo",
    description: "Use the embedded model instead of the API, with a built-in scenario or a scenario file",
  }),
  model: z.string().optional().meta({ label: "model", description: "The model to use" }),
  permissionMode: z.enum(PERMISSION_MODES).default("acceptEdits").meta({
    label: "mode",
    description: "How calls that no rule allows are decided",
  }),
  allowedTools: z.array(z.string()).default([]).meta({
    label: "rule",
    description: 'Calls that need no permission, such as "Bash(git:*)"',
  }),
  disallowedTools: z.array(z.string()).default([]).meta({ label: "rule", description: "Calls that are never allowed" }),
  maxTurns: z.coerce.number().int().positive().optional().meta({
    label: "count",
    description: "Model responses that it may take",
  }),
  maxBudgetUsd: z.coerce.number().positive().optional().meta({
    label: "amount",
    description: "Money that it may cost",
  }),
  timeout: z.coerce.number().positive().max(LONGEST_TIMEOUT_S).optional().meta({
    label: "seconds",
    description: "Time that it may take",
  }),
  attach: z.array(z.string()).default([]).meta({
    label: "file",
    description: "Images, PDFs or texts to send along",
  }),
  resume: z.string().optional().meta({ label: "session", description: "The session to go on with" }),
});

type Args = z.infer<typeof args>;

/** Runs one turn of an agent and shows it. */
export const run = defineCommand({
  name: "run",
  summary: "Run an agent on a prompt",
  args,
  positional: ["prompt"],
  data: TurnData,
  streaming: "on-request",
  examples: [
    'run "Build a TODO app" --offline',
    'run "Fix the failing test" --cwd ./my_project --max-budget-usd 0.50',
    "run - --output-format json < prompt.md",
  ],
  rearrange: givePromptBack,
  async run(given, context) {
    const prompt = await readPrompt(given, context);
    const cwd = resolve(given.cwd ?? ".");
    await using model = given.offline === undefined ? undefined : await openOfflineModel(given.offline);
    const view = createTurnView(context);
    const { options, ...rest } = await turnPermissions(given.permissionMode, { context, cwd, onAsk: view.pause });
    const { data, error } = await runTurn({
      prompt,
      options: { ...options, ...limits(given, options.disallowedTools), cwd, env: model?.env ?? {} },
      view,
      context,
      ...rest,
    });
    await context.print(turnSummary(data, { terminal: context.terminal, cwd, isOffline: model !== undefined }));
    if (error) throw new CommandError(error, { turn: data });
    return data;
  },
});

/** `--offline` may stand before the prompt, which then looks like its scenario. */
function givePromptBack(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { prompt, offline } = given;
  const isScenario = typeof offline !== "string" || /^\w+$|\.(?:json|m?js)$/u.test(offline);
  return prompt !== undefined || isScenario ? given : { ...given, prompt: offline, offline: "todo" };
}

async function readPrompt({ prompt, attach }: Args, { stdin, signal }: CommandContext): Promise<ClaudePrompt> {
  const attachments = await Promise.all(attach.map((path) => readAttachment(path)));
  return claudePrompt({ text: prompt === "-" ? await readAll(stdin, signal) : prompt, attachments });
}

async function readAll(stdin: Readable, signal: AbortSignal): Promise<string> {
  try {
    return await text(addAbortSignal(signal, stdin));
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

function limits(given: Args, disallowedTools: readonly string[] = []) {
  return {
    allowedTools: given.allowedTools,
    disallowedTools: [...disallowedTools, ...given.disallowedTools],
    ...(given.model === undefined ? {} : { model: given.model }),
    ...(given.maxTurns === undefined ? {} : { maxTurns: given.maxTurns }),
    ...(given.maxBudgetUsd === undefined ? {} : { maxBudgetUsd: given.maxBudgetUsd }),
    ...(given.timeout === undefined ? {} : { timeoutMs: Math.ceil(given.timeout * 1000) }),
    ...(given.resume === undefined ? {} : { resume: given.resume }),
  };
}
