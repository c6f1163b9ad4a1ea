import { textOf, type ContentBlock } from "./content.ts";

/**
 * Why a user record is there. `prompt`: someone asked, also by a slash command. `tool-result`: tools gave results.
 * `meta`: the CLI says something in the user's name. `command-output`: what a local command printed. `interrupt`: the
 * user stopped the model. `compact-summary`: what is left of the conversation before a compaction.
 */
export type UserKind = "prompt" | "tool-result" | "meta" | "command-output" | "interrupt" | "compact-summary";

const COMMAND_OUTPUT = /^\s*<(?:local-command-(?:stdout|stderr|caveat)|bash-(?:stdout|stderr))>/u;
const COMMAND = /^\s*<(?:command-(?:name|message|args)|bash-input)>/u;
const INTERRUPT = /^\s*\[Request interrupted by user/u;

/** What editors and the CLI put before a prompt, in tags of their own. */
const ASIDE = /<(ide_[a-z_]+|system-reminder)>/u;

/** What a person said in a prompt: without what was opened or selected in an editor, and without reminders. */
export function spokenText(text: string): string {
  let rest = text;
  for (let aside = ASIDE.exec(rest); aside !== null; aside = ASIDE.exec(rest)) {
    const close = `</${aside[1]}>`;
    const end = rest.indexOf(close, aside.index);
    if (end === -1) break;
    rest = rest.slice(0, aside.index) + rest.slice(end + close.length);
  }
  return rest === text ? text : rest.trim();
}

/** Whether a prompt's text is that of a slash command or of a shell command, as the CLI writes it. */
export function isCommandText(text: string): boolean {
  return COMMAND.test(text);
}

/** Tells prompts from the other things that stand in user records. */
export function userKindOf(record: Readonly<Record<string, unknown>>, blocks: readonly ContentBlock[]): UserKind {
  if (blocks.some((block) => block.type === "tool_result")) return "tool-result";
  if (record["isCompactSummary"] === true) return "compact-summary";
  const text = textOf(blocks);
  if (INTERRUPT.test(text)) return "interrupt";
  if (COMMAND_OUTPUT.test(text)) return "command-output";
  if (text !== "" && spokenText(text) === "" && blocks.every((block) => block.type === "text")) return "meta";
  return record["isMeta"] === true ? "meta" : "prompt";
}
