import { z } from "zod";
import type { ToolUse } from "../../transcript/index.ts";

const Todos = z.looseObject({
  todos: z.array(z.looseObject({ content: z.string(), status: z.string().default("") })),
});

/** The tasks that a call of TodoWrite sets. */
export function todosOf({ name, input }: ToolUse): readonly { readonly content: string; readonly status: string }[] {
  return name === "TodoWrite" ? (Todos.safeParse(input).data?.todos ?? []) : [];
}
