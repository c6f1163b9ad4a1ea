import type { Usage } from "../../core/internal.ts";
import type { State } from "../record/state.ts";
import type { Outcome } from "../record/transition-file.ts";
import type { AgentFigures, AgentShare } from "./agent-shares.ts";
import type { FigureGroup, FiguresQuery } from "./figures.ts";

/** Sums over states; those without a turn count nothing but themselves. */
export interface StateTotals extends Usage {
  readonly states: number;
  readonly turns: number;
  /** What was paid: turns of the offline model are not in it. */
  readonly costUsd: number;
  /** What the turns of the offline model would have cost by the price list. */
  readonly offlineCostUsd: number;
  readonly durationMs: number;
}

/** A conversation, as a list shows it. */
export interface ConversationSummary {
  readonly id: string;
  /** The prompt of its first turn; empty where it has none yet. */
  readonly firstPrompt: string;
  readonly turns: number;
  /** What was paid: turns of the offline model are not in it. */
  readonly costUsd: number;
  /** What the turns of the offline model would have cost by the price list. */
  readonly offlineCostUsd: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** How its latest turn ended. */
  readonly lastOutcome?: Outcome;
}

/** A search, as a list shows it. */
export interface SearchSummary {
  /** Its run. */
  readonly id: string;
  /** The prompt of the first of its turns. */
  readonly firstPrompt: string;
  readonly turns: number;
  /** Turns that failed or were interrupted. */
  readonly failed: number;
  /** What was paid: turns of the offline model are not in it. */
  readonly costUsd: number;
  /** What the turns of the offline model would have cost by the price list. */
  readonly offlineCostUsd: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** The highest reward of its turns, whatever its name, and the first state that has it; none where no turn has a reward. */
  readonly best?: { readonly reward: number; readonly stateId: string };
}

