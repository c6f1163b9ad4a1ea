import type { ToolResult } from "../tool-result.ts";

/** What the model reads of a result: the value's own `render()`, or its JSON; the message where there is no value. */
export function renderResult({ success, message, value, excludeValueFromContext }: ToolResult): string {
  if (!success || excludeValueFromContext || value === undefined || value === null) return message;
  if (typeof value === "string") return value;
  if (hasRender(value)) return value.render();
  return JSON.stringify(value) ?? message;
}

function hasRender(value: unknown): value is { render(): string } {
  return typeof value === "object" && value !== null && "render" in value && typeof value.render === "function";
}
