import { readFile } from "node:fs/promises";
import { z } from "zod";
import {
  BudgetTracker,
  defined,
  errorFromRecord,
  parseJson,
  SkeinError,
  type ErrorKind,
} from "../../../core/internal.ts";
import { openOfflineModel } from "../../../offline/internal.ts";
import { usageError } from "../../../protocol/index.ts";
import { bestOfN } from "../../../search/internal.ts";
import { DualAgent, parsePlan, type DualAgentOptions, type TeamResult } from "../../../team/internal.ts";
import { defineCommand, type CommandContext } from "../../define-command.ts";
import { branchAgent, keyedEngine } from "../../explore/open-environment.ts";
import { agentParts } from "../../explore/explore-search.ts";
import { makeMissing } from "../../make-missing.ts";
import { findAgentFolder } from "../../open-workspace.ts";
import { createPersonAtTerminal } from "../../team/ask-person.ts";
import { TeamData, toTeamData } from "../../team/team-data.ts";
import { TEAM_EVENTS, toTeamLine } from "../../team/team-events.ts";
import { checkTeamFlags, teamFlags, type TeamFlags } from "../../team/team-flags.ts";
import { teamSummary } from "../../team/team-summary.ts";
import { createTeamView, type TeamView } from "../../team/team-view.ts";
import { readInput } from "../../turn/read-input.ts";
import { readSetup } from "../../turn/setup/read-setup.ts";
import { setupText } from "../../turn/setup/setup-text.ts";

export const team = defineCommand({
  name: "team",
  summary: "Have a manager plan a goal and workers do it, item by item",
  effects: { changes: "replaces", isRepeatable: false, reaches: "world" },
  args: teamFlags,
  positional: ["goal"],
  data: TeamData,
  streaming: "on-request",
  events: TEAM_EVENTS,
  errorDetails: z.object({
    team: TeamData.optional().describe("What the team came to; absent where it was not begun"),
  }),
  examples: [
    'team "Port the parser to TypeScript" --gate "npm test" --protect "*.test.ts"',
    'team "Build the three pages" --workers 3 --gate "npm run build" --max-cost-usd 10 --approve-plan',
    "team --resume --max-cost-usd 20",
  ],
  async run(given, context) {
    checkTeamFlags(given);
    await makeMissing(given, context);
    const setup = await readSetup(given, context);
    const cwd = await findAgentFolder(given.cwd, context);
    await using model = given.offline === undefined ? undefined : await openOfflineModel(given.offline);
    const agent = await branchAgent(given, { setup, context, cwd, model });
    const view = createTeamView(context);
    const options: DualAgentOptions = {
      ...(await teamOptions(given, { cwd, context, view })),
      engine: keyedEngine(agent.engine, agentParts(given, setupText(setup))),
      worker: agent.options,
      manager: { ...agent.options, ...MANAGER, ...defined({ model: given.managerModel ?? given.model }) },
      ...(agent.isolation ? ({ isolation: agent.isolation, isIsolated: true } as const) : {}),
      signal: context.signal,
    };
    const result = await follow(given, { options, context, view });
    const data = toTeamData(result);
    await context.print(teamSummary(data, context, given.cwd));
    if (result.outcome === "completed") return data;
    throw failureOf(result, data);
  },
});

/** Whatever the workers may use, a manager changes nothing. */
const MANAGER = { tools: ["Read", "Glob", "Grep"] } as const;

async function teamOptions(
  given: TeamFlags,
  { cwd, context, view }: { readonly cwd: string; readonly context: CommandContext; readonly view: TeamView },
): Promise<DualAgentOptions> {
  const { gate: gates, protect, approvePlan, maxCostUsd, maxTokens, timeout, askTimeout, n = 1 } = given;
  const { workers, maxRounds, maxAttempts, maxIterations } = given;
  const maxDurationMs = timeout === undefined ? undefined : Math.ceil(timeout * 1000);
  const limits = defined({ maxCostUsd, maxTokens, maxDurationMs });
  const ask = personFor(given, context, view);
  if (approvePlan && !ask) {
    throw usageError("team", "Nobody can approve the plan: this is no terminal", {
      target: "--approve-plan",
      hint: "With `ask` remote it is approved at `skein serve`",
    });
  }
  return {
    workspace: cwd,
    gates,
    protect,
    approvePlan,
    workspaceOptions: { branches: { alsoCarry: given.carry } },
    ...(given.plan === undefined ? {} : { plan: await readPlan(given.plan) }),
    ...(Object.keys(limits).length === 0 ? {} : { budget: new BudgetTracker(limits) }),
    ...(n === 1
      ? {}
      : { attempts: (environment, { prompt, ...rest }) => bestOfN(environment, { ...rest, prompts: [prompt], n }) }),
    ...(ask ? { ask } : {}),
    ...defined({ workers, maxRounds, maxAttempts, maxIterations }),
    ...defined({ askTimeoutMs: askTimeout === undefined ? undefined : askTimeout * 1000 }),
  };
}

/** Who is asked: whoever uses `skein serve`, or the person at the terminal where there is one. */
function personFor(given: TeamFlags, context: CommandContext, view: TeamView): DualAgentOptions["ask"] {
  if (given.ask === "remote") return "remote";
  return context.terminal.canAsk ? createPersonAtTerminal(context, () => view.pause()) : undefined;
}

async function readPlan(path: string) {
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new SkeinError(`The plan ${path} cannot be read`, { kind: "filesystem", target: path, cause });
  });
  return parsePlan(parseJson(text), path);
}

async function follow(
  given: TeamFlags,
  { options, context, view }: { options: DualAgentOptions; context: CommandContext; view: TeamView },
): Promise<TeamResult> {
  const dual = new DualAgent(options);
  const { resume } = given;
  const goal = given.goal === "-" ? await readInput(context) : (given.goal ?? "");
  const running = resume === undefined ? dual.run(goal) : dual.resume(resume === "last" ? undefined : resume);
  try {
    for (;;) {
      const { done, value } = await running.next();
      if (done) return value;
      const line = toTeamLine(value);
      if (line !== undefined) await context.emit(line);
      await view.show(value);
    }
  } finally {
    await view.end();
  }
}

const KINDS: Readonly<Record<Exclude<TeamResult["outcome"], "completed">, ErrorKind>> = {
  partial: "runtime",
  budget: "budget",
  iterations: "budget",
  deadline: "timeout",
  cancelled: "cancelled",
  stopped: "cancelled",
  failed: "runtime",
};

/** Whoever runs a team from a script has to know that not everything is done. */
function failureOf({ outcome, left, items, error }: TeamResult, data: TeamData): SkeinError {
  if (error) return errorFromRecord(error, { team: data });
  const kind = outcome === "completed" ? "runtime" : KINDS[outcome];
  const message = `${left.length} of ${items.length} items are not done: ${left.join(", ") || "there is no plan"}`;
  return new SkeinError(message, {
    kind,
    target: data.team,
    hint: "skein team --resume goes on with what is left",
    details: { team: data },
  });
}
