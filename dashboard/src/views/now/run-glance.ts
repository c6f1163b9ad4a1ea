import type { LogLine } from "../../data/run-log.ts";

/** What a card shows of a turn that goes on. */
export interface Glance {
  /** The call that runs; the last one that began, where there are several. */
  readonly call: GlanceCall | undefined;
  readonly words: { readonly kind: "text" | "thinking"; readonly text: string } | undefined;
  /** Tokens of all kinds, as far as they are known. */
  readonly tokens: number;
  readonly calls: number;
  /** What the engine says while it waits: a retry, a compaction. */
  readonly status: string | undefined;
}

export interface GlanceCall {
  readonly tool: string;
  readonly input: unknown;
  readonly since: string;
}

/** Reads what a card shows from the lines of a run's journal. */
export function glanceAt(lines: readonly LogLine[]): Glance {
  const running = new Map<string, GlanceCall>();
  const tokens = new Map<string, number>();
  let words: Glance["words"];
  let status: string | undefined;
  let calls = 0;
  for (const { event } of lines) {
    const { type, tool_use_id: callId, tool, timestamp } = event;
    status = type === "status" ? textOf(event["detail"]) || shownStatus(event["status"]) : undefined;
    if (type === "text" || type === "thinking") words = { kind: type, text: textOf(event["text"]) };
    if (type === "usage") tokens.set(textOf(event["message_id"]), sumOf(event["usage"]));
    if (type === "tool-start") {
      calls += 1;
      running.set(textOf(callId), { tool: textOf(tool), input: event["input"], since: textOf(timestamp) });
    }
    if (type === "tool-end") running.delete(textOf(callId));
  }
  const sum = [...tokens.values()].reduce((before, each) => before + each, 0);
  return { call: [...running.values()].at(-1), words, tokens: sum, calls, status };
}

/** That it asks the model is no news. */
function shownStatus(status: unknown): string | undefined {
  const word = textOf(status);
  return word === "" || word === "requesting" ? undefined : word.replaceAll(/[_-]/gu, " ");
}

function sumOf(usage: unknown): number {
  if (typeof usage !== "object" || usage === null) return 0;
  return Object.values(usage).reduce<number>((sum, value) => sum + (typeof value === "number" ? value : 0), 0);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** What a card shows of a search that goes on. */
export interface SearchGlance {
  readonly started: number;
  readonly ended: number;
  readonly failed: number;
  /** The rewards of branches that have one, in the order in which they came. */
  readonly rewards: readonly number[];
  readonly best: { readonly reward: number; readonly prompt: string; readonly stateId: string } | undefined;
  readonly costUsd: number;
  readonly prompts: readonly string[];
}

/** Reads what a card shows of a search from the lines of its journal. */
export function glanceAtSearch(lines: readonly LogLine[]): SearchGlance {
  const prompts = new Set<string>();
  const rewards: number[] = [];
  let [started, ended, failed, costUsd] = [0, 0, 0, 0];
  let best: SearchGlance["best"];
  for (const { event } of lines) {
    const prompt = textOf(event["prompt"]);
    if (event.type === "branch-start") {
      started += 1;
      prompts.add(prompt);
    }
    if (event.type !== "branch-end" && event.type !== "branch-failed") continue;
    if (event.type === "branch-failed") failed += 1;
    else ended += 1;
    if (typeof event["cost_usd"] === "number" && event["is_reused"] !== true) costUsd += event["cost_usd"];
    const reward = rewardOf(event["reward"]);
    if (reward === undefined) continue;
    rewards.push(reward);
    if (!best || reward > best.reward) best = { reward, prompt, stateId: textOf(event["state_id"]) };
  }
  return { started, ended, failed, rewards, best, costUsd, prompts: [...prompts] };
}

function rewardOf(reward: unknown): number | undefined {
  if (typeof reward !== "object" || reward === null || !("value" in reward)) return undefined;
  return typeof reward.value === "number" ? reward.value : undefined;
}
