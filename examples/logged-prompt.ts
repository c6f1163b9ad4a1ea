// A typed prompt with two tools, isolated, whose turns a configured plugin writes to a log.
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { configureEngine, loadConfig } from "skein/config";
import { IsolationConfig } from "skein/isolation";
import {
  ClaudeAgentSDKAdapter,
  MarkdownSection,
  Prompt,
  PromptSession,
  PromptTemplate,
  tool,
  ToolResult,
} from "skein/prompt";
import { startOfflineAgent } from "skein/testing";
import { z } from "zod";

// What the model does, since this runs without one.
await using agent = await startOfflineAgent({
  name: "logged-prompt",
  rules: [
    {
      steps: [
        { call: { tool: "mcp__skein__stock", input: { item: "paper" } } },
        { call: { tool: "mcp__skein__order", input: { item: "paper", amount: 8 } } },
        { output: { item: "paper", ordered: 8 } },
      ],
    },
  ],
});

// The person's data folder has a configuration that names the plugin; `skein run` would load the same.
const home = await mkdtemp(join(tmpdir(), "skein-example-"));
const file = join(home, "turns.log");
await writeFile(
  join(home, "log.mjs"),
  `import { appendFile } from "node:fs/promises";

export function createPlugin({ file }) {
  return {
    name: "log",
    async onMessage(event) {
      if (event.type === "tool-end") await appendFile(file, \`\${event.tool} \${event.isError ? "failed" : "done"}\\n\`);
      return event;
    },
    async afterQuery(result) {
      await appendFile(file, \`turn \${result?.isError ? "failed" : "done"}\\n\`);
    },
  };
}
`,
);
const config = { plugins: [{ module: "./log.mjs", options: { file } }] };
await writeFile(join(home, "skein.config.json"), JSON.stringify(config));
const engine = await configureEngine(agent.engine, await loadConfig({ home, env: {} }));

const ordered: number[] = [];
const stock = tool({
  name: "stock",
  description: "How much of an item is left, and how much there should be",
  params: z.object({ item: z.string() }),
  handler: () => ToolResult.ok({ left: 2, wanted: 10, render: () => "2 of 10" }),
});
const order = tool({
  name: "order",
  description: "Order more of an item",
  params: z.object({ item: z.string(), amount: z.int().positive() }),
  handler({ item, amount }) {
    ordered.push(amount);
    return ToolResult.ok({ render: () => `Ordered ${amount} of ${item}` });
  },
});

const template = new PromptTemplate({
  ns: "office",
  key: "restock",
  output: z.object({ item: z.string(), ordered: z.int() }),
  sections: [
    new MarkdownSection({
      title: "Task",
      key: "task",
      template: "Order what is missing of ${item}.",
      tools: [stock, order],
    }),
  ],
});
const adapter = new ClaudeAgentSDKAdapter({ engine, cwd: agent.cwd, isolation: IsolationConfig() });
const { output } = await adapter.evaluate(new Prompt(template).bind({ item: "paper" }), {
  session: new PromptSession(),
});

deepStrictEqual(output, { item: "paper", ordered: 8 });
deepStrictEqual(ordered, [8]);
const log = await readFile(file, "utf8");
console.log(log);
strictEqual(
  log
    .split("\n")
    .filter((line) => !line.startsWith("StructuredOutput"))
    .join("\n"),
  "mcp__skein__stock done\nmcp__skein__order done\nturn done\n",
);
await rm(home, { recursive: true, force: true });
