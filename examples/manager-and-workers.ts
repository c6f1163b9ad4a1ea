// A manager plans, two workers work, and what the first try got wrong is found by its gate, not by what the worker says.
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadScenario } from "skein/offline";
import { DualAgent, type TeamResult } from "skein/team";
import { startOfflineAgent } from "skein/testing";

const TEST = `
import assert from "node:assert/strict";
import { existsSync, rmSync } from "node:fs";
import { test } from "node:test";

test("the first task is number 1", { skip: !existsSync("add.mjs") }, async () => {
  const { add } = await import("./add.mjs");
  assert.equal(add("Buy milk").number, 1);
  rmSync("tasks.json");
});
`;

const home = await mkdtemp(join(tmpdir(), "skein-example-"));
await using offline = await startOfflineAgent(await loadScenario("team"));
await writeFile(join(offline.cwd, "tasks.test.mjs"), TEST);

const team = new DualAgent({
  workspace: offline.cwd,
  workspaceOptions: { home },
  engine: offline.engine,
  workers: 2,
  gates: ["node --test"],
  protect: ["*.test.mjs"],
});
const sentBack: string[] = [];
let result: TeamResult | undefined;
for await (const event of team.run("Build a list of tasks")) {
  if (event.type === "verdict") {
    console.log(`${event.item} ${event.verdict.approved ? "approved" : "sent back"} by the ${event.by}`);
    if (!event.verdict.approved) sentBack.push(`${event.item} by the ${event.by}`);
  }
  if (event.type === "team-end") result = event.result;
}
assert.equal(result?.outcome, "completed");
assert.deepEqual(sentBack, ["add by the gates"]);
assert.deepEqual((await readdir(offline.cwd)).toSorted(), ["add.mjs", "list.mjs", "store.mjs", "tasks.test.mjs"]);
console.log(`${result.merged.join(", ")} merged in ${result.iterations} turns of workers`);
await rm(home, { recursive: true, force: true });
