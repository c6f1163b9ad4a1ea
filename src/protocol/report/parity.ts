import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ClaudeConfigError, SkeinError } from "../../core/internal.ts";
import { otherOptionName, parseClaudeOptions } from "../../engine/internal.ts";
import { RECORD_TYPES } from "../../transcript/internal.ts";
import { findPackage } from "./package-facts.ts";

export const ParitySection = z.strictObject({
  name: z
    .enum(["message_types", "system_subtypes", "hook_events", "options", "tools", "record_types"])
    .describe("What kind of names was compared"),
  found_in: z.string().describe("Where the SDK or CLI has them"),
  offered_count: z.int().describe("How many names the SDK or CLI has"),
  known_count: z.int().describe("How many of them Skein knows"),
  new: z.array(z.string()).describe("Names that Skein does not know"),
  renamed: z
    .record(z.string(), z.string())
    .describe("Names of the SDK's that something here has another name for, with ours"),
});
export type ParitySection = z.infer<typeof ParitySection>;

interface Offered extends SdkTypes {
  readonly tools: readonly string[];
  /** The types of records that the CLI wrote in a turn. */
  readonly recordTypes: readonly string[];
}

export function findParity(offered: Offered): readonly ParitySection[] {
  const declared = "the SDK's declarations";
  const isIn = (known: readonly string[]) => (name: string) => known.includes(name);
  return [
    section("message_types", declared, { offered: offered.messageTypes, isKnown: isIn(KNOWN_MESSAGE_TYPES) }),
    section("system_subtypes", declared, { offered: offered.systemSubtypes, isKnown: isIn(KNOWN_SYSTEM_SUBTYPES) }),
    section("hook_events", declared, {
      offered: offered.hookEvents,
      isKnown: (event) => isAccepted({ hooks: { [event]: undefined } }),
    }),
    section("options", declared, {
      offered: offered.options,
      isKnown: (name) => isAccepted({ [name]: undefined }),
      otherName: otherNameOf,
    }),
    section("tools", "a request of the CLI", { offered: offered.tools, isKnown: isIn(KNOWN_TOOLS) }),
    section("record_types", "a transcript of the CLI", { offered: offered.recordTypes, isKnown: isIn(RECORD_TYPES) }),
  ];
}

function section(
  name: ParitySection["name"],
  foundIn: string,
  { offered, isKnown, otherName = () => undefined }: Vocabulary,
): ParitySection {
  const foreign = offered.filter((one) => !isKnown(one)).toSorted();
  const renamed = foreign.flatMap((one) => {
    const ours = otherName(one);
    return ours === undefined ? [] : [[one, ours] as const];
  });
  const unknown = foreign.filter((one) => otherName(one) === undefined);
  const counts = { offered_count: offered.length, known_count: offered.length - unknown.length };
  return { name, found_in: foundIn, ...counts, new: unknown, renamed: Object.fromEntries(renamed) };
}

interface Vocabulary {
  readonly offered: readonly string[];
  readonly isKnown: (name: string) => boolean;
  readonly otherName?: (name: string) => string | undefined;
}

/** What the SDK's option is called here: the engine's own hint says it, but for what no option says. */
function otherNameOf(option: string): string | undefined {
  return option === "spawnClaudeCodeProcess" ? "ProcessManager" : otherOptionName(option);
}

/** The engine refuses names that it does not know, so that asking it cannot go out of date as a list would. */
function isAccepted(options: unknown): boolean {
  try {
    parseClaudeOptions(options);
    return true;
  } catch (error) {
    if (error instanceof ClaudeConfigError) return false;
    throw error;
  }
}

/** The types of messages that Skein makes events of; others are kept whole as unknown ones. */
export const KNOWN_MESSAGE_TYPES: readonly string[] = [
  "assistant",
  "auth_status",
  "conversation_reset",
  "prompt_suggestion",
  "rate_limit_event",
  "result",
  "stream_event",
  "system",
  "tool_progress",
  "tool_use_summary",
  "user",
];

