import { join } from "node:path";
import type { SkeinEvent, TurnResult } from "../../src/core/index.ts";
import { claudePrompt, type ClaudeOptions } from "../../src/engine/index.ts";
import { createTransition, type Transition } from "../../src/trace/index.ts";
import { type TransitionParts } from "../../src/trace/internal.ts";
import type { EnvironmentSnapshot, Workspace } from "../../src/workspace/index.ts";
import type { TracedAgent } from "./traced-agent.ts";

/** A turn that was run by hand, and what was there before it. */
export interface Executed {
  readonly before: EnvironmentSnapshot;
  readonly execution: TurnResult;
  readonly events: readonly SkeinEvent[];
}

/** Runs turns by the engine alone, as nothing that records them would. */
export interface ByHand {
  /** Claude Code's own folder of the agent. */
  readonly claudeHome: string;
  execute(workspace: Workspace, text: string, options?: ClaudeOptions, before?: EnvironmentSnapshot): Promise<Executed>;
  make(
    workspace: Workspace,
    text: string,
    given?: Partial<TransitionParts>,
    options?: ClaudeOptions,
  ): Promise<Transition>;
}

/** With the engine of an agent. */
export function byHand({ agent }: TracedAgent): ByHand {
  const claudeHome = join(agent.home, ".claude");
  const execute: ByHand["execute"] = async (workspace, text, options, given) => {
    const before = given ?? (await workspace.snapshot());
    const events: SkeinEvent[] = [];
    const stream = agent.engine.stream(claudePrompt(text), { ...options, cwd: workspace.path });
    for (;;) {
      const next = await stream.next();
      if (next.done) return { before, execution: next.value, events };
      events.push(next.value);
    }
  };
  return {
    claudeHome,
    execute,
    async make(workspace, text, given = {}, options = {}) {
      const { before, execution } = await execute(workspace, text, options, given.before);
      const after = await workspace.snapshot({ sessionId: execution.sessionId, claudeHome });
      return createTransition({ ...given, before, prompt: text, execution, after });
    },
  };
}
