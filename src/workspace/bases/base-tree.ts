import { rename } from "node:fs/promises";
import { join } from "node:path";
import { basePlaces, readBaseFile, writeBaseFile } from "./base-folder.ts";
import {
  capture,
  SIZE_LIMIT_BYTES,
  type CaptureContext,
  type CarriedPath,
  readGitState,
  type BaseTree,
  materialise,
  loadMemory,
  saveMemory,
  removeTree,
  type Seed,
  type CaptureOptions,
} from "../../snapshot/index.ts";
import { measureFolder } from "../branches/measure-folder.ts";

/** Which base is wanted. */
export interface WantedBase {
  readonly key: string;
  readonly snapshotId: string;
  readonly carried: readonly CarriedPath[];
}

/** What bases are written and read with. */
export interface BaseContext {
  readonly context: CaptureContext;
  /** How branches will be captured: a base that was read otherwise would have to be read again. */
  readonly captured: Pick<CaptureOptions, "include" | "sizeLimitBytes">;
}

/** Writes a base beside its place and puts it there, whole, by whoever holds its lock; gives it as it was read right after. */
export async function makeBase(making: BaseContext, { key, snapshotId, carried }: WantedBase): Promise<BaseTree> {
  const { repository } = making.context;
  const { base, tree, half } = basePlaces(repository, key);
  await removeTree(half);
  const directory = join(half, "tree");
  const carry = carried.map(({ path }) => path);
  const { sizeLimitBytes: limit } = making.captured;
  const request = { id: snapshotId, directory, origin: repository.workspace, carry, sizeLimitBytes: limit };
  const { seed } = await materialise(making.context, request);
  const made = await readBase(making, directory, seed);
  const { sizeLimitBytes, isWhole, memory } = made;
  await writeBaseFile(half, { snapshotId, sizeBytes: await measureFolder(half), sizeLimitBytes, isWhole });
  await rename(half, base);
  // Nobody asks git about a base's files.
  await saveMemory(repository, tree, { ...memory, fewFiles: Number.POSITIVE_INFINITY });
  return made;
}

/** A base that another process made, as that process read it; it is read again where that is lost. */
export async function loadBase(making: BaseContext, key: string): Promise<BaseTree> {
  const { repository } = making.context;
  const { tree } = basePlaces(repository, key);
  const [file, memory] = [await readBaseFile(repository, key), await loadMemory(repository, tree)];
  if (!file || !memory) return await readBase(making, tree, undefined);
  const git = await readGitState(repository, tree, undefined);
  return { memory: { ...memory, git }, sizeLimitBytes: file.sizeLimitBytes, isWhole: file.isWhole };
}

async function readBase(
  { context, captured }: BaseContext,
  directory: string,
  known: Seed | undefined,
): Promise<BaseTree> {
  const request = { directory, options: captured, memory: undefined, isSettled: true, ...(known ? { known } : {}) };
  const { snapshot, memory } = await capture(context, request);
  const { sizeLimitBytes = SIZE_LIMIT_BYTES } = captured;
  return {
    memory,
    sizeLimitBytes,
    isWhole: snapshot.leftOut.every(({ reason }) => reason === "secret" || reason === "heavy"),
  };
}
