// Three approaches from one checkpoint, in parallel; the best is adopted, and its conversation goes on.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadScenario } from "skein/offline";
import { bestOfN, ClaudeEnvironment, testReward } from "skein/search";
import { startOfflineAgent } from "skein/testing";

const home = await mkdtemp(join(tmpdir(), "skein-example-"));
await using offline = await startOfflineAgent(await loadScenario("todo"), { allowedTools: ["Bash(node:*)"] });
await using environment = await ClaudeEnvironment.open(offline.cwd, { engine: offline.engine, workspace: { home } });

await environment.step("Build a TODO app");
const start = await environment.checkpoint("start");
const { id: before } = await environment.workspace.snapshot();

const search = bestOfN(environment, {
  from: start,
  prompts: ["React", "Vue", "vanilla JS"].map((approach) => `Build the UI with ${approach}`),
  reward: testReward({ command: "node --test --test-reporter=tap", format: "tap" }),
  concurrency: 3,
});
for await (const event of search) {
  if (event.type === "branch-end") console.log(event.node.prompt, event.node.reward?.value);
}
const { best, nodes } = await search;
assert.equal(nodes.length, 3);
assert.equal(best?.prompt, "Build the UI with vanilla JS");
assert.equal((await environment.workspace.snapshot()).id, before, "the workspace was left alone meanwhile");

await environment.adopt(best.state);
const { transition } = await environment.step("Add a feature: due dates");
assert.equal(transition.after.sessionId, best.transition?.after.sessionId, "the branch's own conversation goes on");
console.log(transition.execution.response);
await environment.close();
await rm(home, { recursive: true, force: true });
