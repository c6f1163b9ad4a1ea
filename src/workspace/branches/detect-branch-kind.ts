import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { createId, enterPrivate } from "../../core/internal.ts";
import { type StorePlace, temporaryPlace, tryReflink } from "../../snapshot/index.ts";
import type { BranchKind } from "./branch-options.ts";
import { branchFolder, writeBranchRecord } from "./branch-record.ts";
import { mountOverlay, mountPrivately, type Overlay } from "./overlay.ts";
import { removeBranch } from "./sweep-branches.ts";

const run = promisify(execFile);

/** Finds out by trying which kind of branch a store can have, the best first, and why the better ones cannot be had. */
export async function detectBranchKind(
  store: StorePlace,
): Promise<{ readonly kind: BranchKind; readonly reasons: readonly string[] }> {
  const reasons: string[] = [];
  for (const kind of ["overlay", "private-overlay"] as const) {
    const reason = await tryOverlay(store, kind);
    if (reason === undefined) return { kind, reasons };
    reasons.push(`${kind}: ${reason}`);
  }
  const reason = await tryReflink(await temporaryPlace(store.home, "reflink"));
  if (reason === undefined) return { kind: "clone", reasons };
  return { kind: "copy", reasons: [...reasons, `clone: ${reason}`] };
}

type OverlayKind = "overlay" | "private-overlay";

/** Makes a branch of a few bytes, changes a file in it and removes it; tells why that did not work. */
async function tryOverlay(store: StorePlace, kind: OverlayKind): Promise<string | undefined> {
  if (process.platform !== "linux") return `${process.platform} has no overlays`;
  const id = `trial-${createId()}`;
  const folder = branchFolder(store, id);
  try {
    // Like any branch: if this process is killed, the next one unmounts it.
    await writeBranchRecord(store, { id, kind });
    await mkdir(join(folder, "lower"), { recursive: true });
    await writeFile(join(folder, "lower/file"), "before");
    await changeFile({ folder, lower: "lower" }, kind);
    return undefined;
  } catch (error) {
    return reasonOf(error);
  } finally {
    await removeBranch(store, id).catch(() => undefined);
  }
}

export function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).trim().replaceAll(/\s*\n\s*/gu, " ");
}

/** A folder whose files belong to a group that is not mapped can be mounted, but nothing in it can be changed. */
async function changeFile(overlay: Overlay, kind: OverlayKind): Promise<void> {
  if (kind === "overlay") return await writeFile(join(await mountOverlay(overlay), "file"), "after");
  using mounted = await mountPrivately(overlay);
  await writeFile(join(mounted.view, "file"), "after");
  const test = { command: "test", args: ["-f", "file"], cwd: mounted.path, env: process.env };
  const { command, args, cwd, env } = enterPrivate(test);
  await run(command, args, { cwd, env });
}
