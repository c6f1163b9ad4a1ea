import { z } from "zod";
import { createId, defined, microUsd, sumMicroUsd, toSkeinError, toUsd, type ErrorRecord } from "../core/internal.ts";
import { carryItem, type CarryParts, type ItemEnding } from "./carry-item.ts";
import type { ItemProgress } from "./do-item.ts";
import { Plan, type WorkItem } from "./plan.ts";
import { planPrompt, planText } from "./prompts.ts";
import type {
  ItemResult,
  ItemStatus,
  TeamAnswer,
  TeamOutcome,
  TeamPhase,
  TeamQuestion,
  TeamResult,
} from "./team-events.ts";

export interface TeamRunParts extends Pick<
  CarryParts,
  "desk" | "manager" | "workers" | "merging" | "gateOptions" | "profiles"
> {
  readonly ask: (question: TeamQuestion) => Promise<TeamAnswer>;
  readonly isResumed: boolean;
  readonly startedAtMs: number;
}

interface Tracked {
  readonly item: WorkItem;
  status: ItemStatus;
  reason?: string;
  attempts: number;
  rounds: number;
  costUsd: number;
  stateId?: string;
  mergedStateId?: string;
  readonly isReplacement: boolean;
}

/** One run of a team, from the plan to the last item. */
export class TeamRun {
  readonly #parts: TeamRunParts;
  readonly #items = new Map<string, Tracked>();
  readonly #merged: string[] = [];
  readonly #running = new Map<string, Promise<void>>();
  #lastMerge: Promise<unknown> = Promise.resolve();
  #error: ErrorRecord | undefined;
  #phase: TeamPhase | undefined;

  constructor(parts: TeamRunParts) {
    this.#parts = parts;
  }

