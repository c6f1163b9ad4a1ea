/** A turn on the way of a replay, and how many calls it made. */
export interface ReplayTurn {
  readonly stateId: string;
  readonly calls: number;
}

/** Where a replay stands: a turn, and after how many of its calls; undefined is its end, as it was recorded. */
export interface ReplayPlace {
  readonly stateId: string;
  readonly step: number | undefined;
}

interface Recorded {
  readonly state_id: string;
  readonly parent_id: string | null;
  readonly recorded_at: string;
}

/** The states before a state in its conversation, itself, and those after it, by the newest way on. */
export function conversationPath<State extends Recorded>(states: readonly State[], stateId: string): readonly State[] {
  const byId = new Map(states.map((state) => [state.state_id, state]));
  const children = new Map<string, State>();
  for (const state of states.toSorted((left, right) => Date.parse(left.recorded_at) - Date.parse(right.recorded_at))) {
    if (state.parent_id !== null) children.set(state.parent_id, state);
  }
  const path: State[] = [];
  const seen = new Set<string>();
  for (let at = byId.get(stateId); at && !seen.has(at.state_id); at = byId.get(at.parent_id ?? "")) {
    seen.add(at.state_id);
    path.unshift(at);
  }
  for (let at = children.get(stateId); at && !seen.has(at.state_id); at = children.get(at.state_id)) {
    seen.add(at.state_id);
    path.push(at);
  }
  return path;
}

/** How many places a replay has: before the first call of each turn, after each of them, and its end. */
export function replayLength(turns: readonly ReplayTurn[]): number {
  return turns.reduce((sum, { calls }) => sum + calls + 1, 0);
}

/** The place by its number, from 0; numbers beyond the ends are the ends. */
export function placeAt(turns: readonly ReplayTurn[], number: number): ReplayPlace | undefined {
  let left = Math.max(0, number);
  for (const { stateId, calls } of turns) {
    if (left <= calls) return { stateId, step: left === calls ? undefined : left };
    left -= calls + 1;
  }
  const last = turns.at(-1);
  return last && { stateId: last.stateId, step: undefined };
}

/** The number of a place. */
export function numberOf(turns: readonly ReplayTurn[], { stateId, step }: ReplayPlace): number {
  let number = 0;
  for (const turn of turns) {
    if (turn.stateId === stateId) return number + Math.min(step ?? turn.calls, turn.calls);
    number += turn.calls + 1;
  }
  return 0;
}
