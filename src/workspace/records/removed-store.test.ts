import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { Workspace } from "../workspace.ts";

test("a store that was removed in use is begun anew, and what is left of it is kept beside it", async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), "skein-test-")));
  const home = join(root, "home");
  const first = await Workspace.open(join(root, "app"), { home });
  await first.close();
  await rm(first.home, { recursive: true });
  // What a process that still works there writes afterwards.
  await mkdir(join(first.home, "journals"), { recursive: true });
  await writeFile(join(first.home, "journals/turn.jsonl"), "left");
  const again = await Promise.all([1, 2, 3].map(() => Workspace.open(join(root, "app"), { home })));
  for (const workspace of again) {
    await workspace.snapshot();
    await workspace.close();
  }
  const names = await readdir(dirname(first.home));
  const aside = names.filter((name) => name.includes(".damaged-"));
  expect(names).toHaveLength(2);
  expect(await readdir(join(dirname(first.home), aside[0] ?? "", "journals"))).toEqual(["turn.jsonl"]);
  await rm(root, { recursive: true, force: true });
});
