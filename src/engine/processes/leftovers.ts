import { mkdir, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import {
  PRIVATE_FILE,
  PRIVATE_FOLDER,
  ProcessIdentitySchema,
  dataHome,
  identify,
  isRunning,
  parseJson,
} from "../../core/internal.ts";
import { findGroups, membersOf, removeGroup } from "../resources/memory-group.ts";
import { endAll, endMarked, findFamily, identifyFamily } from "./process-family.ts";
import { clearRemains, sweepResumeFolders } from "./remains.ts";

const HostRecord = z.looseObject({
  version: z.literal(1),
  mark: z.string().min(8),
  host: ProcessIdentitySchema,
  groupParent: z.string().optional(),
});

interface Leftover {
  readonly path: string;
  readonly hostPid: number;
  readonly pids: readonly number[];
}

export function recordFolder(home: string = dataHome()): string {
  return join(home, "processes");
}

/** Puts down that this host runs processes under a mark; its guardian takes the record away when the host has ended. */
export async function writeHostRecord(mark: string, path: string, groupParent?: string): Promise<void> {
  const host = await identify(process.pid);
  await mkdir(dirname(path), PRIVATE_FOLDER);
  await writeFile(path, JSON.stringify({ version: 1, mark, host, groupParent, startedAt: new Date().toISOString() }), {
    mode: PRIVATE_FILE,
  });
}

/** Finds what hosts left behind that were killed together with their guardian. A running host is left alone. */
export async function findLeftovers(home: string = dataHome()): Promise<readonly Leftover[]> {
  const folder = recordFolder(home);
  const names = await readdir(folder).catch(() => []);
  const found: Leftover[] = [];
  for (const path of names.filter((name) => name.endsWith(".json")).map((name) => join(folder, name))) {
    const record = await readRecord(path);
    if (!record) await dropUnwritten(path);
    if (!record || (await isRunning(record.host))) continue;
    const grouped = (await groupsOf(record)).flatMap(membersOf);
    const pids = new Set([...(await findFamily(undefined, record.mark)), ...grouped]);
    found.push({ path, hostPid: record.host.pid, pids: [...pids] });
  }
  return found;
}

/** Ends what was left behind, by its mark and by nothing else, and forgets it. */
export async function reapLeftovers(leftovers: readonly Leftover[]): Promise<void> {
  for (const { path } of leftovers) {
    const record = await readRecord(path);
    if (record && !(await isRunning(record.host))) {
      const known = await identifyFamily(undefined, record.mark);
      await endMarked(record.mark);
      await endAll(known);
      for (const group of await groupsOf(record)) await removeGroup(group);
      await clearRemains(dirname(path), `${record.mark}.`);
    }
    await rm(path, { force: true });
  }
}

/** A host that was killed as it put itself down had started nothing yet; one that lives has written it within this time. */
const WRITTEN_MS = 10_000;

async function dropUnwritten(path: string): Promise<void> {
  const stats = await stat(path).catch(() => undefined);
  if (stats && stats.mtimeMs < Date.now() - WRITTEN_MS) await rm(path, { force: true });
}

async function groupsOf({ mark, groupParent }: z.infer<typeof HostRecord>): Promise<readonly string[]> {
  return groupParent === undefined ? [] : await findGroups(groupParent, `${mark}.`);
}

async function readRecord(path: string): Promise<z.infer<typeof HostRecord> | undefined> {
  return HostRecord.safeParse(parseJson(await readFile(path, "utf8").catch(() => ""))).data;
}

/**
 * Ends what hosts left running that were killed together with their guardian, and clears away what their agents left in folders. To be
 * called before files are recorded or restored: whatever still writes to them would make that untrue.
 */
export async function clearLeftovers(home: string = dataHome()): Promise<void> {
  await reapLeftovers(await findLeftovers(home));
  await sweepResumeFolders();
}
