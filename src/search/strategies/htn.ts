import type { Environment, StepOutcome } from "../environment.ts";
import type { SearchOptions } from "../search-options.ts";
import { isReached, type TaskStatus, type ReachedNode } from "../search-result.ts";
import type { SearchRun } from "../search-run.ts";
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
  const { task, depth = 5, attempts = 3 } = options;
  return createSearch({ name: "htn", environment, options }, async (run) => {
    const done = await new TaskRunner(run, depth, attempts).perform(task, run.root, []);
    if (done.isCompleted) run.solve(done.node);
  });
}

/** Where a task ended: at the last node that was good. */
interface Ending<State, Step> {
  readonly isCompleted: boolean;
  readonly node: ReachedNode<State, Step>;
}

class TaskRunner<State, Step extends StepOutcome> {
  readonly #run: SearchRun<State, Step>;
  readonly #depth: number;
  readonly #attempts: number;

  constructor(run: SearchRun<State, Step>, depth: number, attempts: number) {
    this.#run = run;
    this.#depth = depth;
    this.#attempts = attempts;
  }

  async perform(
    task: Task<State, Step>,
    node: Node<State, Step>,
    above: readonly string[],
  ): Promise<Ending<State, Step>> {
    const path = [...above, task.name];
    if (path.length > this.#depth) return await this.#end({ path, node }, "failed", "it is nested too deeply");
    return task.type === "leaf" ? await this.#try(task, node, path) : await this.#takeApart(task, node, path);
  }

  async #try(task: LeafTask<State, Step>, node: Node<State, Step>, path: Path): Promise<Ending<State, Step>> {
    if (!(await holds(task.when, node)))
      return await this.#end({ path, node }, "blocked", "its condition does not hold");
    await this.#tell({ path, node }, "in_progress");
    for (let attempt = 1; attempt <= this.#attempts && !this.#run.isStopped; attempt += 1) {
      const prompt = typeof task.prompt === "string" ? task.prompt : await task.prompt(node);
      const reached = await this.#run.explore(node, prompt);
      if (isReached(reached) && (await isDone(task, reached)))
        return await this.#end({ path, node: reached }, "completed");
    }
    return await this.#end({ path, node }, "failed", "every attempt failed");
  }

  async #takeApart(task: CompoundTask<State, Step>, from: Node<State, Step>, path: Path): Promise<Ending<State, Step>> {
    let node = from;
    let tried = 0;
    await this.#tell({ path, node }, "in_progress");
    for (const method of task.methods) {
      if (this.#run.isStopped) break;
      if (!(await holds(method.when, node))) continue;
      const isReplan = tried > 0;
      tried += 1;
      await this.#run.emit({ type: "method-selected", path, method: method.name, nodeId: node.id, isReplan });
      const ending = await this.#follow(method, node, path);
      node = ending.node;
      if (ending.isCompleted) return await this.#end({ path, node }, "completed");
    }
    if (tried === 0) return await this.#end({ path, node }, "blocked", "no method applies");
    return await this.#end({ path, node }, "failed", "no other method applies");
  }

  async #follow(method: Method<State, Step>, from: Node<State, Step>, path: Path): Promise<Ending<State, Step>> {
    const tasks = typeof method.tasks === "function" ? await method.tasks(from) : method.tasks;
    for (const { name } of tasks) await this.#tell({ path: [...path, name], node: from }, "pending");
    let node = from;
    for (const task of tasks) {
      const ending = await this.perform(task, node, path);
      node = ending.node;
      if (!ending.isCompleted) return ending;
    }
    return { isCompleted: true, node };
  }

  async #end(at: Place<State, Step>, status: TaskStatus, reason?: string): Promise<Ending<State, Step>> {
    await this.#tell(at, status, status === "failed" && this.#run.isStopped ? "the search has stopped" : reason);
    return { isCompleted: status === "completed", node: at.node };
  }

  async #tell({ path, node }: Place<State, Step>, status: TaskStatus, reason?: string): Promise<void> {
    const why = reason === undefined ? {} : { reason };
    await this.#run.emit({ type: "task-changed", path, status, nodeId: node.id, ...why });
  }
}

type Node<State, Step> = ReachedNode<State, Step>;
type Path = readonly string[];

interface Place<State, Step> {
  readonly path: Path;
  readonly node: Node<State, Step>;
}

async function holds<State, Step>(
  condition: Ask<State, Step, boolean> | undefined,
  node: Node<State, Step>,
): Promise<boolean> {
  return condition ? await condition(node) : true;
}

async function isDone<State, Step extends StepOutcome>(
  task: LeafTask<State, Step>,
  node: Node<State, Step>,
): Promise<boolean> {
  return task.isDone ? await task.isDone(node) : node.transition?.execution.isError === false;
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
