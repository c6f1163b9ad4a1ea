// A host to be killed: it brings an agent into the state that its arguments name, says so, and stays there.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ClaudeEngine, ClaudeSDKClient, WarmPool } from "skein/engine";
import { offlineEnvironment } from "skein/offline";

const [state, cwd, url] = process.argv.slice(2);
const options = {
  cwd,
  model: "claude-sonnet-5-5",
  allowedTools: ["Bash"],
  memoryLimitMb: 4096,
  env: { ...offlineEnvironment(url), HOME: cwd, CLAUDE_CONFIG_DIR: join(cwd, ".claude") },
};
const client = new ClaudeSDKClient(options);

if (state === "spare") await new ClaudeEngine(options, { pool: new WarmPool({ size: 2 }) }).warm();
else await reach();
ready();
setInterval(() => undefined, 1000);

async function reach() {
  await client.ask("idle");
  await client.query(state);
  for await (const event of client.receiveResponse()) {
    if (state === "stall" && event.type === "status" && event.status === "requesting") ready();
    if (state === "tool" && event.type === "tool-start") await untilThere(join(cwd, "hanging"), ready);
  }
}

function ready() {
  process.stdout.write(`${JSON.stringify({ sessionId: client.sessionId })}\n`);
}

async function untilThere(path, then) {
  while (!existsSync(path)) await new Promise((resolve) => setImmediate(resolve));
  then();
}
