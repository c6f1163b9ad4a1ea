import { mkdtemp, mkdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "vitest";
import { SNAPSHOT_CONTRACT } from "../testing/index.ts";
import { createGitSnapshotStore } from "./git-snapshot-store.ts";

describe("the git snapshot store", () => {
  for (const { name, check } of SNAPSHOT_CONTRACT) {
    it(name, async () => {
      const root = await mkdtemp(join(tmpdir(), "skein-snapshot-"));
      try {
        const directory = join(root, "workspace");
        await mkdir(directory);
        await using store = await createGitSnapshotStore({ workspace: directory, home: join(root, "home") });
        await check({ store, directory, elsewhere: join(root, "elsewhere") });
      } finally {
        await rm(root, { recursive: true, force: true });
      }
    });
  }
});
