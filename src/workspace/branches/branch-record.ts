import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import {
  identify,
  isElsewhere,
  isRunning,
  PRIVATE_FILE,
  PRIVATE_FOLDER,
  ProcessIdentitySchema,
} from "../../core/internal.ts";
import { announcePresence, isPresent } from "../../database/index.ts";
import { readJsonFile } from "../../git/index.ts";
import type { StorePlace } from "../../snapshot/index.ts";
import type { BranchKind } from "./branch-options.ts";

const BranchRecord = z.strictObject({
  version: z.literal(1),
  id: z.string().regex(/^[\w-]+$/),
  kind: z.enum(["overlay", "private-overlay", "clone", "copy"]),
  base: z.string().optional(),
  /** Whose branch it is: when that process is gone, so is the use of the branch. */
  holder: ProcessIdentitySchema.extend({
    /** Where its pid means nothing, the process is asked after by this name. */
    presence: z.string().regex(/^[\w-]+$/),
  }),
});

/** What is put down of a branch below Skein's home before anything of it is made, and removed after all of it is gone. */
export type BranchRecord = z.infer<typeof BranchRecord>;

export function branchFolder({ home }: StorePlace, id: string): string {
  return join(home, "branches", id);
}

export function branchPlace(store: StorePlace, { id, kind }: Pick<BranchRecord, "id" | "kind">): string {
  return join(branchFolder(store, id), isOverlay(kind) ? "merged" : "files");
}

/** Whether branches of a kind show the files of a base that they do not hold themselves. */
export function isOverlay(kind: BranchKind): kind is "overlay" | "private-overlay" {
  return kind === "overlay" || kind === "private-overlay";
}

export async function writeBranchRecord(
  store: StorePlace,
  branch: Pick<BranchRecord, "id" | "kind" | "base">,
): Promise<void> {
  // A system that does not tell when a process began is asked by the presence alone.
  const own = (await identify(process.pid)) ?? { pid: process.pid, startTime: "" };
  const holder = { ...own, presence: await announcePresence(presences(store)) };
  const path = `${branchFolder(store, branch.id)}.json`;
  const half = `${path}.${process.pid}`;
  await mkdir(join(store.home, "branches"), PRIVATE_FOLDER);
  await writeFile(half, JSON.stringify({ version: 1, ...branch, holder }), { mode: PRIVATE_FILE });
  await rename(half, path);
}

export async function listBranchRecords(
  store: StorePlace,
): Promise<readonly { readonly record: BranchRecord; readonly isLive: boolean }[]> {
  const folder = join(store.home, "branches");
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".json"));
  const found = await Promise.all(names.map((name) => readJsonFile(join(folder, name), BranchRecord)));
  const records = found.filter((record) => record !== undefined);
  const isLive = async ({ holder }: BranchRecord): Promise<boolean> =>
    (await isElsewhere(holder)) ? await isPresent(presences(store), holder.presence) : await isRunning(holder);
  return await Promise.all(records.map(async (record) => ({ record, isLive: await isLive(record) })));
}

/** Removes records that processes which are gone did not finish writing; nothing of their branches was made. */
export async function sweepHalfRecords({ home }: StorePlace): Promise<void> {
  const folder = join(home, "branches");
  for (const name of await readdir(folder).catch(() => [])) {
    const pid = /\.json\.(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && !(await identify(Number(pid)))) await rm(join(folder, name), { force: true });
  }
}

function presences({ home }: StorePlace): string {
  return join(home, "processes");
}
