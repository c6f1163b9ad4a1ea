// An agent of the library with the command's defaults: edits in its directory, commands in the sandbox, no network, no secrets.
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { ClaudeAgent } from "skein";
import { safeOptions } from "skein/isolation";
import { startOfflineAgent } from "skein/testing";

const cwd = await mkdtemp(join(tmpdir(), "skein-example-"));
const options = await safeOptions({ cwd, options: { model: "claude-sonnet-5-5" } });

// With the real model: `new ClaudeAgent(cwd, { engine: new ClaudeEngine(options) })`. Here the offline model plays it.
await using offline = await startOfflineAgent(
  {
    name: "safe-agent",
    rules: [
      {
        when: { prompt: "^build" },
        steps: [
          { call: { tool: "Write", input: { file_path: "{{cwd}}/app.js", content: "console.log(6 * 7);" } } },
          { call: { tool: "Bash", input: { command: "node app.js > answer.txt", description: "Run it" } } },
          { call: { tool: "Read", input: { file_path: join(homedir(), ".ssh/id_ed25519") } } },
          { say: "Built." },
        ],
      },
    ],
  },
  options,
);

await using agent = new ClaudeAgent(cwd, {
  engine: offline.engine,
  workspace: { home: join(offline.home, "skein") },
});
const { text, filesCreated, hasErrors } = await agent.send("build it");
strictEqual(text, "Built.");
// Without a sandbox on this machine, the command would have been denied.
deepStrictEqual([...filesCreated], options.sandbox ? ["answer.txt", "app.js"] : ["app.js"]);
// The key was not read, whether there is one or not.
strictEqual(hasErrors, true);
console.log(`created ${filesCreated.join(", ")}`);
await rm(cwd, { recursive: true, force: true });
