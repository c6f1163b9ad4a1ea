import type { SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import { SkeinError } from "../../core/index.ts";

/**
 * The prompts whose answer ends the reading of a turn. The CLI may answer several prompts with one result: it folds one
 * that comes while a tool runs into the turn, and takes up those that wait together. Each result says which it answers.
 */
export class AwaitedPrompts {
  readonly #ids: string[];
  readonly #answered = new Set<string>();
  readonly #endsWithAnyResult: boolean;
  #hasAnswerToAll = false;
  #isOver = false;

  /** Without ids, the first result that is not a background task's is the answer; without a prompt, any result. */
  constructor(ids: readonly string[] = [], { isUnprompted = false } = {}) {
    this.#ids = [...ids];
    this.#endsWithAnyResult = isUnprompted;
  }

  /** The prompts that are waited for. */
  get ids(): readonly string[] {
    return this.#ids;
  }

  /** The prompts that the results so far have answered, those of others included. */
  get answered(): ReadonlySet<string> {
    return this.#answered;
  }

  /** Whether a prompt still becomes part of this reading. */
  get isOpen(): boolean {
    return !this.#isOver;
  }

  /** Waits for one more. Once the turn is over it is too late for that. */
  add(id: string): void {
    if (this.#isOver) throw new SkeinError("The turn is already over", { kind: "usage", hint: "Send a new prompt." });
    this.#ids.push(id);
  }

  /** Notes what a message answers. */
  read(message: SDKMessage): void {
    if (message.type !== "result") return;
    const ids = message.user_message_uuids ?? [];
    for (const id of ids) this.#answered.add(id);
    const isReport = message.origin?.kind === "task-notification";
    // Where a turn failed before it began, the result names no prompt: then it is for all that were waiting.
    const isForAll = ids.length === 0 || this.#ids.length === 0;
    if (isForAll && (this.#endsWithAnyResult || !isReport)) this.#hasAnswerToAll = true;
  }

  /** Whether everything is answered. From then on nothing can be added. */
  settle(): boolean {
    const hasAll = this.#ids.length > 0 && this.#ids.every((id) => this.#answered.has(id));
    this.#isOver = hasAll || this.#hasAnswerToAll;
    return this.#isOver;
  }

  /** Gives up waiting. */
  end(): void {
    this.#isOver = true;
  }
}