/** The system messages that were there when this version of Skein was made; each becomes a status. */
const KNOWN_SYSTEM_SUBTYPES: readonly string[] = [
  "api_retry",
  "background_tasks_changed",
  "commands_changed",
  "compact_boundary",
  "control_request_progress",
  "elicitation_complete",
  "files_persisted",
  "hook_progress",
  "hook_response",
  "hook_started",
  "informational",
  "init",
  "local_command_output",
  "memory_recall",
  "mirror_error",
  "model_refusal_fallback",
  "model_refusal_no_fallback",
  "notification",
  "permission_denied",
  "plugin_install",
  "session_state_changed",
  "session_writes_lost",
  "status",
  "task_notification",
  "task_progress",
  "task_started",
  "task_updated",
  "thinking_tokens",
  "worker_shutting_down",
];

/** The tools that the CLI had when this version of Skein was made. Others work too: Skein treats no tool by its name alone. */
export const KNOWN_TOOLS: readonly string[] = [
  "Agent",
  "Bash",
  "CronCreate",
  "CronDelete",
  "CronList",
  "Edit",
  "EnterWorktree",
  "ExitWorktree",
  "ListAgents",
  "Monitor",
  "NotebookEdit",
  "Read",
  "ReportFindings",
  "ScheduleWakeup",
  "SendMessage",
  "Skill",
  "TaskStop",
  "WebFetch",
  "WebSearch",
  "Workflow",
  "Write",
];

export const SDK_PACKAGE = "@anthropic-ai/claude-agent-sdk";

interface SdkTypes {
  readonly options: readonly string[];
  readonly hookEvents: readonly string[];
  readonly messageTypes: readonly string[];
  readonly systemSubtypes: readonly string[];
}

export function readSdkTypes(): SdkTypes {
  const folder = findPackage(SDK_PACKAGE);
  if (folder === undefined) throw unreadable("is not installed");
  return parseSdkTypes(readFileSync(join(folder, "sdk.d.ts"), "utf8"));
}

/** Finds the names in the text of the declarations. A text in which some are not found is not compared with anything. */
export function parseSdkTypes(declarations: string): SdkTypes {
  const text = declarations.replaceAll("\r\n", "\n");
  const messages = membersOf("SDKMessage", text).map((name) => declarationOf(name, text));
  const types = {
    options: names(declarationOf("Options", text), /^ {4}(\w+)\??:/gmu),
    hookEvents: names(declarationOf("HOOK_EVENTS", text, "const"), /'(\w+)'/gu),
    messageTypes: messages.flatMap((message) => names(message, /^ {4}type: '(\w+)'/gmu)),
    systemSubtypes: messages
      .filter((message) => /^ {4}type: 'system'/mu.test(message))
      .flatMap((message) => names(message, /^ {4}subtype: '(\w+)'/gmu)),
  };
  const [missing] = Object.entries(types).find(([, found]) => found.length === 0) ?? [];
  if (missing !== undefined) throw unreadable(`declares its ${missing} in a way that is not understood`);
  return { ...types, messageTypes: [...new Set(types.messageTypes)] };
}

/** The types that a union is made of, in whole. */
function membersOf(name: string, text: string): readonly string[] {
  const declared = declarationOf(name, text);
  if (declared.includes("{")) return [name];
  const members = declared.slice(declared.indexOf("=") + 1).match(/\w+/gu) ?? [];
  return members.flatMap((member) => membersOf(member, text));
}

/** A declaration from its name to its end: the closing brace, or the end of its line. */
function declarationOf(name: string, text: string, kind: "type" | "const" = "type"): string {
  const start = text.search(new RegExp(`^export declare ${kind} ${name}\\b`, "mu"));
  if (start === -1) throw unreadable(`does not declare ${name}`);
  const line = text.slice(start, text.indexOf("\n", start));
  if (!line.endsWith("{")) return line;
  return text.slice(start, text.indexOf("\n};", start));
}

function names(text: string, pattern: RegExp): readonly string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, name = ""]) => name))];
}

function unreadable(why: string): SkeinError {
  return new SkeinError(`${SDK_PACKAGE} ${why}`, {
    kind: "config",
    target: SDK_PACKAGE,
    hint: "Install Skein's dependencies again; a much newer SDK may declare things elsewhere",
  });
}
