import { z } from "zod";
import { defined } from "../../core/internal.ts";
import type { StateId, StateStore, StoredState } from "../../workspace/internal.ts";
import { ModelName, Moment, parseFile, RecordId, SessionId, ShortName } from "./stored-file.ts";

/** The settings in force that can be written down. The environment never is: it holds keys. */
export const Settings = z.looseObject({ model: ModelName.optional(), permissionMode: ShortName.optional() });

export type Settings = z.infer<typeof Settings>;

const StateFile = z.strictObject({
  version: z.literal(1),
  /** Why it was recorded: a conversation began, a turn ended, or files had changed outside of any turn. */
  kind: z.enum(["start", "turn", "edit"]),
  conversationId: RecordId,
  recordedAt: Moment,
  /** How many turns its session has: the number of the last segment. */
  turns: z.int().nonnegative().max(1e6),
  sessionId: SessionId.optional(),
  settings: Settings,
  leftOut: z.array(
    z.object({ path: z.string(), reason: z.string(), sizeBytes: z.number(), changedAt: z.string().optional() }),
  ),
  moved: z.array(z.string()),
});

export type StateFile = Omit<z.infer<typeof StateFile>, "version">;

/** Everything needed to go on from a point: files, session and settings. */
export interface State extends StateFile, Pick<StoredState, "id" | "snapshotId" | "filesId" | "parentId"> {
  /** The first line of what it is about: the prompt, for a turn. */
  readonly subject: string;
  /** What the store holds of it. */
  readonly stored: StoredState;
}

export async function readStateFile(states: StateStore, id: StateId): Promise<State> {
  const stored = await states.read(id);
  return parseState(stored, await states.file(stored, "state.json"));
}

export function parseState(stored: StoredState, text: string | undefined): State {
  return toState(stored, parseFile(StateFile, text, `state.json of ${stored.id}`));
}

export function toState(stored: StoredState, file: StateFile): State {
  const { id, snapshotId, filesId, parentId, message } = stored;
  const [subject = ""] = message.split("\n", 1);
  return { ...file, id, snapshotId, filesId, ...defined({ parentId }), subject, stored };
}
