import type { StartTeam } from "../../../../src/monitor/api-types.ts";

/** What a person writes to start a team, every field as it stands in the form. */
export interface TeamDraft {
  /** The id of a workspace, or `-` for a directory; empty until one is chosen. */
  readonly workspace: string;
  readonly directory: string;
  readonly goal: string;
  readonly gates: string;
  readonly protect: string;
  readonly workers: string;
  readonly rounds: string;
  readonly budget: string;
  readonly model: string;
  readonly isApproving: boolean;
}

export const EMPTY_TEAM: TeamDraft = {
  workspace: "",
  directory: "",
  goal: "",
  gates: "",
  protect: "",
  workers: "",
  rounds: "",
  budget: "",
  model: "",
  isApproving: false,
};

/** Reads a draft that was kept; a field of another kind than expected is as if it were not there. */
export function readTeamDraft(text: string): TeamDraft {
  const read = fieldsIn(text);
  const entries = Object.entries(EMPTY_TEAM).map(([name, initial]) => {
    const value = Object.hasOwn(read, name) ? read[name] : undefined;
    return [name, typeof value === typeof initial ? value : initial] as const;
  });
  return Object.fromEntries(entries) as unknown as TeamDraft;
}

function fieldsIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}

/** What is wrong with a draft before it is sent, in a sentence. */
export function mistakeInTeam({ workspace, directory, goal, workers, rounds, budget }: TeamDraft): string | undefined {
  if (workspace === "-" && !directory.trim().startsWith("/")) return "Name the directory by its absolute path";
  if (goal.trim() === "") return "Say what the team should bring about";
  if (!isCount(workers)) return "Workers: a whole number, 1 or more";
  if (!isCount(rounds)) return "Rounds: a whole number, 1 or more";
  if (budget.trim() !== "" && !(Number(budget) > 0)) return "Budget: an amount in dollars, such as 5";
  return undefined;
}

function isCount(text: string): boolean {
  return text.trim() === "" || (Number.isInteger(Number(text)) && Number(text) > 0);
}

interface Starting {
  readonly allowsCommands: boolean;
  /** A built-in scenario of the offline model. */
  readonly offline?: string | undefined;
}

/** A team as the server takes it. */
export function toStartTeam(draft: TeamDraft, { allowsCommands, offline }: Starting): StartTeam {
  const { workspace, directory, goal, gates, protect, workers, rounds, budget, model, isApproving } = draft;
  const lines = (text: string): string[] => text.split("\n").flatMap((line) => line.trim() || []);
  return {
    ...(workspace === "-" ? { directory: directory.trim() } : { workspace }),
    goal: goal.trim(),
    gate: allowsCommands ? lines(gates) : [],
    protect: lines(protect),
    ...(workers.trim() !== "" && { workers: Number(workers) }),
    ...(rounds.trim() !== "" && { max_rounds: Number(rounds) }),
    ...(budget.trim() !== "" && { max_cost_usd: Number(budget) }),
    ...(model.trim() !== "" && { model: model.trim() }),
    ...(allowsCommands && { ask: "remote" as const, approve_plan: isApproving }),
    ...(offline !== undefined && { offline }),
  };
}
