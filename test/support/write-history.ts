import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** A record of a transcript, as the CLI writes it. */
export type WrittenRecord = Readonly<Record<string, unknown>>;

/** What records of a session have in common. */
export interface WrittenPlace {
  readonly sessionId: string;
  readonly cwd?: string;
  readonly timestamp?: string;
  readonly isSidechain?: boolean;
  readonly agentId?: string;
}

/** Someone's prompt. */
export function prompt(uuid: string, text: string, place: WrittenPlace): WrittenRecord {
  return { type: "user", uuid, ...envelope(place), message: { role: "user", content: text } };
}

/** A response of the model, or a line of one. */
export function answer(
  uuid: string,
  text: string,
  place: WrittenPlace & {
    readonly id?: string;
    readonly output?: number;
    readonly model?: string;
    readonly isFinal?: boolean;
    readonly thinking?: string;
    readonly call?: { readonly id: string; readonly name: string; readonly input?: unknown };
  },
): WrittenRecord {
  const {
    id = `msg_${uuid}`,
    output = 10,
    model = "claude-sonnet-4-5-20250929",
    isFinal = true,
    thinking,
    call,
  } = place;
  const content = [
    ...(thinking === undefined ? [] : [{ type: "thinking", thinking }]),
    ...(text === "" ? [] : [{ type: "text", text }]),
    ...(call === undefined ? [] : [{ type: "tool_use", input: {}, ...call }]),
  ];
  const usage = { input_tokens: 3, output_tokens: output, cache_read_input_tokens: 100 };
  const message = { id, role: "assistant", model, content, stop_reason: isFinal ? "end_turn" : null, usage };
  return { type: "assistant", uuid, ...envelope(place), message };
}

/** What a tool gave. */
export function toolResult(
  uuid: string,
  text: string,
  place: WrittenPlace & { readonly callId: string; readonly isError?: boolean },
): WrittenRecord {
  const block = { type: "tool_result", tool_use_id: place.callId, content: text, is_error: place.isError ?? false };
  return { type: "user", uuid, ...envelope(place), message: { role: "user", content: [block] } };
}

/** The lines of records. */
export function linesOf(records: readonly unknown[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}

/** Writes a transcript, with the folders that it lies in. */
export function writeTranscript(path: string, records: readonly unknown[]): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, linesOf(records));
  return path;
}

function envelope({ sessionId, cwd = "/work/app", timestamp = "2026-11-10T12:00:00.000Z", ...more }: WrittenPlace) {
  const { isSidechain = false, agentId } = more;
  return { sessionId, cwd, timestamp, isSidechain, version: "2.1.300", ...(agentId === undefined ? {} : { agentId }) };
}
