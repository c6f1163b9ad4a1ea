import type { z } from "zod";
import { isObject, string, type Fields } from "./content.ts";
import { momentText } from "./moment-text.ts";
import { RECORD_SCHEMAS } from "./record-schema.ts";

export type RecordType = keyof typeof RECORD_SCHEMAS;

export type KnownRecord = { [Type in RecordType]: z.infer<(typeof RECORD_SCHEMAS)[Type]> }[RecordType];
export type RecordOf<Type extends RecordType> = z.infer<(typeof RECORD_SCHEMAS)[Type]>;

/** A record that this version does not model. Kept whole, so that copying and replaying lose nothing. */
export interface UnknownRecord {
  readonly type: "unknown";
  readonly raw: unknown;
}

/** What a line of a transcript holds. */
export type TranscriptRecord = KnownRecord | UnknownRecord;

export const RECORD_TYPES = Object.keys(RECORD_SCHEMAS) as readonly RecordType[];

/** Gives a parsed line its type. A record with wrong fields is kept without them, where it can do without, and else as an unknown one. */
export function parseRecord(raw: unknown): { readonly record: TranscriptRecord; readonly mismatch?: string } {
  const type = isObject(raw) ? raw["type"] : undefined;
  if (!isRecordType(type)) return { record: { type: "unknown", raw } };
  const parsed = RECORD_SCHEMAS[type].safeParse(raw);
  // The schemas change nothing, so the line's own object is as good as the copy that they make of it.
  if (parsed.success) return { record: raw as KnownRecord };
  const [issue] = parsed.error.issues;
  const place = issue?.path.join(".") ?? "";
  const mismatch = `A record of type ${type}: ${place}: ${issue?.message ?? ""}`;
  const mended = parsed.error.issues.reduce((value, { path }) => withoutField(value, path), raw);
  if (!RECORD_SCHEMAS[type].safeParse(mended).success) return { record: { type: "unknown", raw }, mismatch };
  ORIGINALS.set(mended as KnownRecord, raw);
  return { record: mended as KnownRecord, mismatch };
}

/** What stood in the file in the place of records that were mended. */
const ORIGINALS = new WeakMap<object, unknown>();

/** The record as it stood in the file. */
export function rawOf(record: TranscriptRecord): unknown {
  return record.type === "unknown" ? record.raw : (ORIGINALS.get(record) ?? record);
}

export function fieldOf(record: TranscriptRecord, name: string): string | undefined {
  return string((record as Fields)[name]);
}

/** Whether a record is part of a message: the others are notes of the CLI. */
export function isMessage(record: TranscriptRecord): record is RecordOf<"user"> | RecordOf<"assistant"> {
  return record.type === "user" || record.type === "assistant";
}

export function isSidechain(record: TranscriptRecord): boolean {
  return (record as Fields)["isSidechain"] === true;
}

/** A copy without one field; a time that is a number is one that can be read. */
function withoutField(value: unknown, path: readonly PropertyKey[]): unknown {
  const [field, ...below] = path;
  if (!isObject(value) || typeof field !== "string") return value;
  const { [field]: own, ...rest } = value;
  if (below.length > 0) return { ...value, [field]: withoutField(own, below) };
  const moment = field === "timestamp" ? momentText(own) : undefined;
  return moment === undefined ? rest : { ...value, timestamp: moment };
}

function isRecordType(type: unknown): type is RecordType {
  return typeof type === "string" && Object.hasOwn(RECORD_SCHEMAS, type);
}
