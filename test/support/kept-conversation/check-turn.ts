import { expect, vi } from "vitest";
import { microUsd } from "../../../src/core/internal.ts";
import type { TurnOptions } from "../../../src/engine/index.ts";
import type { Face, Outcome } from "./face.ts";
import { keepsProcess, moneyLeft, type Expected, type KeptModel, type Pending } from "./kept-model.ts";

/** Nothing takes longer than this, or it hangs. */
const PATIENCE_MS = 30_000;

/** Waits for something that must come, and says what it was where it does not. */
export async function inTime<Value>(what: string, coming: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not come in ${PATIENCE_MS} ms`)), PATIENCE_MS);
  });
  return await Promise.race([coming, tooLate]).finally(() => clearTimeout(timer));
}

/** Compares a response with what the model foretells, and takes up what it came to. */
export function checkOutcome(
  model: KeptModel,
  expected: Expected,
  outcome: Outcome,
  { options = {}, countsRefused = true }: { options?: TurnOptions; countsRefused?: boolean } = {},
): void {
  const isFolded = expected.isFolded === "maybe" ? outcome.isFolded : (expected.isFolded ?? false);
  const limitUsd = moneyLeft(model, options);
  const isOverspent = !isFolded && microUsd(outcome.costUsd) >= microUsd(limitUsd);
  // A turn that came to a good end has failed all the same where it cost too much; another may have been stopped for it.
  const kinds = isOverspent ? [...expected.kinds.filter((kind) => kind !== undefined), "budget"] : expected.kinds;
  expect(kinds, `the end of ${JSON.stringify(outcome)}`).toContain(outcome.kind);
  expect(outcome.isFolded).toBe(isFolded);
  if (outcome.kind === undefined) expect(expected.texts).toContain(outcome.text);
  if (isFolded || (expected.isRefused === true && !countsRefused)) return;
  model.turns += 1;
  model.errors += outcome.kind === undefined ? 0 : 1;
  model.costsUsd = [...model.costsUsd, outcome.costUsd];
  model.outputTokens += outcome.outputTokens;
}

/** The process after a turn was begun: the one that there was, where that could run it. */
export async function checkProcess(model: KeptModel, face: Face, options: TurnOptions = {}): Promise<void> {
  const isKept = keepsProcess(model, options);
  // One that was ended by itself is gone a moment after its last word.
  await vi.waitFor(() => expect(face.pids()).toHaveLength(1), 10_000);
  const [pid] = face.pids();
  if (isKept) expect(pid).toBe(model.pid);
  else {
    expect(pid).not.toBe(model.pid);
    const { permissionMode = model.permissionMode, maxResponses } = options;
    model.startedWith = { maxResponses, bypasses: permissionMode === "bypassPermissions" };
  }
  model.pid = pid;
}

/** The last request of a turn holds every answer before it: no process that was lost took one along. */
export function checkMemory(model: KeptModel, face: Face): void {
  const { messages } = face.agent.requests.findLast(({ tools }) => (tools?.length ?? 0) > 0) ?? {};
  const text = JSON.stringify(messages);
  expect(model.remembered.filter((answer) => !text.includes(answer))).toEqual([]);
}

/** What the conversation itself has counted. */
export function checkCounted(model: KeptModel, face: Face): void {
  const { turns, errors, costUsd } = face.counted();
  expect({ turns, errors }).toEqual({ turns: model.turns, errors: model.errors });
  const sum = model.costsUsd.reduce((total, cost) => total + cost, 0);
  expect(costUsd).toBeCloseTo(sum, 6);
}

/** Reads all responses that are due, in the order of their prompts. */
export async function readPending(model: KeptModel, face: Face): Promise<void> {
  while (model.pending.length > 0) {
    const [first, ...others] = model.pending as [Pending, ...Pending[]];
    if (first.isFolded === true && !face.tellsFolded) {
      model.pending = others;
      continue;
    }
    // The CLI may take up together what waits together: then the answer is to the last of them.
    const later = others.filter(({ isFolded }) => isFolded !== true);
    const texts = first.isFolded === true ? first.texts : [...first.texts, ...later.flatMap(({ texts: own }) => own)];
    const outcome = await inTime(`the response to ${first.answer}`, face.read());
    checkOutcome(model, { ...first, texts }, outcome, face);
    model.pending = others;
    if (outcome.kind !== undefined) continue;
    if (!outcome.isFolded) checkMemory(model, face);
    answered(model, first, outcome);
  }
  checkCounted(model, face);
}

/** Takes up an answer; prompts that were taken up with its own have it too. */
function answered(model: KeptModel, { answer }: Pending, { text, isFolded }: Outcome): void {
  if (isFolded) return;
  model.remembered = [...model.remembered, text];
  const last = model.pending.findIndex(({ answer: own }) => own === text);
  if (text === answer) return;
  model.pending = model.pending.map((each, index) =>
    index <= last ? { ...each, texts: [text], kinds: [undefined], isFolded: true } : each,
  );
}
