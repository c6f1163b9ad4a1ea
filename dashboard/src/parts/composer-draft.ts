import type { StartRun, StartSearch } from "../../../src/monitor/api-types.ts";

export const MODES = ["", "default", "acceptEdits", "plan", "dontAsk", "auto", "bypassPermissions"] as const;
export const STRATEGIES = ["best-of-n", "beam", "mcts", "refine"] as const;

/** In place of a workspace: a directory that is named. */
export const DIRECTORY = "-";

/** What a person writes to start something, every field as it stands in the form. */
export interface ComposerDraft {
  readonly kind: "turn" | "search";
  /** The id of a workspace, or `DIRECTORY`; empty until one is chosen. */
  readonly workspace: string;
  readonly directory: string;
  readonly prompts: readonly string[];
  readonly model: string;
  readonly mode: (typeof MODES)[number];
  readonly budget: string;
  readonly isAsking: boolean;
  readonly isContinuing: boolean;
  /** The state to begin from; empty for the files as they are. */
  readonly from: string;
  readonly strategy: (typeof STRATEGIES)[number];
  /** How much of it: tries, depth, visits or prompts, by the strategy. */
  readonly amount: string;
  readonly reward: string;
  readonly threshold: string;
}

export const EMPTY_DRAFT: ComposerDraft = {
  kind: "turn",
  workspace: "",
  directory: "",
  prompts: [""],
  model: "",
  mode: "",
  budget: "",
  isAsking: true,
  isContinuing: false,
  from: "",
  strategy: "best-of-n",
  amount: "",
  reward: "",
  threshold: "",
};

/** The field of the server in which a strategy is told how much to do, and how that is called. */
export const AMOUNTS = {
  "best-of-n": { field: "n", label: "Tries of each prompt" },
  beam: { field: "depth", label: "Turns in a path" },
  mcts: { field: "iterations", label: "Visits to the tree" },
  refine: { field: "rounds", label: "Rounds at most" },
} as const satisfies Readonly<Record<ComposerDraft["strategy"], { readonly field: string; readonly label: string }>>;

/** Reads a draft that was kept; a field of another kind than expected is as if it were not there. */
export function parseDraft(text: string): ComposerDraft {
  const read = fieldsIn(text);
  const entries = Object.entries(EMPTY_DRAFT).map(([name, initial]) => {
    const value = Object.hasOwn(read, name) ? read[name] : undefined;
    return [name, isLike(value, initial) ? value : initial] as const;
  });
  const draft = Object.fromEntries(entries) as unknown as ComposerDraft;
  return {
    ...draft,
    kind: draft.kind === "search" ? "search" : "turn",
    mode: MODES.find((mode) => mode === draft.mode) ?? "",
    strategy: STRATEGIES.find((strategy) => strategy === draft.strategy) ?? "best-of-n",
  };
}

function fieldsIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}

function isLike(value: unknown, initial: unknown): boolean {
  if (!Array.isArray(initial)) return typeof value === typeof initial;
  return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === "string");
}

/** What is wrong with a draft before it is sent, by the server's name of the field. */
export function mistakeIn(draft: ComposerDraft): { readonly field: string; readonly message: string } | undefined {
  if (isElsewhere(draft) && draft.directory.trim() === "")
    return { field: "directory", message: "Choose a workspace, or name a directory" };
  if (isElsewhere(draft) && !draft.directory.trim().startsWith("/"))
    return { field: "directory", message: "Name the directory by its absolute path" };
  if (promptsOf(draft).length === 0) return { field: "prompt", message: "Say what the agent should do" };
  if (draft.budget.trim() !== "" && !(Number(draft.budget) > 0))
    return { field: "max_cost_usd", message: "An amount in dollars, such as 0.50" };
  if (draft.kind === "turn") return undefined;
  const { field } = AMOUNTS[draft.strategy];
  if (draft.amount.trim() !== "" && !(Number.isInteger(Number(draft.amount)) && Number(draft.amount) > 0))
    return { field, message: "A whole number, 1 or more" };
  if (draft.threshold.trim() !== "" && !Number.isFinite(Number(draft.threshold)))
    return { field: "threshold", message: "A number" };
  return undefined;
}

function promptsOf({ prompts, kind }: ComposerDraft): readonly string[] {
  const said = prompts.filter((prompt) => prompt.trim() !== "");
  return kind === "turn" ? said.slice(0, 1) : said;
}

export function isElsewhere({ workspace }: Pick<ComposerDraft, "workspace">): boolean {
  return workspace === "" || workspace === DIRECTORY;
}

/** What both kinds of run are told. */
function common(draft: ComposerDraft, mayAsk: boolean) {
  const { workspace, directory, model, mode, budget, isAsking, from } = draft;
  return {
    ...(isElsewhere(draft) ? { directory: directory.trim() } : { workspace }),
    ...(model.trim() !== "" && { model: model.trim() }),
    ...(mode !== "" && { permission_mode: mode }),
    ...(isAsking && mayAsk && { ask: "remote" as const }),
    ...(budget.trim() !== "" && { max_cost_usd: Number(budget) }),
    ...(from !== "" && { from }),
  };
}

/** A turn as the server takes it. */
export function toRun(draft: ComposerDraft, mayAsk: boolean, attachments: StartRun["attachments"] = []): StartRun {
  return {
    ...common(draft, mayAsk),
    prompt: promptsOf(draft)[0] ?? "",
    ...(draft.isContinuing && draft.from === "" && { continue: true }),
    ...(attachments.length > 0 && { attachments }),
  };
}

/** A search as the server takes it. */
export function toSearch(draft: ComposerDraft, mayAsk: boolean): StartSearch {
  const { strategy, amount, reward, threshold } = draft;
  return {
    ...common(draft, mayAsk),
    prompt: [...promptsOf(draft)],
    strategy,
    ...(amount.trim() !== "" && { [AMOUNTS[strategy].field]: Number(amount) }),
    ...(reward.trim() !== "" && { reward: reward.trim() }),
    ...(threshold.trim() !== "" && { threshold: Number(threshold) }),
  };
}
