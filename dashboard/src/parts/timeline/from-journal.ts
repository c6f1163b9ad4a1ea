import type { LogLine } from "../../data/run-log.ts";
import { countText, durationText, moneyText } from "../format.ts";
import { fieldsOf, textOf, toolWords } from "../tool-words.ts";
import type { Entry, NoticeEntry, RawEntry, ToolEntry } from "./entries.ts";
import { createNesting, type Placed } from "./nesting.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What the engine says all the while and nobody needs to read. */
const NOISE = new Set([
  "requesting",
  "thinking_tokens",
  "background_tasks_changed",
  "task_started",
  "task_updated",
  "task_progress",
  "task_notification",
]);

/** The timeline of a run, of the lines of its journal. */
export function fromJournal(lines: readonly LogLine[], isOver: boolean): readonly Entry[] {
  return createJournalTimeline()(lines, isOver);
}

/** The same for a journal that grows: of lines that it was given before, nothing is read again. */
export function createJournalTimeline(): (lines: readonly LogLine[], isOver: boolean) => readonly Entry[] {
  let known = startReading(false);
  return (lines, isOver) => {
    if (known.isOver !== isOver || !isBeginningOf(known.lines, lines)) known = startReading(isOver);
    known.readOn(lines);
    return known.entries;
  };
}

function isBeginningOf(known: readonly LogLine[], lines: readonly LogLine[]): boolean {
  return known.length <= lines.length && known[0] === lines[0] && known.at(-1) === lines[known.length - 1];
}

function startReading(isOver: boolean) {
  const nesting = createNesting();
  const ends = new Map<string, Fields>();
  const reading = {
    isOver,
    lines: [] as readonly LogLine[],
    entries: nesting.entries(),
    readOn(lines: readonly LogLine[]): void {
      if (lines.length === reading.lines.length) return;
      for (const line of lines.slice(reading.lines.length)) take(line);
      reading.lines = lines;
      reading.entries = nesting.entries();
    },
  };
  function take(line: LogLine): void {
    const { event } = line;
    const id = textOf(event, "tool_use_id");
    for (const entry of read(line, ends, isOver)) nesting.add(entry);
    if (event.type !== "tool-end") return;
    ends.set(id, event);
    nesting.renew(id, (entry) => (entry.kind === "tool" ? { ...entry, call: ended(entry.call, event) } : entry));
  }
  return reading;
}

/** Every line as it is. */
export function rawOfJournal(lines: readonly LogLine[]): readonly RawEntry[] {
  return lines.map(({ line, event }) => ({
    key: String(line),
    title: `${line}  ${event.type}`,
    at: timeOf(event),
    value: event,
  }));
}

function read({ line, event }: LogLine, ends: ReadonlyMap<string, Fields>, isOver: boolean): readonly Placed[] {
  const about = {
    key: String(line),
    at: timeOf(event),
    parent: textOf(event, "parent_tool_use_id") || undefined,
  };
  const model = textOf(event, "model") || undefined;
  switch (event.type) {
    case "run-start": {
      const text = textOf(event, "prompt");
      return text === "" ? [] : [{ ...about, kind: "prompt", text, blocks: undefined }];
    }
    case "text":
      return [{ ...about, kind: "text", text: textOf(event, "text"), model, isWriting: false }];
    case "thinking":
      return [{ ...about, kind: "thinking", text: textOf(event, "text"), isWriting: false }];
    case "tool-start":
      return [{ ...about, kind: "tool", ...callOf(event, ends, isOver), inside: [] }];
    case "usage":
      return event["is_final"] === true ? [{ ...about, kind: "usage", ...usageOf(event) }] : [];
    default:
      return notices(event).map((told) => ({ ...about, ...told }));
  }
}

function timeOf(event: Fields): string | undefined {
  return textOf(event, "timestamp") || undefined;
}

function callOf(event: Fields, ends: ReadonlyMap<string, Fields>, isOver: boolean): Pick<ToolEntry, "call" | "id"> {
  const id = textOf(event, "tool_use_id");
  const end = ends.get(id);
  const call = {
    tool: textOf(event, "tool"),
    input: event["input"],
    output: null,
    isError: false,
    isDenied: false,
    isOpen: true,
    durationMs: undefined,
    runsSince: isOver ? undefined : timeOf(event),
  };
  return { id, call: end === undefined ? call : ended(call, end) };
}

/** A call with what came of it. */
function ended(call: ToolEntry["call"], end: Fields): ToolEntry["call"] {
  const duration = end["duration_ms"];
  return {
    ...call,
    output: end["output"] ?? null,
    isError: end["is_error"] === true,
    isDenied: end["is_denied"] === true,
    isOpen: false,
    durationMs: typeof duration === "number" ? duration : undefined,
    runsSince: undefined,
  };
}

function usageOf(event: Fields) {
  const usage = fieldsOf(event["usage"]);
  const count = (name: string): number => (typeof usage[name] === "number" ? usage[name] : 0);
  return {
    model: textOf(event, "model"),
    inputTokens: count("input_tokens"),
    outputTokens: count("output_tokens"),
    cacheReadTokens: count("cache_read_tokens"),
    cacheWriteTokens: count("cache_write_tokens"),
    costUsd: undefined,
    isLowerBound: false,
  };
}

type Notice = Pick<NoticeEntry, "kind" | "meaning" | "words" | "detail" | "isMinor">;

function notice(words: string, about: Partial<Notice> = {}): readonly Notice[] {
  return [{ kind: "notice", meaning: "neutral", detail: undefined, isMinor: false, words, ...about }];
}

function notices(event: LogLine["event"]): readonly Notice[] {
  switch (event.type) {
    case "turn-start":
      return notice(`Began with ${textOf(event, "model")}, ${textOf(event, "permission_mode")}`, { isMinor: true });
    case "status": {
      const status = textOf(event, "status");
      if (NOISE.has(status)) return [];
      const detail = textOf(event, "detail");
      return notice(status.replaceAll("_", " ") + (detail === "" ? "" : `: ${detail}`), { isMinor: true });
    }
    case "error":
      return notice(textOf(fieldsOf(event["error"]), "message") || "Something failed", { meaning: "bad" });
    case "question-answered":
      return notice(answerWords(event), { meaning: event["decision"] === "deny" ? "bad" : "good" });
    case "turn-end":
      return endWords(fieldsOf(event["result"]));
    case "search-start":
      return notice("The search began", { isMinor: true });
    case "program-event":
      return notice(textOf(event, "event_type") || "An event", { detail: JSON.stringify(event["data"], null, 2) });
    default:
      return [];
  }
}

function answerWords(event: Fields): string {
  const by = textOf(event, "by");
  const { what } = toolWords(textOf(event, "tool"), {});
  const decided = event["decision"] === "deny" ? "Denied" : "Allowed";
  const message = textOf(event, "message");
  return `${decided} ${textOf(event, "tool")}${what}${by === "" ? "" : ` by ${by}`}${message === "" ? "" : `: ${message}`}`;
}

function endWords(result: Fields): readonly Notice[] {
  if (result["is_error"] === true) {
    const error = fieldsOf(result["error"]);
    return notice(textOf(error, "message") || "The turn failed", {
      meaning: "bad",
      detail: textOf(error, "hint") || undefined,
    });
  }
  const number = (name: string): number => (typeof result[name] === "number" ? result[name] : 0);
  const parts = [
    durationText(number("duration_ms")),
    countText(number("responses"), "response"),
    moneyText(number("cost_usd"), result["offline"] === true),
  ];
  return notice(`Ended after ${parts.join(" · ")}`, { isMinor: true, meaning: "good" });
}
