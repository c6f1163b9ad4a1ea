import { dotted, formatCard, plainLine } from "../../terminal/index.ts";
import type { CommandContext } from "../define-command.ts";
import { nextStepLines, type NextStep } from "../turn/next-steps.ts";
import { costLine } from "../turn/turn-summary.ts";
import type { TeamData } from "./team-data.ts";

const ENDINGS: Readonly<Record<TeamData["outcome"], string>> = {
  completed: "every item is done",
  partial: "some items are not done",
  budget: "the budget is spent",
  deadline: "the time is over",
  iterations: "the workers have had all their turns",
  cancelled: "it was interrupted",
  stopped: "you ended it",
  failed: "it failed",
};

/** What a team came to, for people: what is in the directory, what is left, what it cost, and what to do next. */
export function teamSummary(data: TeamData, { terminal, env }: CommandContext, cwd: string | undefined): string {
  const { merged, left, items, outcome, iterations } = data;
  const open = items.filter(({ id }) => left.includes(id));
  const rows = formatCard(
    [
      ["Ended", ENDINGS[outcome]],
      ["Merged", merged.length === 0 ? "nothing: the directory is as it was" : merged.map(plainLine).join(", ")],
      ...(open.length === 0
        ? []
        : [["Left", ...open.map(({ id, reason }) => plainLine(dotted([id, reason ?? false])))] as const]),
      ["Turns", `${iterations} of workers`],
      ["Cost", costLine(data.cost_usd, data.offline)],
      ["Next", ...nextStepLines(nextSteps(data), { env, cwd }, terminal)],
    ],
    terminal,
  );
  return `\n${rows}`;
}

function nextSteps({ merged, left }: TeamData): readonly NextStep[] {
  return [
    ...(left.length > 0 ? [{ command: "team --resume", why: "go on with what is left" }] : []),
    ...(merged.length > 0
      ? [
          { command: "diff @", why: "read what the last accepted item changed" },
          { command: "undo", why: "take that item back" },
        ]
      : []),
    { command: "log --graph", why: "everything that the manager and the workers did" },
  ];
}
