import { z } from "zod";
import { PERMISSION_MODES, POLICY_PARTS } from "../engine/internal.ts";
import { networkDomain } from "../isolation/internal.ts";
import { alertsPart } from "./alerts-part.ts";

const text = z.string().min(1);
const texts = z.array(text);
const amount = z.number().positive();
/** Node's timers count milliseconds in 31 bits. */
const seconds = amount.max(2_147_483);

const permissions = z.strictObject({
  mode: z.enum(PERMISSION_MODES).describe("How to decide calls that no rule allows"),
  allowedTools: texts.describe('Calls that need no permission, such as "Bash(git:*)"'),
  disallowedTools: texts.describe("Calls that are never allowed; what a flag or another file names is added"),
  ask: z
    .enum(["terminal", "remote"])
    .describe("Who decides about calls that no rule allows: the person at the terminal, or whoever uses skein serve"),
  askTimeoutSeconds: seconds.describe("Deny a call that nobody has decided about after this long"),
});

const sandbox = z.strictObject({
  isolated: z.boolean().describe("Run agents in isolation: with a home of their own, and without your login"),
  domains: z.array(networkDomain).describe("Hosts that the agent's commands may reach, such as *.npmjs.org"),
  reveal: texts.describe("Secret paths or variables that tools may see anyway, such as ~/.aws or GH_TOKEN"),
  allowWorktrees: z.boolean().describe("Let the agent make git worktrees, for which git runs outside the sandbox"),
});

const budget = z.strictObject({
  maxResponses: z.int().positive().describe("Limit on model responses in a turn"),
  maxCostUsd: amount.describe("What one call of a command may spend, in US dollars"),
  maxConversationCostUsd: amount.describe("What a conversation may spend, including earlier turns, in US dollars"),
  timeoutSeconds: seconds.describe("Time limit for one call of a command"),
  idleTimeoutSeconds: seconds.describe("End a turn after this long without a new token while no tool runs"),
});

const telemetry = z.strictObject({
  captureContent: z.boolean().describe("Put prompts, answers and what tools are given into spans"),
  exportFromCli: z.boolean().describe("Let the CLI export telemetry of its own, into the same trace"),
});

const days = z.int().positive().max(36_500);

/** The data folder is all workspaces': none of them says how long something is kept in it. */
const retention = z.strictObject({
  eventDays: days.describe("Remove the events of runs in which nothing has happened for so many days"),
  eventCount: z.int().min(1).max(1_000_000).describe("Keep the events of so many runs"),
  searchDays: days.describe("Remove the journals of searches that were not gone on with for so many days"),
  transcriptCopyDays: days.describe(
    "Remove copies of transcripts that Claude Code has deleted so many days after they were last added to",
  ),
});

const plugin = z.strictObject({
  module: text.describe("A file of the folder, such as ./plugins/log.mjs, or the name of an installed package"),
  options: z.record(z.string(), z.unknown()).optional().describe("What its createPlugin is called with"),
});

/** What a configuration file may say. Strict: a key that is not known is a mistake. */
export const ConfigFile = z
  .strictObject({
    $schema: z.string().describe("Where the JSON Schema of this file lies, for editors"),
    model: text.describe("The model to use"),
    fallbackModel: text.describe("The model to use while the first one is overloaded; several with commas between"),
    permissions: permissions.partial().describe("What agents may do"),
    sandbox: sandbox.partial().describe("What agents are kept from"),
    budget: budget.partial().describe("How far agents may go"),
    resilience: z
      .strictObject(POLICY_PARTS)
      .partial()
      .describe("What is done to get a turn through; a part that is not named is off"),
    telemetry: telemetry.partial().describe("What OpenTelemetry is told, where this process has it"),
    alerts: alertsPart.partial().describe("What skein serve tells of; in the user's own file alone"),
    retention: retention.partial().describe("How long what is no record is kept; in the user's own file alone"),
    plugins: z
      .array(z.union([plugin.shape.module, plugin]))
      .describe("Modules that watch and change turns, in their order"),
  })
  .partial()
  .describe("Configuration of Skein: skein.config.json");

/** What a configuration file says, as it is written. */
export type ConfigFile = z.input<typeof ConfigFile>;
