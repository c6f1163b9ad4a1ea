import { ownValue } from "../core/index.ts";
import type { Context, Text } from "./scenario.ts";

/** Fills in a text: `{{cwd}}`, `{{prompt}}`, `{{result}}` and the captures; what is unknown stays as it is written. */
export function fillText(text: Text, context: Context): string {
  if (typeof text === "function") return text(context);
  return text.replaceAll(/\{\{\s*([\w]+)\s*\}\}/g, (whole, name: string) => lookUp(name, context) ?? whole);
}

/** Fills in every string inside a value. */
export function fillValue(value: unknown, context: Context): unknown {
  if (typeof value === "string") return fillText(value, context);
  if (Array.isArray(value)) return value.map((item) => fillValue(item, context));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillValue(item, context)]));
}

function lookUp(name: string, context: Context): string | undefined {
  if (name === "cwd" || name === "prompt" || name === "result") return context[name];
  return ownValue(context.captures, name);
}
