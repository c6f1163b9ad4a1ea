import { existsSync } from "node:fs";
import { filterAsync } from "../../core/internal.ts";
import {
  bytesOnlyIn,
  createAttempts,
  deadBranches,
  freeSpace,
  isTight,
  oldSnapshots,
  orphanBranches,
  pruneStore,
  storeBytes,
  type NotDone,
  type Workspace,
} from "../../workspace/internal.ts";
import { removeDeadBranch } from "./interrupted-turns.ts";
import { readStateFile } from "../record/state.ts";
import { dropJournal, listJournals, type JournalRecord } from "../turn/journal.ts";

export interface GarbageOptions {
  /** Conversations whose last turn is younger stay; 90 days unless given. */
  readonly keepDays?: number;
  /** Only tell what would be removed. */
  readonly dryRun?: boolean;
}

export interface Collection {
  readonly removed: readonly { readonly ref: string; readonly reason: string }[];
  readonly bytesBefore: number;
  /** After a dry run: an estimate. */
  readonly bytesAfter: number;
  /** What the disk had no space for; as much as possible was freed without. */
  readonly notDone: readonly NotDone[];
}

const DAY_MS = 86_400_000;

/** Bare snapshots are only kept so that a restore can be undone; a turn's files are in its state. */
const SNAPSHOT_DAYS = 14;

/**
 * Removes conversations that nobody has gone on with for long, snapshots that only undo old restores, and branches whose
 * directories are gone, with all that only they lead to. Checkpoints and what leads to them always stay, and so do
 * the heads of the workspace and its branches.
 */
export async function collectGarbage(workspace: Workspace, options: GarbageOptions = {}): Promise<Collection> {
  const { keepDays = 90, dryRun = false } = options;
  const bytesBefore = await storeBytes(workspace);
  const isTightNow = !dryRun && (await isTight(workspace, bytesBefore));
  // Before anything else: bases keep snapshots, and all that follows may have to write.
  if (isTightNow) await freeSpace(workspace);
  // Before the journals: a turn has its journal as long as it is held.
  const held = await workspace.states.held();
  const journals = await listJournals(workspace);
  const snapshotMs = Math.min(keepDays, SNAPSHOT_DAYS) * DAY_MS;
  const found: readonly (readonly [reason: string, refs: readonly string[]])[] = [
    [`no turn for ${keepDays} days`, await oldConversations(workspace, keepDays, journals)],
    ["its turn is over", endedTurns(held, journals)],
    ["its directory or its process is gone", await deadBranches(workspace)],
    ["a snapshot that no state or restore needs any more", await oldSnapshots(workspace, snapshotMs)],
  ];
  const removed = found.flatMap(([reason, some]) => some.map((ref) => ({ ref, reason })));
  const refs = removed.map(({ ref }) => ref);
  if (dryRun) {
    return { removed, bytesBefore, bytesAfter: bytesBefore - (await bytesOnlyIn(workspace, refs)), notDone: [] };
  }
  const attempts = createAttempts(workspace.home);
  for (const path of await orphanBranches(workspace)) {
    const what = `What was cut off in ${path} could not be recorded`;
    await attempts.take(what, () => removeDeadBranch(workspace, path));
  }
  for (const journal of journals) {
    // What was cut off in a directory that is gone cannot be kept: nobody can say what it left.
    if (journal.isCutOff && !existsSync(journal.head.directory)) await dropJournal(workspace, journal);
  }
  const areGone = await pruneStore(workspace, { refs, attempts, isTight: isTightNow });
  const bytesAfter = await storeBytes(workspace);
  return { removed: areGone ? removed : [], bytesBefore, bytesAfter, notDone: attempts.notDone };
}

/** What a process that was killed as it ended a turn has left held. */
function endedTurns(held: ReadonlyMap<string, string>, journals: readonly JournalRecord[]): readonly string[] {
  const open = new Set(journals.map(({ head }) => head.transitionId));
  return [...held.keys()].filter((name) => !open.has(name)).map((name) => `refs/skein/turns/${name}`);
}

async function oldConversations(
  { states, clock }: Workspace,
  keepDays: number,
  journals: readonly JournalRecord[],
): Promise<readonly string[]> {
  const inUse = new Set(journals.map(({ head }) => head.conversationId));
  const tips = await states.tips();
  const heads = new Set([...tips].filter(([ref]) => ref === "HEAD" || ref.includes("/branches/")).map(([, id]) => id));
  const old = await filterAsync(await states.conversations(), async ([id, tip]) => {
    const { recordedAt } = await readStateFile(states, tip);
    return Date.parse(recordedAt) < clock.now() - keepDays * DAY_MS && !heads.has(tip) && !inUse.has(id);
  });
  return old.map(([id]) => `refs/skein/conversations/${id}`);
}
