import { z } from "zod";
import { defined, parseJson } from "../../core/internal.ts";
import type { Head } from "../states/head.ts";
import type { StateId } from "../states/state-commit.ts";
import type { StateStore } from "../states/state-store.ts";
import type { HalfRestore } from "./half-restore.ts";

/** What a directory is made equal to, and its head then: the one given, else the state. A snapshot without either leaves the head. */
export interface Destination {
  readonly snapshotId: string;
  readonly stateId: StateId | undefined;
  readonly head?: Head | undefined;
}

/** What a restore that was cut off was to come to, or came from. One of a snapshot that is no state leaves the head as it was. */
export function recoveryOf(half: HalfRestore, how: "finish" | "take-back"): Destination {
  const { snapshotId, undo, stateId, head } = half;
  if (how === "take-back") return { snapshotId: undo, stateId: head?.stateId, head };
  return { snapshotId, stateId, head: stateId === undefined ? head : undefined };
}

/** At the tip of its conversation a head follows that; elsewhere it is the state alone. */
export async function headAt(states: StateStore, id: StateId): Promise<Head> {
  const conversations = await states.conversations();
  const before = (await states.head())?.conversationId;
  const tips = [...conversations].filter(([, tip]) => tip === id).map(([name]) => name);
  const conversationId = tips.find((name) => name === before) ?? tips[0];
  return { stateId: id, ...defined({ conversationId }) };
}

const LeftOutFile = z.object({ leftOut: z.array(z.object({ path: z.string() })) });

/** The paths that a state's capture had left out; none where its writer did not tell. */
export async function leftOutOf(states: StateStore, id: string): Promise<readonly string[]> {
  const text = await states.file(await states.read(id), "state.json");
  const { leftOut = [] } = LeftOutFile.safeParse(parseJson(text ?? "")).data ?? {};
  return leftOut.map(({ path }) => path);
}
