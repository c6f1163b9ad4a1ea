import { microUsd, sumMicroUsd, toUsd } from "../../../src/core/internal.ts";
import type { PermissionMode, TurnOptions } from "../../../src/engine/index.ts";
import type { Outcome } from "./face.ts";
import { FIRST_MODEL, type Setup } from "./kept-parts.ts";

/** What a response may be. */
export interface Expected {
  /** The answers that are right; those of prompts which the CLI may have taken up together are all among them. */
  readonly texts: readonly string[];
  /** The kinds of error that it may end with; `undefined` is a good end. */
  readonly kinds: readonly (string | undefined)[];
  /** Whether it was taken into another prompt's turn; that may be unknown. */
  readonly isFolded?: boolean | "maybe";
  /** The money was spent before: nothing was run. */
  readonly isRefused?: boolean;
}

/** A prompt whose response is still to be read. */
export interface Pending extends Expected {
  /** What the next turns must know of, once it is answered well. */
  readonly answer: string;
}

/** A turn that runs until somebody ends it. */
export interface RunningTurn {
  /** What it does: wait in a tool, or be stuck in an answer. */
  readonly type: "tool" | "stream";
  readonly word: string;
  /** The response, which is being read. */
  readonly response: Promise<Outcome>;
  readonly model: string;
  readonly options: TurnOptions;
  /** What was said meanwhile. */
  added: readonly string[];
  /** The model that was set meanwhile. */
  nextModel?: string;
  silentMs: number;
  /** Whether it ended before anybody ended it: its money was spent. */
  hasEnded: boolean;
}

/** What is known of a conversation without looking at it. */
export interface KeptModel {
  readonly setup: Setup;
  /** Makes each prompt another. */
  count: number;
  model: string;
  permissionMode: PermissionMode;
  /** The model of the last recorded turn. */
  recordedModel: string;
  running: RunningTurn | undefined;
  pending: readonly Pending[];
  /** Answers that every later request must hold. */
  remembered: readonly string[];
  turns: number;
  errors: number;
  costsUsd: readonly number[];
  outputTokens: number;
  /** Whether every response came whole, so that all who count must have counted the same. */
  isWhole: boolean;
  /** The process that must still be the one; none where a new one is to be started. */
  pid: number | undefined;
  startedWith: { readonly maxResponses: number | undefined; readonly bypasses: boolean };
}

/** A conversation before its first turn. */
export function createKeptModel(setup: Setup): KeptModel {
  return {
    setup,
    count: 0,
    model: FIRST_MODEL,
    permissionMode: setup.permissionMode ?? "acceptEdits",
    recordedModel: FIRST_MODEL,
    running: undefined,
    pending: [],
    remembered: [],
    turns: 0,
    errors: 0,
    costsUsd: [],
    outputTokens: 0,
    isWhole: true,
    pid: undefined,
    startedWith: { maxResponses: undefined, bypasses: false },
  };
}

/** A word that no other prompt has, and that is in no other. */
export function nextWord(model: KeptModel): string {
  model.count += 1;
  return `w${model.count}x`;
}

/** What the turns have cost that were read. */
export function spentUsd({ costsUsd }: KeptModel): number {
  return toUsd(sumMicroUsd(costsUsd.map(microUsd)));
}

/** What the next turn may cost: it fails with `budget` from there on. */
export function moneyLeft(model: KeptModel, { maxCostUsd = model.setup.maxCostUsd }: TurnOptions = {}): number {
  const { maxConversationCostUsd = Infinity } = model.setup;
  return Math.min(maxCostUsd ?? Infinity, Math.max(0, maxConversationCostUsd - spentUsd(model)));
}

/** Whether a turn with these options can be run in the process that is kept. */
export function keepsProcess(model: KeptModel, options: TurnOptions): boolean {
  const { permissionMode = model.permissionMode, maxResponses } = options;
  const { startedWith } = model;
  const bypasses = permissionMode === "bypassPermissions";
  return model.pid !== undefined && maxResponses === startedWith.maxResponses && (!bypasses || startedWith.bypasses);
}
