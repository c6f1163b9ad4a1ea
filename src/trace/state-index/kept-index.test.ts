import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Workspace } from "../../workspace/index.ts";
import { recordTurns } from "../../../test/support/record-turns.ts";
import { temporaryDirectory } from "../../../test/cli/support/skein.ts";
import { openStateIndex } from "./open-state-index.ts";
import { indexPath, keepIndex } from "./kept-index.ts";
import { addNote } from "../record/note.ts";

it("reads the names of a store that has settled no more, and sees what is recorded, noted or taken from its index", async () => {
  const root = await temporaryDirectory();
  const path = join(root, "app");
  await mkdir(path);
  await using workspace = await Workspace.open(path, { home: join(root, "home") });
  let filled = 0;
  const onFilled = async (): Promise<void> => void (filled += 1);
  const { home, states, clock, gitDirectory } = workspace;
  const index = await keepIndex({ home, states, clock, gitDirectory, onFilled });
  const count = async (): Promise<number> => await index.ask(async (asked) => (await asked.totals()).turns);

  await recordTurns(workspace, [{ prompt: "one" }]);
  expect([await count(), await count(), await count(), await count(), filled]).toEqual([1, 1, 1, 1, 2]);

  const id = (await recordTurns(workspace, [{ prompt: "two" }])).at(-1)?.id ?? "";
  expect([await count(), await count(), await count(), filled]).toEqual([2, 2, 2, 4]);

  await addNote(workspace, id, { rewards: { score: 3 } });
  expect(await index.ask(async (asked) => (await asked.list({ order: "reward", limit: 1 }))[0]?.rewards)).toEqual({
    score: 3,
  });
  expect([await count(), await count(), filled]).toEqual([2, 2, 6]);

  // As somebody leaves it who was stopped while it was made anew.
  {
    await using other = await openStateIndex(indexPath(home));
    await other.clear();
  }
  expect([await count(), filled]).toEqual([2, 7]);
  await index.close();
});
