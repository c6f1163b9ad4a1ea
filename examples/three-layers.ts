// The same work by each of the three layers: an agent, a conversation with its transitions, and a transition made by hand.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { claudePrompt } from "skein/engine";
import { loadScenario } from "skein/offline";
import { startOfflineAgent } from "skein/testing";
import { ClaudeAgent, Conversation, createTransition, TransitionRecorder } from "skein/trace";
import { Workspace } from "skein/workspace";

const home = await mkdtemp(join(tmpdir(), "skein-example-"));
await using offline = await startOfflineAgent(await loadScenario("todo"), { allowedTools: ["Bash(node:*)"] });
const { engine, cwd } = offline;

// Layer 1: most people.
{
  await using agent = new ClaudeAgent(cwd, { engine, workspace: { home } });
  const response = await agent.send("Build a TODO app");
  console.log(response.text);
  assert.ok(response.filesCreated.includes("src/todo.js"));
}

await using workspace = await Workspace.open(cwd, { home });

// Layer 2: traces. A conversation goes on from where the last one left the files; its turns can be looked into and undone.
{
  await using conversation = await Conversation.load(workspace, "@", { engine });
  for await (const event of conversation.stream("Add tests")) if (event.type === "tool-start") console.log(event.tool);
  const transition = conversation.history().at(-1);
  assert.ok(transition);
  assert.deepEqual(
    (await transition.filesChanged()).map(({ type, path }) => `${type} ${path}`),
    ["created test/todo.test.js"],
  );
  assert.equal(transition.hasToolErrors(), false);
  await using before = await conversation.undo();
  assert.equal(before.history().length, 1);
}

// Layer 3: by hand.
const prompt = claudePrompt("Build the UI with Vue");
const before = await workspace.snapshot();
const execution = await engine.execute(prompt, { cwd: workspace.path });
// The offline agent has a home of its own: what Claude Code keeps of the session lies there.
const claudeHome = join(offline.home, ".claude");
const after = await workspace.snapshot({ sessionId: execution.sessionId, claudeHome });
const made = createTransition({ before, prompt, execution, after });
assert.ok((await made.filesChanged()).length > 0);
assert.ok(made.toolsUsed().includes("Write"));
assert.deepEqual(made.execution.ledger.mismatches, []);
console.log(made.execution.response);

// It can be recorded like any other.
{
  await using recorder = await TransitionRecorder.open(workspace);
  const recorded = await recorder.record(made);
  assert.equal((await recorder.index.recent(1))[0]?.id, recorded.id);
}
await rm(home, { recursive: true, force: true });
