import type { SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import { NO_USAGE, SkeinError, failedResult, type TurnResult } from "../../core/internal.ts";

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

  get ids(): readonly string[] {
    return this.#ids;
  }

  /** The prompts that the results so far have answered, those of others included. */
  get answered(): ReadonlySet<string> {
    return this.#answered;
  }

  get isOpen(): boolean {
    return !this.#isOver;
  }

  /** Waits for one more. Once the turn is over it is too late for that. */
  add(id: string): void {
    if (this.#isOver) throw new SkeinError("The turn is already over", { kind: "usage", hint: "Send a new prompt." });
    this.#ids.push(id);
  }

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

  end(): void {
    this.#isOver = true;
  }
}

/** A prompt whose response nobody has read yet. */
export interface PendingPrompt {
  readonly id: string;
  /** What it came to, where that is known without reading on. */
  readonly answer?: TurnResult;
}

/** What a folded prompt cost: the turn that it was folded into has it all. */
const NOTHING = {
  usage: NO_USAGE,
  usageByModel: {},
  costUsd: 0,
  durationMs: 0,
  durationApiMs: 0,
  responses: 0,
  permissionDenials: [],
};

/** The prompts that were sent and whose responses are still to be read, oldest first. */
export class PendingPrompts {
  #prompts: readonly PendingPrompt[] = [];
  #wake: () => void = () => undefined;

  get first(): PendingPrompt | undefined {
    return this.#prompts[0];
  }

  get isWaiting(): boolean {
    return this.#prompts.some(({ answer }) => answer === undefined);
  }

  /** A prompt was sent; one that was not has its answer already. */
  add(prompt: PendingPrompt): void {
    this.#prompts = [...this.#prompts, prompt];
    this.#wake();
  }

  remove(id: string): void {
    this.#prompts = this.#prompts.filter((prompt) => prompt.id !== id);
  }

  /** A turn has been read: its own prompts have their response, and those that were folded into it or lost with it have their answer. */
  settle(
    { ids, answered }: AwaitedPrompts,
    // No result where the reader left; lost where the process is gone, and with it everything that it had not answered.
    read: {
      readonly result?: TurnResult | undefined;
      readonly sessionId?: string | undefined;
      readonly isLost: boolean;
    },
  ): void {
    const { result, sessionId, isLost } = read;
    for (const id of ids) this.remove(id);
    const answer =
      result ?? failedResult(new SkeinError("The turn was cancelled", { kind: "cancelled" }), { sessionId });
    this.#answer(({ id }) => answered.has(id), { ...answer, ...NOTHING, isFolded: true });
    if (isLost) this.#answer(() => true, failedResult(lostWithProcess(), { sessionId }));
  }

  clear(): void {
    this.#prompts = [];
  }

  arrival(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }

  #answer(isMeant: (prompt: PendingPrompt) => boolean, answer: TurnResult): void {
    this.#prompts = this.#prompts.map((prompt) =>
      prompt.answer === undefined && isMeant(prompt) ? { ...prompt, answer } : prompt,
    );
  }
}

function lostWithProcess(): SkeinError {
  return new SkeinError("The process ended before it answered this prompt", {
    kind: "process",
    retryable: true,
    hint: "Send it again: the conversation continues in a new process.",
  });
}
