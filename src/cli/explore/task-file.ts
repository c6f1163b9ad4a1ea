import { readFile } from "node:fs/promises";
import { z } from "zod";
import { SkeinError } from "../../core/internal.ts";
import { type Ask, type Task, commandReward } from "../../search/internal.ts";
import type { State, Transition } from "../../trace/internal.ts";
import type { Workspace } from "../../workspace/internal.ts";

const shared = {
  name: z.string().min(1).describe("The name of the task or method, as reports show it"),
  when: z
    .string()
    .min(1)
    .optional()
    .describe("A command that has to succeed in the branch; where it does not, the task or the method is passed over"),
};

const Leaf = z.strictObject({
  ...shared,
  prompt: z.string().min(1).describe("What the agent is to do"),
  done: z
    .string()
    .min(1)
    .optional()
    .describe(
      "A command that succeeds where the prompt has done its work; without it, the turn has to end without an error",
    ),
});

const Compound = z.strictObject({
  name: shared.name,
  get methods() {
    return z
      .array(
        z.strictObject({
          ...shared,
          tasks: z.array(TaskFile).describe("The tasks that the method is made of, in order"),
        }),
      )
      .min(1)
      .describe("The ways to do it, tried until one works");
  },
});

const TaskFile = z.union([Leaf, Compound]);

type TaskFile = z.infer<typeof TaskFile>;

type Check = (command: string) => Ask<State, Transition, boolean>;

export async function readTaskFile(path: string): Promise<TaskFile> {
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    const message = `The task network cannot be read: ${(cause as Error).message}`;
    throw new SkeinError(message, { kind: "filesystem", target: path, cause });
  });
  try {
    return TaskFile.parse(JSON.parse(text));
  } catch (cause) {
    const why = cause instanceof z.ZodError ? z.prettifyError(cause) : (cause as Error).message;
    throw new SkeinError(`${path} is not a task network: ${why}`, {
      kind: "parse",
      target: path,
      hint: 'A task is { "name", "prompt", "when"?, "done"? } or { "name", "methods": [{ "name", "when"?, "tasks" }] }',
      cause,
    });
  }
}

/** Makes a task of what the file says; its commands are asked by `check`. */
export function toTask(file: TaskFile, check: Check): Task<State, Transition> {
  if ("prompt" in file) {
    const { name, prompt, when, done } = file;
    return {
      type: "leaf",
      name,
      prompt,
      ...(when === undefined ? {} : { when: check(when) }),
      ...(done === undefined ? {} : { isDone: check(done) }),
    };
  }
  const methods = file.methods.map(({ name, when, tasks }) => ({
    name,
    ...(when === undefined ? {} : { when: check(when) }),
    tasks: tasks.map((task) => toTask(task, check)),
  }));
  return { type: "compound", name: file.name, methods };
}

/** Asks a command of a task network in a branch that is made for it, and removed again. */
export function checkInBranch(workspace: Workspace, signal: AbortSignal): Check {
  return (command) => async (node) => {
    await using branch = await workspace.branch(node.state.id);
    const { state, transition } = node;
    const enter = (argv: readonly string[]): readonly string[] => branch.enter(argv);
    const context = { signal, directory: branch.view, enter };
    const answer = await commandReward(command)({ state, transition }, context);
    return (typeof answer === "number" ? answer : answer.value) === 1;
  };
}
