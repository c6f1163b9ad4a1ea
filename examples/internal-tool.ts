import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  ClaudeAgentSDKAdapter,
  eventLog,
  MarkdownSection,
  Prompt,
  PromptTemplate,
  sequentialDependency,
  PromptSession,
  tool,
  ToolResult,
} from "skein/prompt";
import { startOfflineAgent } from "skein/testing";
import { Workspace } from "skein/workspace";
import { z } from "zod";

// An agent that publishes too early, searches with an argument that there is not, then as it should, and publishes what fails.
await using agent = await startOfflineAgent({
  name: "internal-tool",
  rules: [
    {
      steps: [
        { call: { tool: "mcp__skein__publish", input: { title: "Skein" } } },
        { call: { tool: "mcp__skein__search", input: { query: "skein", limit: 3 } } },
        { call: { tool: "mcp__skein__search", input: { query: "skein" } } },
        { call: { tool: "mcp__skein__publish", input: { title: "Skein" } } },
        { say: "The index says: {{result}}" },
      ],
    },
  ],
});

/** Side effects and checks are here, in the program, not in the words of a prompt. */
const search = tool({
  name: "search",
  description: "Search the internal index",
  params: z.object({ query: z.string().describe("Words to look for") }),
  examples: [{ description: "one word", input: { query: "yarn" } }],
  handler({ query }, { callId }) {
    console.log(`searching for ${query} (${callId})`);
    return ToolResult.ok({ matches: 3, render: () => "Found 3 matches" });
  },
});

/** A transaction: it has written half of its work when it fails, and nothing of that stays. */
const publish = tool({
  name: "publish",
  description: "Publish a page",
  params: z.object({ title: z.string() }),
  isTransaction: true,
  async handler({ title }, { workspace }) {
    await writeFile(join(workspace?.path ?? ".", "page.md"), `# ${title}`);
    return ToolResult.error("The site is closed for the night");
  },
});

const template = new PromptTemplate({
  ns: "demo",
  key: "internal-tool",
  policies: [sequentialDependency({ publish: ["search"] })],
  sections: [
    new MarkdownSection({
      title: "Task",
      key: "task",
      template: "Use the search tool for the query: ${query}. Publish what you find, and summarise.",
      tools: [search, publish],
    }),
  ],
});

const session = new PromptSession();
await using workspace = await Workspace.open(agent.cwd, { home: agent.home });
const adapter = new ClaudeAgentSDKAdapter({ engine: agent.engine, workspace });
const response = await adapter.evaluate(new Prompt(template).bind({ query: "skein" }), { session });

strictEqual(response.text, "The index says: The site is closed for the night");
const calls = session.slice(eventLog).all.flatMap((event) => (event.type === "tool-invoked" ? [event] : []));
for (const { name, success, isDenied, output } of calls) {
  console.log(`${name} ${isDenied ? "denied" : success ? "ok" : "failed"}: ${String(output)}`);
}
deepStrictEqual(
  calls.map(({ name, success, isDenied = false }) => [name, success, isDenied]),
  [
    ["publish", false, true],
    ["search", false, false],
    ["search", true, false],
    ["publish", false, false],
  ],
);
match(String(calls[1]?.output), /limit is not known; it takes query/u);
strictEqual(calls[2]?.output, "Found 3 matches");
deepStrictEqual(await response.transition?.filesChanged(), []);
