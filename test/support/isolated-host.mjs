// A host that isolates an agent, lets it hang in a command, tells where its home is, and waits to be killed.
import { ClaudeEngine, claudePrompt } from "../../dist/engine/index.js";
import { offlineEnvironment } from "../../dist/offline/index.js";
import { isolate, IsolationConfig } from "../../dist/isolation/index.js";
import { WorkspaceSection } from "../../dist/prompt/index.js";

const [folder, url, mark] = process.argv.slice(2);
const workspace = await new WorkspaceSection({ folder }).open();
const options = { cwd: workspace.path, permissionMode: "bypassPermissions", env: offlineEnvironment(url) };
const isolated = await isolate(IsolationConfig(), { ...options, model: "claude-sonnet-5-5" }, { folder });
const prompt = claudePrompt(
  `Bash ${JSON.stringify({ command: `tail -f /dev/null; : mark-${mark}`, description: "Hang" })}`,
);
for await (const event of new ClaudeEngine(isolated.options).stream(prompt)) {
  if (event.type === "tool-start") process.stdout.write(`${isolated.home}\n`);
}
