import { SkeinError } from "../../core/index.ts";
import type { TransitionPoints, TransitionSource } from "../transition.ts";

/** A patch that is larger is not kept: an agent may have made any amount of files. */
const MOST_PATCH_CHARACTERS = 16 * 1024 ** 2;

const HINT = "Give the evaluation a workspace or a record that stays";

/** Reads what a turn finds in its store. What could not be read is told when it is asked for, not before. */
export async function detachSource(
  { snapshots, leftOut, segment, session }: TransitionSource,
  { before, after }: TransitionPoints,
): Promise<TransitionSource> {
  const ids = [before.snapshotId, after.snapshotId] as const;
  const diff = snapshots && (await remember(async () => await snapshots.diff(...ids)));
  const patch = snapshots && (await remember(async () => sized(await snapshots.patch(...ids))));
  return {
    segment: await remember(segment),
    ...(session ? { session: await remember(session) } : {}),
    ...(leftOut ? { leftOut } : {}),
    ...(diff && patch
      ? { snapshots: { diff, patch: async (_, __, path) => (path === undefined ? await patch() : onlyWhole(path)) } }
      : {}),
  };
}

/** What a function gives or throws now, to be given or thrown later. */
async function remember<Value>(read: () => Promise<Value>): Promise<() => Promise<Value>> {
  try {
    const value = await read();
    return async () => value;
  } catch (error) {
    return async () => {
      throw error;
    };
  }
}

function sized(patch: string): string {
  if (patch.length <= MOST_PATCH_CHARACTERS) return patch;
  const message = `The patch of the turn has ${patch.length} characters, too many to keep without a record`;
  throw new SkeinError(message, { kind: "resource_exhausted", hint: HINT });
}

function onlyWhole(path: string | Uint8Array): never {
  throw new SkeinError("The record of the turn is gone: there is a patch of all files, but not of a single one", {
    kind: "state_not_found",
    target: path.toString(),
    hint: `Call patch() without a path. ${HINT}`,
  });
}
