import { groupBy } from "../../src/core/internal.ts";

/** A field as programs rely on it. */
export interface PinnedField {
  /** `run data`, `run args`, `event turn-end` … */
  readonly place: string;
  readonly path: string;
  readonly type: string;
  readonly isNullable: boolean;
  readonly isRequired: boolean;
}

export interface PinnedFields {
  /** The `schema_version` that promises them. */
  readonly version: string;
  readonly fields: readonly PinnedField[];
}

const LINE = /^(?<place>.*?) · (?<path>\S+) · (?<kind>required|optional)(?<nullable>, null)? · (?<type>.*)$/u;

export function writeFields({ version, fields }: PinnedFields): string {
  const lines = fields.map(
    ({ place, path, type, isNullable, isRequired }) =>
      `${place} · ${path} · ${isRequired ? "required" : "optional"}${isNullable ? ", null" : ""} · ${type}`,
  );
  return `schema_version ${version}\n${[...new Set(lines)].toSorted().join("\n")}\n`;
}

export function readFields(text: string): PinnedFields {
  const [head = "", ...lines] = text.trimEnd().split("\n");
  const fields = lines.map((line): PinnedField => {
    const { place, path, kind, nullable, type } = LINE.exec(line)?.groups ?? {};
    if (place === undefined || path === undefined || type === undefined) throw new Error(`Not a pinned field: ${line}`);
    return { place, path, type, isNullable: nullable !== undefined, isRequired: kind === "required" };
  });
  return { version: head.replace("schema_version ", ""), fields };
}

/** What a program would miss: a field that is gone, one of another type, one that may be null or absent now, an argument that is needed now. */
export function brokenFields(pinned: readonly PinnedField[], actual: readonly PinnedField[]): readonly string[] {
  const places = new Set(pinned.map(({ place }) => place));
  const known = new Set(pinned.map(nameOf));
  const present = groupBy(actual, nameOf);
  const gone = pinned.flatMap((field) => {
    const now = present.get(nameOf(field)) ?? [];
    if (now.length === 0) return `${nameOf(field)} is gone`;
    return now.some((one) => keeps(field, one))
      ? []
      : `${nameOf(field)} was ${shown(field)} and is ${now.map(shown).join(" or ")}`;
  });
  const needed = actual.filter(
    (field) => isInput(field) && field.isRequired && places.has(field.place) && !known.has(nameOf(field)),
  );
  return [...gone, ...needed.map((field) => `${nameOf(field)} is needed now`)];
}

/** What is read may have fewer forms than before, and what is given more; a word more in a list of words is an addition in both. */
function keeps(before: PinnedField, now: PinnedField): boolean {
  const [narrow, wide] = isInput(before) ? [before, now] : [now, before];
  const isAsSure = isInput(before) ? before.isRequired || !now.isRequired : now.isRequired || !before.isRequired;
  const isNullKept = !narrow.isNullable || wide.isNullable;
  const words = new Set(now.type.split(" | "));
  return isAsSure && isNullKept && before.type.split(" | ").every((word) => words.has(word));
}

function isInput({ place }: PinnedField): boolean {
  return place.endsWith(" args");
}

function nameOf({ place, path }: PinnedField): string {
  return `${place} · ${path}`;
}

function shown({ type, isNullable, isRequired }: PinnedField): string {
  return `${isRequired ? "" : "optional "}${type}${isNullable ? " or null" : ""}`;
}
