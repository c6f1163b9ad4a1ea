// Three prompts in one conversation (seed example 1): a script, error handling, tests. Each turn is recorded with what it cost and
// what it did, and can be read again later, by another process too.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineScenario } from "skein/offline";
import { startOfflineAgent } from "skein/testing";
import { ClaudeAgent, TraceIndex } from "skein/trace";
import { Workspace } from "skein/workspace";

const SCRIPT = "import sys\n\n\ndef fetch(city):\n    return f'{city}: 21 degrees'\n\n\nprint(fetch(sys.argv[1]))\n";
const write = (name: string, content: string) => ({ tool: "Write", input: { file_path: `{{cwd}}/${name}`, content } });

const scenario = defineScenario({
  name: "weather",
  rules: [
    {
      name: "script",
      when: { prompt: "fetches weather data" },
      steps: [{ call: [write("weather.py", SCRIPT)] }, { say: "weather.py prints the weather of a city." }],
    },
    {
      name: "errors",
      when: { prompt: "error handling" },
      steps: [
        {
          call: [
            {
              tool: "Edit",
              input: {
                file_path: "{{cwd}}/weather.py",
                old_string: "sys.argv[1]",
                new_string: "(sys.argv + ['Paris'])[1]",
              },
            },
          ],
        },
        { say: "Without a city it now takes Paris." },
      ],
    },
    {
      name: "tests",
      when: { prompt: "unit tests" },
      steps: [{ call: [write("test_weather.py", "def test_it():\n    assert True\n")] }, { say: "I added a test." }],
    },
  ],
});

const home = await mkdtemp(join(tmpdir(), "skein-example-"));
await using offline = await startOfflineAgent(scenario);
{
  await using agent = new ClaudeAgent(offline.cwd, { engine: offline.engine, workspace: { home } });
  const first = await agent.send("Create a Python script that fetches weather data");
  assert.deepEqual(first.filesCreated, ["weather.py"]);
  const second = await agent.send("Add error handling");
  assert.deepEqual(second.filesModified, ["weather.py"]);
  await agent.send("Add unit tests");

  for (const { execution, ...transition } of agent.conversation?.history() ?? []) {
    console.log(
      `${transition.prompt.text}: $${execution.costUsd.toFixed(4)}, ${execution.tools.map(({ tool }) => tool).join(", ")}`,
    );
  }
  assert.ok(agent.totalCostUsd > 0);
}

// Later, and somewhere else: everything is still there.
await using workspace = await Workspace.open(offline.cwd, { home });
await using index = await TraceIndex.open(workspace);
const [last] = await index.recent(1);
assert.equal(last?.prompt.text, "Add unit tests");
assert.deepEqual(last.toolsUsed(), ["Write"]);
assert.equal((await index.totals()).turns, 3);
assert.equal((await index.query({ text: "error handling" })).length, 1);
await rm(home, { recursive: true, force: true });
