import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Clock, dataHome, defined, SkeinError, systemClock } from "../../core/internal.ts";
import { takeLock } from "../../database/index.ts";
import { makeFolder, storageError } from "../../git/index.ts";
import { place, readDescription, type Repository } from "../../snapshot/index.ts";
import type { WorkspaceOptions } from "../workspace.ts";
import { claimDirectory, isClaimedElsewhere } from "../claim-directory.ts";
import { readHead } from "../states/head.ts";
import { listTips } from "../states/state-refs.ts";
import { findLostRecords, findRecordOf, type FittingRecord, isThere, spellings } from "./find-records.ts";
import { moveRecord } from "./move-record.ts";

interface RelinkOptions extends Pick<WorkspaceOptions, "home" | "clock"> {
  /** Where the workspace was; none where the record is meant that is surely this directory's. */
  readonly from?: string | undefined;
}

/**
 * Attaches the record of a workspace that was moved to the directory where it is now. It refuses where the workspace still is where it
 * was, where something was recorded of the directory itself, where a turn runs in either, and where no record, or more than one, is
 * surely the directory's and none is named. The files are not touched. One that was cut off is ended by the next.
 */
export async function relinkWorkspace(
  directory: string,
  options: RelinkOptions = {},
): Promise<{ readonly directory: string; readonly from: string; readonly fit?: FittingRecord["fit"] | "attached" }> {
  const { home = dataHome(), clock = systemClock } = options;
  const path = await realpath(directory).catch((cause: unknown) => {
    throw storageError("The directory cannot be opened", directory, cause);
  });
  const to = place(home, path);
  await makeFolder(dirname(to.home));
  await using _ = await takeLock(join(dirname(to.home), "relink.lock"), { clock });
  const attached = await findAttached(to, options.from);
  if (attached !== undefined) return { directory: path, from: attached, fit: "attached" };
  await checkFree(to);
  const record = await choose(path, { from: options.from, home });
  await attach(record, to, clock);
  return { directory: path, from: record.path, ...defined({ fit: record.fit }) };
}

/** From where the directory's record was attached, where that is what is asked for again. */
async function findAttached({ home }: Repository, from: string | undefined): Promise<string | undefined> {
  const movedFrom = (await readDescription(home))?.movedFrom;
  const isMeant = movedFrom !== undefined && (from === undefined || (await spellings(from)).includes(movedFrom));
  return isMeant ? movedFrom : undefined;
}

async function attach(record: FittingRecord, to: Repository, clock: Clock): Promise<void> {
  await using _ = await claimDirectory(to, to.workspace, { clock });
  if (await isClaimedElsewhere(to, record.path)) {
    throw new SkeinError(`A turn or a restore is running in ${record.path}, wherever that is now`, {
      kind: "workspace_busy",
      target: record.path,
      retryable: true,
      hint: "Wait until it ends",
    });
  }
  await moveRecord(record, to, clock).catch((cause: unknown) => {
    throw storageError("The record could not be attached", record.home, cause);
  });
}

/** A folder that a command made when it looked, and in which nothing is recorded, is no record. */
async function checkFree({ home, gitDirectory, workspace }: Repository): Promise<void> {
  const file = await readDescription(home);
  if (!file) return;
  const head = file.branchOf ? undefined : await readHead(gitDirectory, "HEAD");
  const isEmpty = !file.branchOf && (await listTips(gitDirectory, head?.stateId)).size === 0;
  if (isEmpty) return;
  throw new SkeinError(`${workspace} already has a record`, {
    kind: "usage",
    target: workspace,
    hint: "skein log shows it. To bring in what was recorded elsewhere, use skein save and load, or push and pull",
  });
}

async function choose(
  directory: string,
  { from, home }: { readonly from: string | undefined; readonly home: string },
): Promise<FittingRecord> {
  if (from === undefined) return theOne(directory, await findLostRecords(directory, home));
  const record = await findRecordOf(from, { directory, home });
  if (!record) {
    throw new SkeinError(`There is no record of ${from}`, {
      kind: "state_not_found",
      target: from,
      hint: "Give the path where the workspace was last recorded",
    });
  }
  const isMoved = record.fit === "begun" || record.fit === "directory";
  if (isMoved || !(await isThere(record.path))) return record;
  throw new SkeinError(`${record.path} still exists, and so does its record`, {
    kind: "usage",
    target: record.path,
    hint: "A copy gets its own record with its first turn. To give up the original, remove or rename it first",
  });
}

function theOne(directory: string, records: readonly FittingRecord[]): FittingRecord {
  const [first, ...others] = records;
  if (!first) {
    throw new SkeinError(`No record of a missing workspace matches ${directory}`, {
      kind: "state_not_found",
      target: directory,
      hint: "Say where it was: skein relink OLD",
    });
  }
  if (others.length === 0 && first.fit !== "repository") return first;
  const listed = records.map(({ path }) => `\n  ${path}`).join("");
  const what = others.length === 0 ? "The record of a clone may be" : "The records of several may be";
  throw new SkeinError(`${what} that of ${directory}:${listed}`, {
    kind: "usage",
    target: directory,
    hint: "Say which: skein relink OLD",
  });
}
