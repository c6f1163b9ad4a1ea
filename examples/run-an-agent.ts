import { strictEqual } from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { claudePrompt } from "skein/engine";
import { startOfflineAgent } from "skein/testing";

// The real Claude Code CLI, the offline model in the place of the real one, in folders that are gone afterwards.
await using agent = await startOfflineAgent({
  name: "greeter",
  rules: [
    {
      when: { prompt: "^greet (?<who>\\w+)" },
      steps: [
        { call: { tool: "Write", input: { file_path: "{{cwd}}/greeting.txt", content: "Hello, {{who}}!" } } },
        { say: "I have greeted {{who}}." },
      ],
    },
  ],
});

const toolsUsed: string[] = [];
for await (const event of agent.engine.stream(claudePrompt({ text: "greet Ada" }))) {
  if (event.type === "text-delta") process.stdout.write(event.text);
  if (event.type === "tool-end") toolsUsed.push(event.tool);
  if (event.type === "turn-end") strictEqual(event.result.text, "I have greeted Ada.");
}

strictEqual(toolsUsed.join(), "Write");
strictEqual(await readFile(join(agent.cwd, "greeting.txt"), "utf8"), "Hello, Ada!");
