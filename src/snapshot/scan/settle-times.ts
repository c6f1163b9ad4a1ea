import { lstat, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createId, systemClock, type Clock } from "../../core/index.ts";

/** A file system with a clock so coarse that this is not enough is not waited for. */
const PATIENCE_MS = 100;

/**
 * Waits until the file system's clock is past a moment: whatever is changed from then on gets a later time than anything
 * that was changed up to that moment, and so shows. False where that would take long.
 */
export async function settleTimes(folder: string, untilMs: number, clock: Clock = systemClock): Promise<boolean> {
  const probe = join(folder, `.skein-${createId(clock)}`);
  const giveUpMs = clock.now() + PATIENCE_MS;
  try {
    for (;;) {
      await writeFile(probe, `${clock.now()}`);
      if ((await lstat(probe)).ctimeMs > untilMs) return true;
      if (clock.now() > giveUpMs) return false;
      await clock.sleep(1);
    }
  } finally {
    await rm(probe, { force: true });
  }
}
