import { readdir, rename, rm, rmdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { z } from "zod";
import { createId } from "../../core/internal.ts";
import { announcePresence, isPresent } from "../../database/index.ts";
import { emptyDirectory, lookAt, makeFolder, readJsonFile, removeTree, writeDurably } from "../../git/index.ts";
import { forgetBranch, type Repository } from "../../snapshot/index.ts";
import { BRANCHES } from "../states/state-refs.ts";

const HalfCopy = z.strictObject({
  version: z.literal(1),
  directory: z.string(),
  half: z.string().regex(/^\.skein-half-[\w-]+$/u),
  branch: z.string().regex(/^[\w-]+$/u),
  owner: z.string(),
  /** Whether the directory was made for it. */
  isNew: z.boolean(),
  /** Whether all is in the folder, and only has to be moved out of it. */
  isWhole: z.boolean(),
});

type HalfCopy = z.infer<typeof HalfCopy>;

/** A copy of a state that is being made in a directory: what is in the directory itself is always nothing, or becomes all of it. */
export interface BegunCopy {
  readonly directory: string;
  readonly half: string;
  /** Moves all of it to where it belongs. Whoever comes after a kill in the middle of that goes on with it. */
  putInPlace(): Promise<void>;
  remove(): Promise<void>;
}

/** Begins a copy in a directory that is empty, or not there yet. It is put down where the next process finds it if this one is killed. */
export async function beginCopy(repository: Repository, place: string, branch: string): Promise<BegunCopy> {
  const isNew = lookAt(place) === undefined;
  // One that holds anything is refused before it is put down: it may be another branch, which nobody may take for what is left of this one.
  if (!isNew) await emptyDirectory(place);
  const owner = await announcePresence(join(repository.home, "processes"));
  const half = `.skein-half-${createId()}`;
  const path = join(repository.home, "copies", `${branch}.json`);
  const putDown = async (directory: string): Promise<HalfCopy> => {
    const note: HalfCopy = { version: 1, directory, half, branch, owner, isNew, isWhole: false };
    await writeDurably(path, JSON.stringify(note));
    return note;
  };
  await makeFolder(dirname(path));
  // Before the directory is made, which would else be left by a kill in between.
  const put = await putDown(resolve(place));
  const directory = await emptyDirectory(place).catch(async (error: unknown) => {
    await rm(path, { force: true });
    throw error;
  });
  const copy = directory === put.directory ? put : await putDown(directory);
  return {
    directory,
    half: join(directory, half),
    async putInPlace() {
      await writeDurably(path, JSON.stringify({ ...copy, isWhole: true }));
      await moveOut(copy);
      await rm(path, { force: true });
    },
    async remove() {
      await removeHalf(repository, copy);
      await rm(path, { force: true });
    },
  };
}

/** Ends what processes that were killed left of copies: what is whole is put in its place, and the rest removed. */
export async function sweepHalfCopies(repository: Repository): Promise<void> {
  const folder = join(repository.home, "copies");
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const copy = await readJsonFile(path, HalfCopy);
    if (!copy || (await isPresent(join(repository.home, "processes"), copy.owner))) continue;
    await (copy.isWhole ? moveOut(copy) : removeHalf(repository, copy));
    await rm(path, { force: true });
  }
}

/** What somebody has put there meanwhile stays; then the rest of the copy stays in its folder. */
async function moveOut({ directory, half }: HalfCopy): Promise<void> {
  const folder = join(directory, half);
  for (const name of await readdir(folder).catch(() => [])) {
    if (lookAt(join(directory, name)) === undefined) await rename(join(folder, name), join(directory, name));
  }
  await rmdir(folder).catch(() => undefined);
}

async function removeHalf(repository: Repository, { directory, half, branch, isNew }: HalfCopy): Promise<void> {
  await removeTree(join(directory, half));
  await forgetBranch(directory, resolve(repository.home, "../.."));
  await rm(join(repository.gitDirectory, BRANCHES, branch), { force: true });
  // Only where nobody has put anything there.
  if (isNew) await rmdir(directory).catch(() => undefined);
}
