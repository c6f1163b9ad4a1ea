import type { StateData } from "./state-data.ts";
import type { Terminal } from "../terminal.ts";

/** How a state came about. */
export interface StateOrigin {
  readonly kind: StateData["kind"];
  /** How its turn ended, where it has one. */
  readonly outcome?: NonNullable<StateData["turn"]>["outcome"] | undefined;
}

/** What is said of a state that no turn led to. */
export const KIND_WORDS = {
  start: "a conversation begins",
  edit: "changed outside a turn",
  turn: "a turn",
  unreadable: "cannot be read: skein show says why",
} as const;

const OUTCOME_SIGNS = { completed: "✓", failed: "✗", cancelled: "⊘", interrupted: "!" } as const;

/** The sign of how a state came about, without colour. */
export function stateSign({ kind, outcome }: StateOrigin): string {
  if (outcome !== undefined) return OUTCOME_SIGNS[outcome];
  return kind === "start" ? "○" : kind === "unreadable" ? "?" : "✎";
}

/** The same in its colour. */
export function stateMark(origin: StateOrigin, { colors }: Terminal): string {
  const { green, red, yellow, dim } = colors;
  const paints = { completed: green, failed: red, cancelled: yellow, interrupted: yellow };
  return (origin.outcome === undefined ? dim : paints[origin.outcome])(stateSign(origin));
}

/** What a state is called beside its id, as git shows its refs: `(@, before-vue)`. */
export function stateNames(
  { is_here: isHere, checkpoints }: Pick<StateData, "is_here" | "checkpoints">,
  { colors }: Terminal,
): string {
  const names = [...(isHere ? [colors.cyan("@")] : []), ...checkpoints.map((name) => colors.green(name))];
  return names.length === 0 ? "" : `${colors.dim("(")}${names.join(colors.dim(", "))}${colors.dim(")")}`;
}
