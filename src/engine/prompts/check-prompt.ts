import { SkeinError } from "../../core/index.ts";
import type { ClaudePrompt } from "./claude-prompt.ts";

/** Refuses a prompt that asks for nothing. */
export function checkPrompt(prompt: ClaudePrompt): void {
  if (prompt.text.trim() !== "") return;
  throw new SkeinError("The prompt is empty", {
    kind: "usage",
    target: "prompt",
    hint: "Say what the agent should do.",
  });
}
