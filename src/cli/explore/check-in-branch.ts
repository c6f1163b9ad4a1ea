import { commandReward } from "../../search/index.ts";
import type { Workspace } from "../../workspace/index.ts";
import type { Check } from "./task-file.ts";

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
