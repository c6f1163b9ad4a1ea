import type { SkeinEvent } from "../../core/index.ts";
import type { CommandContext } from "../command-context.ts";
import { plainText } from "../plain-text.ts";
import { toolLine } from "./tool-line.ts";
import { toolTitle } from "./tool-title.ts";
import { turnHeading } from "./turn-heading.ts";
import type { TurnView } from "./turn-view.ts";

/** Shows turns as whole lines without control characters, for files and pipes. */
export function createPlainView({ print, terminal }: CommandContext): TurnView {
  const titles = new Map<string, string>();
  let cwd: string | undefined;
  let last: "text" | "tool" | undefined;

  /** Paragraphs and runs of tool lines are kept apart by an empty line. */
  const printPart = async (kind: "text" | "tool", text: string): Promise<void> => {
    await print(kind === "tool" && last === "tool" ? text : `\n${text}`);
    last = kind;
  };

  const show = async (event: SkeinEvent): Promise<void> => {
    if (event.type === "turn-start") {
      if (cwd === undefined) await print(turnHeading(event, terminal));
      cwd = event.cwd;
      last = undefined;
    } else if (event.type === "text" && event.parentToolUseId === undefined) {
      await printPart("text", `${plainText(event.text).trim()}\n`);
    } else if (event.type === "tool-start") {
      titles.set(event.toolUseId, toolTitle(event.input, cwd ?? ""));
    } else if (event.type === "tool-end") {
      await printPart("tool", toolLine(event, titles.get(event.toolUseId) ?? "", terminal));
    }
  };
  return { begin: () => {}, show, pause: () => () => {}, end: () => {} };
}
