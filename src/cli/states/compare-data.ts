import { z } from "zod";
import { SkeinError } from "../../core/index.ts";
import type { IndexedState } from "../../trace/index.ts";
import type { Workspace } from "../../workspace/index.ts";
import { FilesData, toFilesData } from "../turn/files-data.ts";
import { patchStat } from "./patch-stat.ts";
import { StateData, toStateData, type StateNames } from "./state-data.ts";

const Side = z.strictObject({
  state: StateData,
  /** Turns from the state that both come from up to this one, and what they came to together. */
  turns: z.int(),
  cost_usd: z.number(),
  duration_ms: z.number(),
  tokens: z.int(),
  tools: z.array(z.strictObject({ tool: z.string(), calls: z.int(), errors: z.int() })),
  /** Against the state that both come from. */
  files: FilesData,
  lines_added: z.int(),
  lines_removed: z.int(),
});

/** Two states side by side, as the envelope tells them. */
export const CompareData = z.strictObject({
  /** The last state that both come from; null where they have nothing in common. */
  common: z.string().nullable(),
  left: Side,
  right: Side,
  /** What leads from the left files to the right ones. */
  files: FilesData,
});

/** Two states side by side, as the envelope tells them. */
export type CompareData = z.infer<typeof CompareData>;

/** One of the two. */
export type ComparedSide = z.infer<typeof Side>;

/** What a comparison is made from. */
export interface ComparisonSource {
  readonly workspace: Workspace;
  readonly all: readonly IndexedState[];
  readonly names: StateNames;
}

/** Compares two states by what was done since the last state that both come from. */
export async function compareStates(left: string, right: string, source: ComparisonSource): Promise<CompareData> {
  const byId = new Map(source.all.map((state) => [state.id, state]));
  const [leftPath, rightPath] = [pathOf(left, byId), pathOf(right, byId)];
  const onLeft = new Set(leftPath.map(({ id }) => id));
  const common = rightPath.find(({ id }) => onLeft.has(id))?.id;
  return {
    common: common ?? null,
    left: await sideOf(until(leftPath, common), { id: left, common, source, byId }),
    right: await sideOf(until(rightPath, common), { id: right, common, source, byId }),
    files: toFilesData(await source.workspace.diff(left, right)),
  };
}

/** A state and all before it, newest first. */
function pathOf(id: string, byId: ReadonlyMap<string, IndexedState>): readonly IndexedState[] {
  const path: IndexedState[] = [];
  for (let state = byId.get(id); state; state = byId.get(state.parentId ?? "")) path.push(state);
  return path;
}

function until(path: readonly IndexedState[], common: string | undefined): readonly IndexedState[] {
  const end = path.findIndex(({ id }) => id === common);
  return end === -1 ? path : path.slice(0, end);
}

interface SideParts {
  readonly id: string;
  readonly common: string | undefined;
  readonly source: ComparisonSource;
  readonly byId: ReadonlyMap<string, IndexedState>;
}

async function sideOf(path: readonly IndexedState[], parts: SideParts): Promise<ComparedSide> {
  const { id, common, source, byId } = parts;
  const { workspace, names } = source;
  const turns = path.flatMap(({ turn }) => (turn ? [turn] : []));
  const sum = (of: (turn: (typeof turns)[number]) => number): number =>
    turns.reduce((total, turn) => total + of(turn), 0);
  const counts = common === undefined ? [] : [...patchStat(await workspace.patch(common, id)).values()];
  const state = byId.get(id);
  if (!state) {
    throw new SkeinError(`The state ${id} no longer exists`, {
      kind: "state_not_found",
      target: id,
      hint: "skein verify lists what is lost",
    });
  }
  return {
    state: toStateData(state, names),
    turns: turns.length,
    cost_usd: Math.round(sum(({ costUsd }) => costUsd) * 1e6) / 1e6,
    duration_ms: sum(({ durationMs }) => durationMs),
    tokens: sum((turn) => turn.inputTokens + turn.outputTokens + turn.cacheReadTokens + turn.cacheWriteTokens),
    tools: toolsOf(turns.toReversed().flatMap(({ tools }) => tools)),
    files: toFilesData(common === undefined ? [] : await workspace.diff(common, id)),
    lines_added: counts.reduce((total, { added }) => total + (added ?? 0), 0),
    lines_removed: counts.reduce((total, { removed }) => total + (removed ?? 0), 0),
  };
}

function toolsOf(uses: readonly { readonly tool: string; readonly calls: number; readonly errors: number }[]) {
  const tally = new Map<string, { tool: string; calls: number; errors: number }>();
  for (const { tool, calls, errors } of uses) {
    const before = tally.get(tool) ?? { tool, calls: 0, errors: 0 };
    tally.set(tool, { tool, calls: before.calls + calls, errors: before.errors + errors });
  }
  return [...tally.values()];
}
