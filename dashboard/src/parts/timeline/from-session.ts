import type { MessageData } from "../../../../src/monitor/api-types.ts";
import { splitSaid } from "../../../../src/page/said.ts";
import { plainLine } from "../plain.ts";
import type { Entry, RawEntry } from "./entries.ts";

/** Why a message of the user's side is there, where nobody said it. */
const NOTICES: Readonly<Record<string, string>> = {
  meta: "Told to the model by Claude Code",
  "command-output": "What a command said",
  interrupt: "Interrupted by the person",
  "compact-summary": "The conversation before was folded into a summary",
};

/** The timeline of messages of a session; `key` tells those of one page from those of another. */
export function fromSession(messages: readonly MessageData[], key: string): readonly Entry[] {
  return messages.flatMap((message, place) => read(message, message.uuid ?? `${key}.${place}`));
}

/** Every message as it is told. */
export function rawOfSession(messages: readonly MessageData[], key: string): readonly RawEntry[] {
  return messages.map((message, place) => ({
    key: message.uuid ?? `${key}.${place}`,
    title: `${message.role}  ${message.kind}`,
    at: message.at ?? undefined,
    value: message,
  }));
}

function read(message: MessageData, key: string): readonly Entry[] {
  const at = message.at ?? undefined;
  if (message.role === "user") return said(message, key);
  const { thinking, text, model, tools } = message;
  return [
    ...(thinking === ""
      ? []
      : [{ key: `${key} thinking`, at, kind: "thinking" as const, text: thinking, isWriting: false }]),
    ...(text === ""
      ? []
      : [{ key: `${key} text`, at, kind: "text" as const, text, model: model ?? undefined, isWriting: false }]),
    ...tools.map(({ tool, input, result, is_error: isError, duration_ms: duration }, place): Entry => ({
      key: `${key} ${place}`,
      at,
      kind: "tool",
      id: `${key} ${place}`,
      inside: [],
      call: {
        tool,
        input,
        output: result,
        isError,
        isDenied: false,
        isOpen: result === null,
        durationMs: duration ?? undefined,
      },
    })),
  ];
}

function said({ kind, text, images, at: time }: MessageData, key: string): readonly Entry[] {
  const at = time ?? undefined;
  const { text: rest, command, boilerplate } = splitSaid(text);
  const entries: Entry[] = [];
  const words = Object.hasOwn(NOTICES, kind) ? NOTICES[kind] : undefined;
  const shown = [command ?? "", rest].filter((part) => part !== "").join("\n\n");
  if (words === undefined && (shown !== "" || images > 0)) {
    entries.push({ key, at, kind: "prompt", text: shown, blocks: undefined, images });
  } else if (words !== undefined) {
    const isMinor = kind === "meta" || kind === "command-output";
    const meaning = kind === "interrupt" ? "attention" : "neutral";
    entries.push({ key, at, kind: "notice", meaning, words, detail: shown || undefined, isMinor });
  }
  for (const [place, { tag, text: inside }] of boilerplate.entries()) {
    const about = { meaning: "neutral", isMinor: true, kind: "notice" } as const;
    entries.push({
      key: `${key} ${tag} ${place}`,
      at,
      ...about,
      words: plainLine(tag.replaceAll("-", " ")),
      detail: inside,
    });
  }
  return entries;
}
