// An assistant whose tools reach a few hosts and no others. Here both are on the loopback, so that it runs without a network.
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { defineScenario } from "skein/offline";
import {
  ClaudeAgentSDKAdapter,
  InProcessDispatcher,
  MarkdownSection,
  Prompt,
  PromptTemplate,
  PromptSession,
  type ToolInvoked,
} from "skein/prompt";
import { startOfflineAgent } from "skein/testing";
import { IsolationConfig, NetworkPolicy, SandboxConfig } from "skein/isolation";

const docs = await serve("Use pathlib.");
const other = await serve("Something else.");

// What the model does: it fetches a page from each host. The proxy is asked even for the loopback, which it would not be by default.
const scenario = defineScenario({
  name: "docs",
  rules: [
    {
      when: { prompt: "How do I join paths" },
      steps: ({ results }) => [
        { call: { tool: "Bash", input: fetchFrom(`http://localhost:${docs.port}/`) } },
        { call: { tool: "Bash", input: fetchFrom(`http://127.0.0.1:${other.port}/`) } },
        { say: () => results[0]?.text ?? "" },
      ],
    },
  ],
});
await using offline = await startOfflineAgent(scenario);

const calls: ToolInvoked[] = [];
const dispatcher = new InProcessDispatcher();
dispatcher.subscribe("tool-invoked", (event) => void calls.push(event));
const session = new PromptSession({ dispatcher });
const adapter = new ClaudeAgentSDKAdapter({
  engine: offline.engine,
  permissionMode: "bypassPermissions",
  isolation: IsolationConfig({
    networkPolicy: NetworkPolicy.withDomains("localhost"),
    sandbox: SandboxConfig({ enabled: true }),
  }),
});
const template = new PromptTemplate({
  ns: "demo",
  key: "docs",
  sections: [new MarkdownSection({ title: "Question", key: "question", template: "How do I join paths in Python?" })],
});

const response = await adapter.evaluate(new Prompt(template), { session });
console.log(response.text);

assert.equal(response.text, "Use pathlib.");
assert.deepEqual([docs.visits(), other.visits()], [1, 0]);
assert.deepEqual(
  calls.map(({ name, success }) => [name, success]),
  [
    ["Bash", true],
    ["Bash", false],
  ],
);

docs.server.close();
other.server.close();

function fetchFrom(url: string): { readonly command: string; readonly description: string } {
  return { command: `curl -sf -m 5 --noproxy '' ${url}`, description: "Fetch a page" };
}

async function serve(text: string): Promise<{ readonly server: Server; readonly port: number; visits(): number }> {
  let visits = 0;
  const server = createServer((_, reply) => {
    visits += 1;
    reply.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, port: (server.address() as AddressInfo).port, visits: () => visits };
}
