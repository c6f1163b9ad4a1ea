import { z } from "zod";
import { SkeinError } from "../../core/index.ts";
import type { SliceContents } from "./slice-store.ts";

/** The slices of a session at one moment, as plain data. */
export interface PromptSessionSnapshot {
  readonly version: 1;
  readonly sessionId: string;
  readonly createdAt: string;
  readonly slices: Readonly<Record<string, SliceContents>>;
}

const snapshotSchema = z.looseObject({
  version: z.literal(1),
  sessionId: z.string(),
  slices: z.record(z.string(), z.looseObject({ policy: z.enum(["state", "log"]), items: z.array(z.unknown()) })),
});

/** Refuses what is no snapshot, or one of another session. Gives the snapshot itself: its items are known by identity. */
export function checkSnapshot(snapshot: PromptSessionSnapshot, sessionId: string): PromptSessionSnapshot {
  const parsed = snapshotSchema.safeParse(snapshot);
  if (!parsed.success) {
    throw new SkeinError("This is not the snapshot of a session", { kind: "usage", cause: parsed.error });
  }
  if (parsed.data.sessionId !== sessionId) {
    throw new SkeinError(`The snapshot is of the session ${parsed.data.sessionId}, not of ${sessionId}`, {
      kind: "usage",
      target: sessionId,
      hint: "Restore it in the session that made it",
    });
  }
  return snapshot;
}
