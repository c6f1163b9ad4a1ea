import type { SessionMessages } from "../../../../src/monitor/api-types.ts";
import { splitSaid } from "../../../../src/page/said.ts";
import { bytesText } from "../format.ts";
import { plainLine } from "../plain.ts";
import type { Entry, NoticeEntry, RawEntry, ToolEntry } from "./entries.ts";

type Message = SessionMessages["messages"][number];
type Picture = Message["pictures"][number];

/** Why a message of the user's side is there, where nobody said it. */
const NOTICES: Readonly<Record<string, string>> = {
  meta: "Told to the model by Claude Code",
  "command-output": "What a command said",
  interrupt: "Interrupted by the person",
  "compact-summary": "The conversation before was folded into a summary",
};

/** The timeline of messages of a session; `key` tells those of one page from those of another; `showWhole` brings all of a message that the server cut. */
export function fromSession(
  messages: readonly Message[],
  key: string,
  showWhole?: (message: Message) => void,
): readonly Entry[] {
  return messages.flatMap((message, place) => {
    const id = `${key}.${place}`;
    return [...read(message, id), ...(message.is_cut ? [cutNotice(message, id, showWhole)] : [])];
  });
}

/** Said at every level of detail: what is missing might be what somebody looks for. */
function cutNotice(message: Message, key: string, showWhole: ((message: Message) => void) | undefined): Entry {
  const action = showWhole && { label: "Show whole", run: () => showWhole(message) };
  const words = "A part of this message is too long to be shown at once";
  return {
    ...minor(`${key} cut`, message.at ?? undefined, words),
    isMinor: false,
    meaning: "attention",
    ...(action && { action }),
  };
}

/** Every message as it is told. */
export function rawOfSession(messages: readonly Message[], key: string): readonly RawEntry[] {
  return messages.map((message, place) => ({
    key: `${key}.${place}`,
    title: `${message.role}  ${message.kind}`,
    at: message.at ?? undefined,
    value: message,
  }));
}

function read(message: Message, key: string): readonly Entry[] {
  const at = message.at ?? undefined;
  if (message.role === "user") return said(message, key);
  const { thinking, text, model } = message;
  const about = { at, isWriting: false };
  return [
    ...(thinking === "" ? [] : [{ ...about, key: `${key} thinking`, kind: "thinking" as const, text: thinking }]),
    ...(text === "" ? [] : [{ ...about, key: `${key} text`, kind: "text" as const, text, model: model ?? undefined }]),
    ...message.tools.map((call, place) => toolEntry(call, { key: `${key} ${place}`, at })),
    ...usageEntries(message, key),
  ];
}

function toolEntry(
  {
    tool,
    tool_use_id: id,
    input,
    result,
    pictures,
    is_error: isError,
    duration_ms: duration,
  }: Message["tools"][number],
  about: { readonly key: string; readonly at: string | undefined },
): ToolEntry {
  const output = pictures.length === 0 ? result : [{ type: "text", text: result ?? "" }, ...blocksOf(pictures)];
  const isOpen = result === null;
  return {
    ...about,
    kind: "tool",
    id,
    inside: [],
    call: { tool, input, output, isError, isDenied: false, isOpen, durationMs: duration ?? undefined },
  };
}

/** Pictures as the API has them; one that is too large to be told unasked is told of. */
function blocksOf(pictures: readonly Picture[]): readonly object[] {
  return pictures.map(({ media_type: type, data_base64: data, size_bytes: size }) =>
    data === null
      ? { type: "text", text: `A picture of ${bytesText(size)}: too large to be shown here` }
      : { type: "image", source: { type: "base64", media_type: type, data } },
  );
}

function usageEntries({ usage, model, at, scenario }: Message, key: string): readonly Entry[] {
  if (usage === null) return [];
  return [
    {
      key: `${key} usage`,
      at: at ?? undefined,
      kind: "usage",
      model: model ?? "",
      inputTokens: usage.input_tokens,
      outputTokens: usage.output_tokens,
      cacheReadTokens: usage.cache_read_tokens,
      cacheWriteTokens: usage.cache_write_tokens,
      // Nobody paid for what the offline model said.
      costUsd: scenario === null ? (usage.cost_usd ?? undefined) : undefined,
      isLowerBound: !usage.is_final,
    },
  ];
}

function said({ kind, text, pictures, at: time }: Message, key: string): readonly Entry[] {
  const at = time ?? undefined;
  const { text: rest, command, boilerplate } = splitSaid(text);
  const entries: Entry[] = [];
  const words = Object.hasOwn(NOTICES, kind) ? NOTICES[kind] : undefined;
  const shown = [command ?? "", rest].filter((part) => part !== "").join("\n\n");
  if (words === undefined && (shown !== "" || pictures.length > 0)) {
    entries.push({ key, at, kind: "prompt", text: shown, blocks: blocksOf(pictures) });
  } else if (words !== undefined) {
    const isMinor = kind === "meta" || kind === "command-output";
    const meaning = kind === "interrupt" ? "attention" : "neutral";
    entries.push({ key, at, kind: "notice", meaning, words, detail: shown || undefined, isMinor });
  }
  for (const [place, { tag, text: inside }] of boilerplate.entries()) {
    entries.push(minor(`${key} ${tag} ${place}`, at, plainLine(tag.replaceAll("-", " ")), inside));
  }
  return entries;
}

function minor(key: string, at: string | undefined, words: string, detail?: string): NoticeEntry {
  return { key, at, kind: "notice", meaning: "neutral", isMinor: true, words, detail };
}
