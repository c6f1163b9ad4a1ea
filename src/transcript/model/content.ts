type Json = Readonly<Record<string, unknown>>;

/** A block of content with its type. */
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

/** What is said in the blocks, one text on a line. */
export function textOf(blocks: readonly ContentBlock[]): string {
  return joinField(blocks, "text", "text");
}

/** What is thought in the blocks. Since 2.1.220 it is often empty: the API gives only a signature. */
export function thinkingOf(blocks: readonly ContentBlock[]): string {
  return joinField(blocks, "thinking", "thinking");
}

/** The images in the blocks, also those that a tool gave. */
export function imagesOf(blocks: readonly ContentBlock[]): readonly Image[] {
  return blocks.flatMap((block): readonly Image[] => {
    if (block.type === "tool_result") return imagesOf(blocksOf(block["content"]));
    const source = block["source"];
    if (block.type !== "image" || !isObject(source)) return [];
    return [
      { mediaType: stringOr(source["media_type"], ""), data: string(source["data"]), url: string(source["url"]) },
    ];
  });
}

function joinField(blocks: readonly ContentBlock[], type: string, field: string): string {
  let joined = "";
  for (const block of blocks) {
    const text = block.type === type ? stringOr(block[field], "") : "";
    if (text !== "") joined = joined === "" ? text : `${joined}\n${text}`;
  }
  return joined;
}

function isBlock(value: unknown): value is ContentBlock {
  return isObject(value) && typeof value["type"] === "string";
}

/** Whether a value is an object with fields. */
export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value, if it is a string. */
export function string(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function stringOr(value: unknown, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}
