// A host that meets everything that can go wrong with a turn, and then has nothing left to do: it has to end by itself.
import { ClaudeEngine, claudePrompt, ClaudeSDKClient, WarmPool } from "skein/engine";
import { ProcessManager } from "../../dist/engine/internal.js";
import { startOfflineAgent } from "skein/testing";

const agent = await startOfflineAgent(
  {
    name: "abuse",
    rules: [
      { when: { prompt: "^stall" }, steps: [{ fail: { type: "stall", afterEvents: 3 } }, { say: "never" }] },
      { when: { prompt: "^cut" }, steps: [{ fail: { type: "cut", afterEvents: 3 } }, { say: "never" }] },
      {
        when: { prompt: "^hang" },
        steps: [{ call: { tool: "Bash", input: { command: "tail -f /dev/null", description: "Hang" } } }],
      },
      { steps: [{ say: "hello" }] },
    ],
  },
  { allowedTools: ["Bash"], env: { CLAUDE_CODE_MAX_RETRIES: "0" } },
);
const processes = new ProcessManager();
const kinds = [];

async function note(prompt, options, onEvent) {
  const stream = new ClaudeEngine(agent.options, { processes }).stream(claudePrompt(prompt), options);
  for await (const event of stream) {
    if (event.type === "turn-end") kinds.push(event.result.error?.kind ?? "none");
    else await onEvent?.(event);
  }
}

await note("stall", { timeoutMs: 1500 });
// What the SDK registers once, when it is loaded.
const listeners = process.listenerCount("exit");
await note("stall", { idleTimeoutMs: 1500 });
await note("cut", {});
const controller = new AbortController();
await note("hang", { signal: controller.signal }, ({ type }) => type === "tool-start" && controller.abort());
await note("hang", {}, ({ type }) => type === "tool-start" && process.kill(processes.processes()[0].pid, "SIGKILL"));
for await (const { type } of new ClaudeEngine(agent.options).stream(claudePrompt("stall")))
  if (type === "turn-start") break;

const client = new ClaudeSDKClient(agent.options);
await client.ask("hello");
await client.disconnect();
const pool = new WarmPool();
await new ClaudeEngine(agent.options, { pool }).warm();
await pool.close();

await agent.close();
process.stdout.write(
  JSON.stringify({
    kinds,
    running: processes.processes().length,
    newListeners: process.listenerCount("exit") - listeners,
  }),
);