/** Where a call throws an `UnusableDatabaseError`, the file was damaged and is gone: open the index again and fill it from the store. */
export interface StateIndex extends AsyncDisposable {
  readonly isShared: boolean;
  /** Adds states, or replaces those with the same id, and notes which refs are at which commit; undefined takes a ref out. All or nothing. */
  record(states: readonly WrittenState[], refs?: ReadonlyMap<string, string | undefined>): Promise<void>;
  /** Keeps what was noted on a state after it was recorded. */
  setNote(id: string, note: Pick<IndexedState, "rewards" | "remark" | "bookmark">): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
  get(id: string): Promise<IndexedState | undefined>;
  /** The state that a transition led to; the oldest, where several have it. */
  byTransition(transitionId: string): Promise<IndexedState | undefined>;
  ids(): Promise<readonly string[]>;
  /** Which of these transitions led to a state that is in the index. */
  which(transitionIds: readonly string[]): Promise<readonly string[]>;
  list(query?: StateQuery): Promise<readonly IndexedState[]>;
  /** The places of the states that fit: nothing else of them is read. */
  places(query?: StateQuery): Promise<readonly StatePlace[]>;
  count(query?: StateQuery): Promise<number>;
  totals(query?: StateQuery): Promise<StateTotals>;
  /** Only groups in which there is something. */
  figures(query: FiguresQuery): Promise<readonly FigureGroup[]>;
  /** What each agent came to; only where there is something. */
  shares(query: FiguresQuery): Promise<readonly AgentFigures[]>;
  /** The states that begin a history. */
  roots(): Promise<readonly string[]>;
  conversations(query?: { readonly limit?: number; readonly offset?: number }): Promise<readonly ConversationSummary[]>;
  /** The searches of which turns are recorded, the one that recorded a turn last first. */
  searches(query?: { readonly limit?: number; readonly offset?: number }): Promise<readonly SearchSummary[]>;
  /** Which refs the index has taken in, and at which commit, so that its owner can bring it up to date. */
  refs(): Promise<ReadonlyMap<string, string>>;
  /** A number that is another one once somebody else has written to the index. */
  version(): Promise<number>;
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** How often a turn used a tool. */
export interface ToolCount {
  readonly tool: string;
  readonly calls: number;
  readonly errors: number;
}

/** What the index knows of the turn that led to a state. */
export interface IndexedTurn extends Usage {
  readonly transitionId: string;
  readonly prompt: string;
  readonly response: string;
  readonly sessionId: string;
  readonly model: string;
  readonly outcome: Outcome;
  readonly errorKind?: string;
  readonly stopReason?: string;
  /** Kept to the millionth of a dollar. */
  readonly costUsd: number;
  /** The scenario of the offline model, where that gave every response: then nobody paid the money. */
  readonly scenario?: string;
  readonly durationMs: number;
  readonly tools: readonly ToolCount[];
  /** The run of the search that it is part of. */
  readonly searchId?: string;
  readonly filesCreated: number;
  readonly filesModified: number;
  readonly filesDeleted: number;
}

/** One state as the index knows it. */
export interface IndexedState {
  /** The commit: 40 hex digits. */
  readonly id: string;
  readonly parentId?: string;
  /** `unreadable` where what is recorded is not what a state may be, as one from somebody else. */
  readonly kind: State["kind"] | "unreadable";
  /** Why it cannot be read, in a word. */
  readonly errorKind?: string;
  /** Empty where it cannot be read. */
  readonly conversationId: string;
  readonly recordedAtMs: number;
  /** The number of states before it on its path. */
  readonly depth: number;
  /** Given for the kind "turn" alone. */
  readonly turn?: IndexedTurn;
  readonly rewards: Readonly<Record<string, number>>;
  /** What a person wrote on it. */
  readonly remark?: string;
  /** The name of the bookmark that a person gave it. */
  readonly bookmark?: string;
}

/** A state as it is written: the parts of the agents in its turn are summed up, and not told with the state. */
export interface WrittenState extends IndexedState {
  /** All of it is the main conversation's unless given. */
  readonly shares?: readonly AgentShare[];
}

/** The place of a state in the order of a list. States may be added and taken away around it. */
export interface StatePlace {
  /** What the order goes by before time: the cost in millionths of a dollar, the duration in milliseconds, the reward; 0 where it goes by time alone. */
  readonly value: number;
  readonly recordedAtMs: number;
  readonly depth: number;
  readonly id: string;
}

/** Which states are asked for: those that fit everything that is given. */
export interface StateQuery {
  /** Only these. */
  readonly ids?: readonly string[] | undefined;
  /** None of these. */
  readonly without?: readonly string[] | undefined;
  /** Only what comes after this place in the order. */
  readonly after?: StatePlace | undefined;
  /** Only what comes before this place in the order, and what is at it. */
  readonly through?: StatePlace | undefined;
  readonly conversationId?: string | undefined;
  /** The states that come directly after this one. */
  readonly parentId?: string | undefined;
  readonly kind?: IndexedState["kind"] | undefined;
  /** Recorded at this moment or later, in milliseconds since the epoch. */
  readonly since?: number | undefined;
  /** Recorded before this moment. */
  readonly until?: number | undefined;
  readonly minCostUsd?: number | undefined;
  readonly maxCostUsd?: number | undefined;
  /** The turn called this tool. */
  readonly tool?: string | undefined;
  /** Words that must all occur in the prompt or the response; `"a phrase"` and `begin*` are understood. */
  readonly text?: string | undefined;
  readonly outcome?: Outcome | undefined;
  /** The turn was answered by this model, as the API names it. */
  readonly model?: string | undefined;
  /** The turn is part of this search. */
  readonly searchId?: string | undefined;
  /** States with a bookmark of this name; with any where it is empty. */
  readonly bookmark?: string | undefined;
  /** Turns that failed or were interrupted; with `false`, turns that completed or were cancelled. */
  readonly isError?: boolean | undefined;
  /** States with a reward of this name, within these bounds, both inclusive; without a name the best of each state is looked at. */
  readonly reward?: { readonly name?: string; readonly min?: number; readonly max?: number } | undefined;
  /** "newest" unless given. "cost", "duration" and "reward" begin with the highest; "reward" goes by the named one, else by the one called `reward`, else by the best. */
  readonly order?: "newest" | "oldest" | "cost" | "duration" | "reward" | undefined;
  /** How many at most; all of them unless given. */
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}
