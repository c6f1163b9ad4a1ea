import { z } from "zod";
import { defined } from "../core/internal.ts";
import { ConfigFile } from "./config-file.ts";
import { schemaMistakes, type ConfigMistake } from "./file-mistake.ts";
import { nestValues, SETTINGS, variableOf } from "./settings.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** What the environment configures: a value for each key, and the variables that cannot hold. One that is empty says nothing. */
export function readVariables(env: Variables): {
  readonly values: ReadonlyMap<string, unknown>;
  readonly mistakes: readonly ConfigMistake[];
} {
  const values = new Map<string, unknown>();
  const mistakes: ConfigMistake[] = [];
  for (const { key, flag } of SETTINGS) {
    const name = flag === undefined ? "" : variableOf(flag);
    const text = env[name];
    if (text === undefined || text.trim() === "") continue;
    const value = toValue(text.trim(), key);
    const [wrong] = schemaMistakes(ConfigFile, nestValues([[key, value]]));
    if (wrong)
      mistakes.push({ path: name, key, message: wrong.message.replace(key, name), ...defined({ hint: wrong.hint }) });
    else values.set(key, value);
  }
  return { values, mistakes };
}

/** A text as the value that its key takes; one that is none is left as it is, and refused by the schema. */
function toValue(text: string, key: string): unknown {
  const schema = schemaAt(key);
  if (schema instanceof z.ZodArray) return splitList(text);
  if (schema instanceof z.ZodBoolean)
    return ({ true: true, 1: true, false: false, 0: false } as Record<string, boolean>)[text] ?? text;
  if (schema instanceof z.ZodNumber) return Number.isNaN(Number(text)) ? text : Number(text);
  return text;
}

function schemaAt(key: string): z.core.$ZodType | undefined {
  let at: z.core.$ZodType | undefined = ConfigFile;
  for (const part of key.split(".")) {
    at = at instanceof z.ZodObject ? plain((at.shape as Record<string, z.core.$ZodType>)[part]) : undefined;
  }
  return at;
}

function plain(schema: z.core.$ZodType | undefined): z.core.$ZodType | undefined {
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault;
  return isWrapped ? plain(schema.unwrap()) : schema;
}

/** Entries with commas between; those inside brackets belong to a rule: `Read, Bash(git log, git diff)`. */
function splitList(text: string): readonly string[] {
  const entries = text.match(/(?:[^,(]|\([^)]*\)?)+/gu) ?? [];
  return entries.map((entry) => entry.trim()).filter((entry) => entry !== "");
}
