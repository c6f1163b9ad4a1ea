import { execFileSync } from "node:child_process";
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";

/** A disk of its own, so that it can be filled. */
export interface SmallDisk {
  unmount(): void;
}

/** Mounts one on a folder; undefined where that is not allowed. */
export function mountSmallDisk(folder: string, size: string): SmallDisk | undefined {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder], { stdio: "ignore" });
  } catch {
    return undefined;
  }
  return { unmount: () => execFileSync("umount", ["--lazy", folder]) };
}

/** Takes all the space that is left, by a file `filler`. */
export function fillDisk(folder: string): void {
  const file = openSync(join(folder, "filler"), "w");
  for (let size = 65_536; size >= 1;) {
    try {
      writeSync(file, Buffer.alloc(size));
    } catch {
      size = Math.floor(size / 2);
    }
  }
  closeSync(file);
}
