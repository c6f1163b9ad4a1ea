import { z } from "zod";
import { errorFromRecord, microUsd, SkeinError, sumMicroUsd, toUsd } from "../core/internal.ts";
import type { ClaudeOptions, Engine } from "../engine/internal.ts";
import { ClaudeEnvironment } from "../search/internal.ts";
import { presentState, readStateFile, type State } from "../trace/internal.ts";
import type { WorkspaceOptions } from "../workspace/internal.ts";
import type { TakenTurn, TeamDesk } from "./desk.ts";
import { findPlanProblem, Plan } from "./plan.ts";
import { planAgainPrompt } from "./prompts.ts";

export interface ManagerParts {
  readonly desk: TeamDesk;
  readonly engine: Engine;
  readonly options: ClaudeOptions;
  readonly workspace: WorkspaceOptions;
  /** The state of the directory when the team began. */
  readonly start: State;
}

/** What a manager is asked, and in what shape it answers. */
interface Asking<Answer> {
  /** The step's name. */
  readonly name: string;
  readonly prompt: string;
  readonly schema: z.ZodType<Answer>;
  /** The files that it looks at; those that it saw last where they are left out. */
  readonly files?: State;
}

/** The one who plans and reviews: a conversation of its own, which is shown the files of whoever it judges. */
export interface Manager extends AsyncDisposable {
  /** The plan for the goal; undefined where the team has to end. It is sent back twice where it cannot be followed. */
  plan(prompt: string): Promise<Plan | undefined>;
  ask<Answer>(asking: Asking<Answer>): Promise<Answer | undefined>;
  readonly costUsd: number;
}

/** How often a plan is sent back, and a turn that failed is taken again. */
const MOST_TRIES = 3;

export function createManager({ desk, engine, options, workspace, start }: ManagerParts): Manager {
  const environments = new Map<z.ZodType, Promise<ClaudeEnvironment>>();
  let at = start;
  let costUsd = 0;
  // One conversation: who asks while it answers waits.
  let last: Promise<unknown> = Promise.resolve();

  const environmentFor = async (schema: z.ZodType): Promise<ClaudeEnvironment> => {
    const { $schema: _, ...outputSchema } = z.toJSONSchema(schema, { io: "input" });
    const metadata = { team: desk.id, teamRole: "manager" };
    const setup = { engine, options: { ...options, outputSchema }, workspace, reuse: "always" as const, metadata };
    const opened = environments.get(schema) ?? ClaudeEnvironment.open(desk.workspace.path, setup);
    environments.set(schema, opened);
    return await opened;
  };

  async function answer<Answer>({ name, prompt, schema, files }: Asking<Answer>): Promise<Answer | undefined> {
    const environment = await environmentFor(schema);
    for (let attempt = 1; attempt <= MOST_TRIES; attempt += 1) {
      const step = attempt === 1 ? name : `${name}/${attempt}`;
      const from = files ? await show(`${step}/show`, files) : at;
      const taken = await desk.turn({ name: step, environment, from, prompt, takesFailure: false });
      if (!taken) return undefined;
      costUsd = toUsd(sumMicroUsd([microUsd(costUsd), microUsd(taken.transition.execution.costUsd)]));
      at = taken.state;
      const { data } = schema.safeParse(taken.transition.execution.structuredOutput);
      if (data !== undefined && !taken.transition.execution.isError) return data;
      if (attempt === MOST_TRIES) throw noAnswer(taken);
    }
    return undefined;
  }

  /** A state with the manager's memory and somebody else's files; the same one where the team goes on after it was cut off. */
  async function show(name: string, { filesId: id, leftOut, moved }: State): Promise<State> {
    const files = { id, leftOut, moved } as Parameters<typeof presentState>[2];
    const shown = await desk.once(name, z.string(), async () => (await presentState(desk.workspace, at, files)).id);
    return await readStateFile(desk.workspace.states, shown);
  }

  const ask: Manager["ask"] = async (asking) => {
    const asked = last.then(() => answer(asking));
    last = asked.catch(() => undefined);
    return await asked;
  };
  return {
    ask,
    plan: (prompt) => makePlan({ desk, ask }, prompt),
    get costUsd() {
      return costUsd;
    },
    async [Symbol.asyncDispose]() {
      for (const environment of environments.values()) await (await environment.catch(() => undefined))?.close();
    },
  };
}

async function makePlan(
  { desk, ask }: Pick<Manager, "ask"> & Pick<ManagerParts, "desk">,
  prompt: string,
): Promise<Plan | undefined> {
  let next = prompt;
  for (let attempt = 1; ; attempt += 1) {
    const plan = await ask({ name: `plan/${attempt}`, prompt: next, schema: Plan });
    const problem = plan && findPlanProblem(plan.items);
    if (problem === undefined) return plan;
    await desk.tell({ type: "plan-refused", problem });
    if (attempt === MOST_TRIES) throw planInvalid(problem);
    next = planAgainPrompt(problem);
  }
}

function noAnswer({ transition: { execution } }: TakenTurn): SkeinError {
  if (execution.error) return errorFromRecord(execution.error);
  return new SkeinError("The manager gave no answer in the shape that was asked for", {
    kind: "parse",
    target: "manager",
    hint: "Another model may do better: give it with the manager's options",
  });
}

function planInvalid(problem: string): SkeinError {
  return new SkeinError(`The manager's plan cannot be followed: ${problem}`, {
    kind: "plan_invalid",
    target: "manager",
    hint: "It was sent back twice; state the goal in smaller parts, or give a plan of your own",
  });
}
