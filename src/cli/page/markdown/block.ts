/** A block of a Markdown text. What is said inside a line is still Markdown: `renderInline` reads it. */
export type Block =
  | { readonly type: "heading"; readonly level: number; readonly text: string }
  | { readonly type: "paragraph"; readonly text: string }
  | { readonly type: "code"; readonly language: string; readonly text: string }
  | { readonly type: "quote"; readonly blocks: readonly Block[] }
  | ListBlock
  | TableBlock
  | { readonly type: "rule" };

/** A list, and whether its items stand close together. */
export interface ListBlock {
  readonly type: "list";
  /** The first number; undefined for a list of dots. */
  readonly start: number | undefined;
  readonly isTight: boolean;
  readonly items: readonly ListItem[];
}

/** An item of a list. */
export interface ListItem {
  /** Whether a task is ticked; undefined where the item is none. */
  readonly isDone: boolean | undefined;
  readonly blocks: readonly Block[];
}

/** A table; every row has as many cells as the head. */
export interface TableBlock {
  readonly type: "table";
  readonly aligns: readonly ("left" | "right" | "center" | undefined)[];
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}