  /** Runs to the end, and gives what the team came to; a failure is an outcome too. */
  async conduct(): Promise<TeamResult> {
    const { desk, isResumed } = this.#parts;
    const { goal, workers } = desk.settings;
    await desk.tell({ type: "team-start", team: desk.id, goal, workers, isResumed });
    try {
      const plan = await this.#plan();
      if (plan) await this.#work(plan);
    } catch (error) {
      this.#fail(error);
    }
    await Promise.allSettled(this.#running.values());
    return this.#result();
  }

  async #plan(): Promise<Plan | undefined> {
    const { desk, manager } = this.#parts;
    const { goal, plan: given } = desk.settings;
    await this.#setPhase("plan");
    let plan = given ?? (await manager.plan(planPrompt(goal, desk.settings)));
    for (let count = 1; plan && desk.settings.approvePlan; count += 1) {
      const text = planText(goal, plan);
      const answer = await this.#ask(
        { kind: "plan", text, choices: ["approve", "retry", "stop"] },
        `plan/${count}/approval`,
      );
      if (answer.choice === "approve") break;
      if (answer.choice !== "retry") {
        desk.stop("stopped");
        return undefined;
      }
      const prompt = `The plan was not approved: ${answer.message ?? "make another one"}. Answer with the whole plan again.`;
      plan = await manager.ask({ name: `plan/again-${count}`, prompt, schema: Plan });
    }
    if (!plan) return undefined;
    const protect = [...new Set([...desk.settings.protect, ...plan.protect])];
    await desk.tell({ type: "plan-made", items: plan.items, protect });
    return { ...plan, protect };
  }

  async #work({ items, protect }: Plan): Promise<void> {
    const { desk } = this.#parts;
    for (const item of items) this.#track(item, false);
    await this.#setPhase("work");
    for (;;) {
      for (const item of this.#ready()) {
        if (desk.stopped || this.#running.size >= desk.settings.workers) break;
        this.#begin(item, protect);
      }
      if (this.#running.size === 0) break;
      await Promise.race(this.#running.values());
    }
  }

  #begin(tracked: Tracked, protect: readonly string[]): void {
    const { id } = tracked.item;
    tracked.status = "working";
    const profile = this.#running.size % this.#parts.profiles;
    const done = carryItem(this.#carrying(protect), tracked.item, profile)
      .then((ending) => this.#end(tracked, ending))
      .catch((error: unknown) => this.#fail(error))
      .finally(() => this.#running.delete(id));
    this.#running.set(id, done);
  }

  async #end(tracked: Tracked, ending: ItemEnding | undefined): Promise<void> {
    const { id } = tracked.item;
    // What is approved stays so: it only has to be merged when the team goes on.
    if (!ending) return void (tracked.status = tracked.status === "integrating" ? "integrating" : "waiting");
    const { status, reason, stateId, items = [] } = ending;
    tracked.status = status;
    tracked.reason = reason;
    if (status === "merged" && stateId !== undefined) {
      tracked.mergedStateId = stateId;
      this.#merged.push(id);
    }
    if (status === "replaced") this.#replace(tracked.item, items);
    await this.#parts.desk.tell({ type: "item-ended", item: id, status, reason });
  }

  /** What waited for an item waits for those that took its place; these wait for what it waited for. */
  #replace({ id, dependencies }: WorkItem, items: readonly WorkItem[]): void {
    const names = new Map(items.map((item) => [item.id, `${id}.${item.id}`.slice(0, 80)]));
    for (const item of items) {
      const own = item.dependencies.flatMap((each) => names.get(each) ?? []);
      this.#track({ ...item, id: names.get(item.id) ?? item.id, dependencies: [...dependencies, ...own] }, true);
    }
    for (const [key, waiting] of this.#items) {
      if (!waiting.item.dependencies.includes(id)) continue;
      const others = waiting.item.dependencies.filter((each) => each !== id);
      this.#items.set(key, { ...waiting, item: { ...waiting.item, dependencies: [...others, ...names.values()] } });
    }
  }

  #track(item: WorkItem, isReplacement: boolean): void {
    this.#items.set(item.id, { item, status: "waiting", attempts: 0, rounds: 0, costUsd: 0, isReplacement });
  }

  /** Items that can be begun, the most urgent first. What waits for an item that will not come is blocked. */
  #ready(): readonly Tracked[] {
    const isOver = (id: string): boolean => ["merged", "skipped"].includes(this.#items.get(id)?.status ?? "");
    for (let hasChanged = true; hasChanged;) {
      hasChanged = false;
      for (const tracked of this.#items.values()) {
        const lost = tracked.item.dependencies.find((id) =>
          ["escalated", "blocked"].includes(this.#items.get(id)?.status ?? ""),
        );
        if (tracked.status !== "waiting" || lost === undefined) continue;
        tracked.status = "blocked";
        tracked.reason = `${lost} is not done`;
        hasChanged = true;
      }
    }
    return [...this.#items.values()]
      .filter(({ status, item }) => status === "waiting" && item.dependencies.every(isOver))
      .toSorted((left, right) => left.item.priority - right.item.priority);
  }

  #carrying(protect: readonly string[]): CarryParts {
    const { desk, manager, workers, merging, gateOptions, profiles } = this.#parts;
    return {
      desk,
      manager,
      workers,
      merging,
      gateOptions,
      profiles,
      protect,
      inTurn: async (run) => {
        const merged = this.#lastMerge.then(run);
        this.#lastMerge = merged.catch(() => undefined);
        return await merged;
      },
      ask: (question, name) => this.#ask(question, name),
      dependents: (id) =>
        [...this.#items.values()].filter(({ item }) => item.dependencies.includes(id)).map(({ item }) => item.id),
      isReplacement: (id) => this.#items.get(id)?.isReplacement ?? false,
      onStatus: (id, status) => this.#setStatus(id, status),
      onProgress: (id, progress) => this.#progress(id, progress),
    };
  }

  /** The phase of the team is that of the item that is furthest. */
  async #setStatus(id: string, status: ItemStatus): Promise<void> {
    const tracked = this.#items.get(id);
    if (tracked) tracked.status = status;
    const statuses = new Set([...this.#items.values()].map((item) => item.status));
    await this.#setPhase(statuses.has("integrating") ? "integrate" : statuses.has("reviewing") ? "review" : "work");
  }

  async #setPhase(phase: TeamPhase): Promise<void> {
    if (this.#phase === phase) return;
    this.#phase = phase;
    await this.#parts.desk.tell({ type: "phase-changed", phase });
  }

  #progress(id: string, { attempt, costUsd, stateId }: ItemProgress): void {
    const tracked = this.#items.get(id);
    if (!tracked) return;
    tracked.attempts = attempt;
    tracked.rounds += 1;
    tracked.costUsd = toUsd(sumMicroUsd([microUsd(tracked.costUsd), microUsd(costUsd)]));
    tracked.stateId = stateId;
  }

  async #ask(question: Omit<TeamQuestion, "id">, name: string): Promise<TeamAnswer> {
    const { desk, ask } = this.#parts;
    const whole = { ...question, id: createId() };
    if (desk.isDone(name)) return await desk.once(name, Answer, () => Promise.resolve(UNANSWERED));
    await desk.tell({ type: "escalated", question: whole });
    const answer = await ask(whole);
    await desk.tell({ type: "answered", questionId: whole.id, answer });
    // Who did not answer is asked again when the team goes on.
    return answer.choice === "unanswered" ? answer : await desk.once(name, Answer, () => Promise.resolve(answer));
  }

  #fail(error: unknown): void {
    const { desk } = this.#parts;
    if (desk.stopped) return;
    this.#error = toSkeinError(error).toJSON();
    desk.stop("failed");
  }

  #result(): TeamResult {
    const { desk, manager, startedAtMs } = this.#parts;
    const items = [...this.#items.values()].map(toItemResult);
    const isDone = ({ status }: ItemResult): boolean => ["merged", "skipped", "replaced"].includes(status);
    const outcome: TeamOutcome = desk.stopped ?? (items.every(isDone) ? "completed" : "partial");
    const workerCostUsd = toUsd(sumMicroUsd(items.map(({ costUsd }) => microUsd(costUsd))));
    return {
      team: desk.id,
      outcome,
      items,
      merged: this.#merged,
      done: items.filter(({ status }) => status === "integrating").map(({ id }) => id),
      left: items.filter((item) => !isDone(item)).map(({ id }) => id),
      costUsd: toUsd(sumMicroUsd([microUsd(workerCostUsd), microUsd(manager.costUsd)])),
      managerCostUsd: manager.costUsd,
      workerCostUsd,
      offline: desk.isOffline,
      iterations: desk.iterations,
      durationMs: desk.workspace.clock.now() - startedAtMs,
      ...defined({ budgetEnd: desk.budget?.exhausted(), error: this.#error }),
    };
  }
}

const UNANSWERED: TeamAnswer = { choice: "unanswered" };

const Answer = z.strictObject({
  choice: z.enum(["approve", "retry", "skip", "stop", "unanswered"]),
  message: z.string().exactOptional(),
});

function toItemResult({ item, status, attempts, rounds, costUsd, ...rest }: Tracked): ItemResult {
  const { reason, stateId, mergedStateId } = rest;
  return {
    id: item.id,
    title: item.title,
    status,
    attempts,
    rounds,
    costUsd,
    ...defined({ reason, stateId, mergedStateId }),
  };
}
