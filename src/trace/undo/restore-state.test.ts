import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Workspace } from "../../workspace/index.ts";
import { recordPresent } from "../record/record-state.ts";
import { restoreState } from "./restore-state.ts";

it("tells what a restore would change while a turn has the directory, and restores nothing then", async () => {
  const root = await mkdtemp(join(tmpdir(), "skein-restore-"));
  const [directory, home] = [join(root, "app"), join(root, "home")];
  const file = join(directory, "a.txt");
  await mkdir(directory);
  try {
    await using workspace = await Workspace.open(directory, { home });
    await writeFile(file, "one");
    const { id } = await recordPresent(workspace);
    await writeFile(file, "two");
    await using _ = await workspace.claim();
    const plans = await Promise.all([1, 2].map(() => restoreState(workspace, id, { dryRun: true })));
    expect(plans.map(({ changes }) => changes.map(({ path }) => path))).toEqual([["a.txt"], ["a.txt"]]);
    await expect(restoreState(workspace, id)).rejects.toMatchObject({ kind: "workspace_busy" });
    expect(await readFile(file, "utf8")).toBe("two");
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});
