import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { z } from "zod";
import { createId, dataHome, PRIVATE_FILE, PRIVATE_FOLDER, SkeinError, toSkeinError } from "../../core/internal.ts";
import { takeLock } from "../../database/index.ts";
import { readJsonFile } from "../../git/index.ts";
import { findStores, openStates, type FoundStore, type StateId, type StateStore } from "../../workspace/internal.ts";
import { NAMES, readSignature } from "../state-index/store-signature.ts";
import { createSessionFiles, type SessionFiles } from "./session-files.ts";

export interface UnpackOptions {
  /** Skein's home; the user's own unless said. */
  readonly home?: string;
  /** Ends it after the store that is being read; the others follow the next time. */
  readonly signal?: AbortSignal;
}

/** Where the recorded sessions lie as transcripts, and what could not be unpacked. */
export interface UnpackedSessions {
  /** Laid out as Claude Code lays out its own: a folder for each workspace, in it a file for each session. */
  readonly folder: string;
  readonly skipped: readonly { readonly path: string; readonly code: string; readonly message: string }[];
}

/** Lays out the sessions of every store as transcripts, and brings them up to date. They are copies; deleting the folder loses nothing. */
export async function unpackSessions(options: UnpackOptions = {}): Promise<UnpackedSessions> {
  const home = options.home ?? dataHome();
  const folder = join(home, "transcripts", "recorded");
  const skipped: UnpackedSessions["skipped"][number][] = [];
  const stores = await findStores(home);
  for (const store of stores) {
    if (options.signal?.aborted) break;
    try {
      await unpackStore(store, join(folder, basename(store.home)));
    } catch (error) {
      const { kind, message } = toSkeinError(error);
      skipped.push({ path: store.gitDirectory, code: kind, message });
    }
  }
  await removeOthers(folder, new Set(stores.map((store) => basename(store.home))));
  return { folder, skipped };
}

/** Nothing in a store is read where nothing has been named since. */
async function unpackStore(store: FoundStore, folder: string): Promise<void> {
  const signature = await readSignature(store.gitDirectory, NAMES);
  if ((await readUnpacked(folder))?.signature === signature) return;
  await mkdir(folder, PRIVATE_FOLDER);
  await using _ = await takeLock(join(folder, "unpack.lock"));
  const known = (await readUnpacked(folder)) ?? { signature: "", states: {}, sizes: {} };
  // Somebody else may have done it while this one waited.
  if (known.signature === signature) return;
  await using states = openStates(store);
  const ids = await states.list(new Set((await states.tips()).values()));
  const files = createSessionFiles(folder, { workspace: store.workspace, sizes: known.sizes });
  const kept = await dropUnnamed(files, new Set(ids), known);
  for (const id of ids) if (!kept.has(id)) kept.set(id, await addState(files, states, id));
  // The note comes last: what was added before a crash is cut off, and added again.
  const unpacked: Unpacked = { version: 1, signature, states: Object.fromEntries(kept), sizes: files.sizes() };
  const own = join(folder, `unpacked.json.${createId()}.tmp`);
  await writeFile(own, JSON.stringify(unpacked), { mode: PRIVATE_FILE });
  await rename(own, join(folder, "unpacked.json"));
}

/** A state that is damaged, or somebody else's of another version, must not hide the others. */
async function addState(files: SessionFiles, states: StateStore, id: StateId): Promise<string | null> {
  try {
    return await files.add(states, id);
  } catch (error) {
    if (!(error instanceof SkeinError) || error.kind === "filesystem" || error.kind === "resource_exhausted")
      throw error;
    return null;
  }
}

/** What nothing leads to any more was deleted on purpose: the sessions that it was in are written anew without it. */
async function dropUnnamed(
  files: SessionFiles,
  named: ReadonlySet<string>,
  known: Pick<Unpacked, "states">,
): Promise<Map<string, string | null>> {
  const all = Object.entries(known.states);
  const dropped = new Set(all.flatMap(([id, session]) => (named.has(id) ? [] : (session ?? []))));
  for (const session of dropped) await files.remove(session);
  return new Map(all.filter(([id, session]) => named.has(id) && !dropped.has(session ?? "")));
}

/** A store that was removed takes its transcripts with it. */
async function removeOthers(folder: string, names: ReadonlySet<string>): Promise<void> {
  const found: readonly string[] = await readdir(folder).catch(() => []);
  for (const name of found) {
    // Where it may not be removed there is nothing to be gained from failing.
    if (!names.has(name)) await rm(join(folder, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

const Unpacked = z.strictObject({
  version: z.literal(1),
  signature: z.string(),
  /** The states that were looked at, and the session whose files each has added to; null for one without a turn. */
  states: z.record(z.string(), z.string().nullable()),
  /** How long each file is: what is behind it was written by somebody who did not come to the end. */
  sizes: z.record(z.string(), z.int().nonnegative()),
});

type Unpacked = z.infer<typeof Unpacked>;

/** Reads how far a folder has come; undefined where that is not known, and all has to be done anew. */
async function readUnpacked(folder: string): Promise<Unpacked | undefined> {
  return await readJsonFile(join(folder, "unpacked.json"), Unpacked);
}
