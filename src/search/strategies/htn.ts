import { defined } from "../../core/internal.ts";
import type { Environment, StepOutcome } from "../environment.ts";
import { isReached, type TaskStatus, type ReachedNode } from "../search-result.ts";
import { SearchRun, type SearchOptions } from "../search-run.ts";
import { createSearch, type Search } from "../search.ts";

/** What is to be done, and how hard it is tried. */
export interface HtnOptions<State, Step> extends SearchOptions<State, Step> {
  readonly task: Task<State, Step>;
  /** How deep tasks may be nested; 5 by default. */
  readonly depth?: number;
  /** How often a leaf is tried; 3 by default. */
  readonly attempts?: number;
}

/**
 * Does a task by taking it apart. A leaf is tried several times from the same state; when all fail, the method has failed,
 * and the next one goes on from the state before that leaf: what was done before it stays done. When the task is
 * completed the result is `solved`, and `best` the node it ended at. One branch runs at a time.
 */
export function htn<State, Step extends StepOutcome>(
  environment: Environment<State, Step>,
  options: HtnOptions<State, Step>,
): Search<State, Step> {
  const run = new SearchRun("htn", environment, options);
  return createSearch(run, async () => {
    const done = await new TaskRunner(run, options).perform(options.task, { path: [], node: run.root });
    if (done.isCompleted) run.solve(done.node);
  });
}

/** Where a task ended: at the last node that was good. */
interface Ending<State, Step> {
  readonly isCompleted: boolean;
  readonly node: ReachedNode<State, Step>;
}

/** A task that is being done: its name and those around it, and the node that it is at. */
interface Place<State, Step> {
  readonly path: readonly string[];
  readonly node: ReachedNode<State, Step>;
}

class TaskRunner<State, Step extends StepOutcome> {
  readonly #run: SearchRun<State, Step>;
  readonly #depth: number;
  readonly #attempts: number;

  constructor(run: SearchRun<State, Step>, { depth = 5, attempts = 3 }: HtnOptions<State, Step>) {
    this.#run = run;
    this.#depth = depth;
    this.#attempts = attempts;
  }

  async perform(task: Task<State, Step>, above: Place<State, Step>): Promise<Ending<State, Step>> {
    const at = { ...above, path: [...above.path, task.name] };
    if (at.path.length > this.#depth) return await this.#end(at, "failed", "it is nested too deeply");
    return task.type === "leaf" ? await this.#try(task, at) : await this.#takeApart(task, at);
  }

  async #try(task: LeafTask<State, Step>, at: Place<State, Step>): Promise<Ending<State, Step>> {
    const { node } = at;
    if (task.when && !(await task.when(node))) return await this.#end(at, "blocked", "its condition does not hold");
    await this.#tell(at, "in_progress");
    for (let attempt = 1; attempt <= this.#attempts && !this.#run.isStopped; attempt += 1) {
      const prompt = typeof task.prompt === "string" ? task.prompt : await task.prompt(node);
      const reached = await this.#run.explore(node, prompt);
      if (!isReached(reached)) continue;
      const isDone = task.isDone ? await task.isDone(reached) : reached.transition?.execution.isError === false;
      if (isDone) return await this.#end({ ...at, node: reached }, "completed");
    }
    return await this.#end(at, "failed", "every attempt failed");
  }

  async #takeApart(task: CompoundTask<State, Step>, from: Place<State, Step>): Promise<Ending<State, Step>> {
    let at = from;
    let isReplan = false;
    await this.#tell(at, "in_progress");
    for (const method of task.methods) {
      if (this.#run.isStopped) break;
      if (method.when && !(await method.when(at.node))) continue;
      const { path, node } = at;
      await this.#run.emit({ type: "method-selected", path, method: method.name, nodeId: node.id, isReplan });
      isReplan = true;
      const ending = await this.#follow(method, at);
      at = { path, node: ending.node };
      if (ending.isCompleted) return await this.#end(at, "completed");
    }
    if (!isReplan) return await this.#end(at, "blocked", "no method applies");
    return await this.#end(at, "failed", "no other method applies");
  }

  async #follow({ tasks: given }: Method<State, Step>, at: Place<State, Step>): Promise<Ending<State, Step>> {
    const tasks = typeof given === "function" ? await given(at.node) : given;
    for (const { name } of tasks) await this.#tell({ ...at, path: [...at.path, name] }, "pending");
    let ending: Ending<State, Step> = { isCompleted: true, node: at.node };
    for (const task of tasks) {
      if (ending.isCompleted) ending = await this.perform(task, { ...at, node: ending.node });
    }
    return ending;
  }

  async #end(at: Place<State, Step>, status: TaskStatus, reason?: string): Promise<Ending<State, Step>> {
    await this.#tell(at, status, status === "failed" && this.#run.isStopped ? "the search has stopped" : reason);
    return { isCompleted: status === "completed", node: at.node };
  }

  async #tell({ path, node }: Place<State, Step>, status: TaskStatus, reason?: string): Promise<void> {
    await this.#run.emit({ type: "task-changed", path, status, nodeId: node.id, ...defined({ reason }) });
  }
}

/** Something to be done: by one prompt, or by the tasks that a method takes it apart into. */
export type Task<State, Step> = LeafTask<State, Step> | CompoundTask<State, Step>;

/** A question about the node at which a task stands. */
export type Ask<State, Step, Answer> = (node: ReachedNode<State, Step>) => Answer | Promise<Answer>;

/** A task that one prompt does. */
export interface LeafTask<State, Step> {
  readonly type: "leaf";
  readonly name: string;
  readonly prompt: string | Ask<State, Step, string>;
  /** Where it is false the task is blocked, and nothing is run. */
  readonly when?: Ask<State, Step, boolean>;
  /** Whether the prompt did it; by default, whether its turn ended without an error. */
  readonly isDone?: Ask<State, Step, boolean>;
}

/** A task that has to be taken apart. */
export interface CompoundTask<State, Step> {
  readonly type: "compound";
  readonly name: string;
  /** Tried in order, until one works. */
  readonly methods: readonly Method<State, Step>[];
}

/** One way to take a task apart. */
export interface Method<State, Step> {
  readonly name: string;
  /** Where it is false the method is passed over. */
  readonly when?: Ask<State, Step, boolean>;
  /** The tasks, to be done one after another. A function sees what was done before: no tasks means nothing is left to do. */
  readonly tasks: readonly Task<State, Step>[] | Ask<State, Step, readonly Task<State, Step>[]>;
}
