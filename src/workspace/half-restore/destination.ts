import type { Head } from "../states/head.ts";
import type { StateId } from "../states/state-commit.ts";
import type { StateStore } from "../states/state-store.ts";
import type { HalfRestore } from "./half-restore.ts";

/** What a directory is made equal to. */
export interface Destination {
  readonly snapshotId: string;
  /** The state that holds it. */
  readonly stateId: StateId | undefined;
  /** Where the directory then stands; undefined where that stays as it is. */
  headAfter(): Promise<Head | undefined>;
}

/** A snapshot, and where it makes a directory stand: at its state, if it has one. */
export function destinationAt(states: StateStore, snapshotId: string, stateId: StateId | undefined): Destination {
  const headAfter = async (): Promise<Head | undefined> =>
    stateId === undefined ? undefined : await headAt(states, stateId);
  return { snapshotId, stateId, headAfter };
}

/** What a restore that was cut off was to come to, or came from. */
export function recoveryOf(states: StateStore, half: HalfRestore, how: "finish" | "take-back"): Destination {
  const { snapshotId, undo, stateId, head } = half;
  if (how === "take-back") return { snapshotId: undo, stateId: head?.stateId, headAfter: async () => head };
  // One of a snapshot that is no state leaves the directory where it stood.
  return stateId === undefined
    ? { snapshotId, stateId, headAfter: async () => head }
    : destinationAt(states, snapshotId, stateId);
}

/** At the tip of its conversation a directory follows that; elsewhere it stands at the state alone. */
export async function headAt(states: StateStore, id: StateId): Promise<Head> {
  const conversations = await states.conversations();
  const before = (await states.head())?.conversationId;
  const tips = [...conversations].filter(([, tip]) => tip === id).map(([name]) => name);
  const conversationId = tips.find((name) => name === before) ?? tips[0];
  return conversationId === undefined ? { stateId: id } : { stateId: id, conversationId };
}
