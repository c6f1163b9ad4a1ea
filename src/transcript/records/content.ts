export type Fields = Readonly<Record<string, unknown>>;

/** A block of a message's content. */
export interface ContentBlock {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** An image, or a document, that a message carries. */
export interface Image {
  readonly mediaType: string;
  /** Base64, where the file holds the image itself. */
  readonly data: string | undefined;
  readonly url: string | undefined;
}

/** A message's content as blocks: early versions, and prompts until today, have a plain string. */
export function blocksOf(content: unknown): readonly ContentBlock[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: unknown) => {
    if (typeof block === "string") return [{ type: "text", text: block }];
    return isBlock(block) ? [block] : [];
  });
}

export function textOf(blocks: readonly ContentBlock[]): string {
  return joinField(blocks, "text");
}

/** What is thought in the blocks. Since 2.1.220 it is often empty: the API gives only a signature. */
export function thinkingOf(blocks: readonly ContentBlock[]): string {
  return joinField(blocks, "thinking");
}

export function imagesOf(blocks: readonly ContentBlock[]): readonly Image[] {
  return blocks.flatMap((block): readonly Image[] => {
    if (block.type === "tool_result") return imagesOf(blocksOf(block["content"]));
    const source = block["source"];
    if (block.type !== "image" || !isObject(source)) return [];
    return [
      { mediaType: string(source["media_type"]) ?? "", data: string(source["data"]), url: string(source["url"]) },
    ];
  });
}

/** A block has what it is about under the name of its type. */
function joinField(blocks: readonly ContentBlock[], type: string): string {
  const texts = blocks.map((block) => (block.type === type ? block[type] : ""));
  return texts.filter((text) => typeof text === "string" && text !== "").join("\n");
}

function isBlock(value: unknown): value is ContentBlock {
  return isObject(value) && typeof value["type"] === "string";
}

export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function blocksOfType(blocks: readonly ContentBlock[], type: string): readonly ContentBlock[] {
  return blocks.filter((block) => block.type === type);
}

export function string(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

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

/** Whether a prompt is a slash command or a shell command, as the CLI writes it. */
export function isCommandText(text: string): boolean {
  return COMMAND.test(text);
}

export function userKindOf(record: Fields, blocks: readonly ContentBlock[]): UserKind {
  if (blocks.some((block) => block.type === "tool_result")) return "tool-result";
  if (record["isCompactSummary"] === true) return "compact-summary";
  const text = textOf(blocks);
  if (INTERRUPT.test(text)) return "interrupt";
  if (COMMAND_OUTPUT.test(text)) return "command-output";
  if (text !== "" && spokenText(text) === "" && blocks.every((block) => block.type === "text")) return "meta";
  return record["isMeta"] === true ? "meta" : "prompt";
}
