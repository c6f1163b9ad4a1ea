import { z } from "zod";
import { parseJson } from "../../core/index.ts";
import type { Head } from "../states/head.ts";
import type { StateId } from "../states/state-commit.ts";
import type { StateStore } from "../states/state-store.ts";
import type { HalfRestore } from "./half-restore.ts";

/** What a directory is made equal to. */
export interface Destination {
  readonly snapshotId: string;
  readonly stateId: StateId | undefined;
  /** Where the directory then stands; undefined where that stays as it is. */
  headAfter(): Promise<Head | undefined>;
}

/** A snapshot, and where it makes a directory stand: at its state, if it has one. */
export function destinationAt(states: StateStore, snapshotId: string, stateId: StateId | undefined): Destination {
  return {
    snapshotId,
    stateId,
    headAfter: async () => (stateId === undefined ? undefined : await headAt(states, stateId)),
  };
}

/** What a restore that was cut off was to come to, or came from. One of a snapshot that is no state leaves the directory where it stood. */
export function recoveryOf(
  states: StateStore,
  { snapshotId, undo, stateId, head }: HalfRestore,
  how: "finish" | "take-back",
): Destination {
  const headAfter = async (): Promise<Head | undefined> => head;
  if (how === "take-back") return { snapshotId: undo, stateId: head?.stateId, headAfter };
  return stateId === undefined ? { snapshotId, stateId, headAfter } : destinationAt(states, snapshotId, stateId);
}

/** At the tip of its conversation a directory follows that; elsewhere it stands at the state alone. */
export async function headAt(states: StateStore, id: StateId): Promise<Head> {
  const conversations = await states.conversations();
  const before = (await states.head())?.conversationId;
  const tips = [...conversations].filter(([, tip]) => tip === id).map(([name]) => name);
  const conversationId = tips.find((name) => name === before) ?? tips[0];
  return conversationId === undefined ? { stateId: id } : { stateId: id, conversationId };
}

const LeftOutFile = z.object({ leftOut: z.array(z.object({ path: z.string() })) });

/** The paths that a state's capture had left out; none where its writer did not tell. */
export async function leftOutOf(states: StateStore, id: string): Promise<readonly string[]> {
  const text = await states.file(await states.read(id), "state.json");
  const parsed = LeftOutFile.safeParse(parseJson(text ?? ""));
  return parsed.success ? parsed.data.leftOut.map(({ path }) => path) : [];
}
