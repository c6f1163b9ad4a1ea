/** What a tool's handler gives back. */
export interface ToolResult<Value = unknown> {
  /** False for a call that failed: the model is told so, and a transaction is taken back. */
  readonly success: boolean;
  /** What the model reads where there is no value, or where the value is kept from it. */
  readonly message: string;
  readonly value?: Value;
  /** Keeps the value from the model: it reads the message alone, and events still have the value. */
  readonly excludeValueFromContext?: boolean;
}

/** Makes the results of tools. */
export const ToolResult = {
  /** The call went well. The model reads the value's `render()`, or else the value as JSON. */
  ok<Value>(value: Value, message = "OK"): ToolResult<Value> {
    return { success: true, message, value };
  },
  /** The call failed in a way that the model should read about. */
  error(message: string): ToolResult<never> {
    return { success: false, message };
  },
} as const;

/** What the model reads of a result: the value's own `render()`, or its JSON; the message where there is no value. */
export function renderResult({ success, message, value, excludeValueFromContext }: ToolResult): string {
  if (!success || excludeValueFromContext || value === undefined || value === null) return message;
  if (typeof value === "string") return value;
  const own = value as { render?: () => string };
  return typeof own.render === "function" ? own.render() : (JSON.stringify(value) ?? message);
}
