import type { ClaudeOptions } from "../../engine/index.ts";
import type { IsolationConfig } from "../../isolation/index.ts";
import { isolate } from "../isolate.ts";
import type { Skill } from "../skill.ts";
import { installSkills } from "./install-skills.ts";

/** Options as a turn is run with them, and what has to be cleared away after it. */
export interface PreparedOptions extends AsyncDisposable {
  readonly options: ClaudeOptions;
}

/** Puts the skills of a prompt where the agent finds them, in a home of its own where it is isolated. */
export async function prepareOptions(
  options: ClaudeOptions,
  { isolation, skills }: { readonly isolation: IsolationConfig | undefined; readonly skills: readonly Skill[] },
): Promise<PreparedOptions> {
  if (isolation) return await isolate(isolation, options, { skills });
  const installed = await installSkills(skills, options);
  return {
    options: { ...options, ...installed.options },
    [Symbol.asyncDispose]: async () => await installed[Symbol.asyncDispose](),
  };
}
