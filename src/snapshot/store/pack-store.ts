import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../core/index.ts";
import { takeLock } from "../../database/index.ts";
import { hasManyLooseRefs, packRefs } from "./pack-refs.ts";
import type { Repository } from "./repository.ts";
import { runGit } from "../../git/index.ts";

/** More than so many packs, or loose objects, make git search long for an object. */
const MOST_PACKS = 50;
const MOST_LOOSE = 2000;

/**
 * Makes one pack of many small ones and of loose objects, and one file of refs, where there are many. Nothing is dropped, reachable or not, so
 * what another process has just written and not yet named stays; packs that appear in the meantime are left alone. A
 * convenience: it is skipped while another process writes, and a failure leaves the store as it was.
 */
export async function packStore(repository: Repository, clock: Clock): Promise<void> {
  const { home, gitDirectory } = repository;
  try {
    const packs = await names(join(gitDirectory, "objects", "pack"), /\.pack$/);
    // Objects are spread evenly over 256 folders by their ids; a few tell how full all are.
    const loose = await Promise.all(SAMPLES.map((folder) => names(join(gitDirectory, "objects", folder), /./)));
    const looseEstimate = (loose.flat().length * 256) / SAMPLES.length;
    const hasMany = packs.length > MOST_PACKS || looseEstimate > MOST_LOOSE;
    const hasManyRefs = await hasManyLooseRefs(repository);
    if (!hasMany && !hasManyRefs) return;
    await using _ = await takeLock(join(home, "write.lock"), { clock, waitMs: 0 });
    if (hasManyRefs) await packRefs(repository);
    if (!hasMany) return;
    const settings = ["repack.writeBitmaps=false", "pack.threads=1"];
    await runGit({ gitDirectory, settings, args: ["repack", "-q", "-d", "--geometric=2"] });
  } catch {
    // The next time will do.
  }
}

const SAMPLES = ["17", "5a", "9c", "e3"];

async function names(folder: string, pattern: RegExp): Promise<readonly string[]> {
  return (await readdir(folder).catch(() => [])).filter((name) => pattern.test(name));
}
