// A host of a conversation, in a process of its own: it says what happens in lines of JSON, and can be told where to die.
import { join } from "node:path";
import { ClaudeEngine } from "skein/engine";
import { offlineEnvironment } from "skein/offline";
import { Conversation } from "skein/trace";
import { Workspace } from "skein/workspace";
import { createFileEngine } from "./file-engine.mjs";

const { directory, home, url, config, conversation, prompts, dieAt, dieIn, hangAt, isBranch } = JSON.parse(
  process.argv[2],
);
const opened = await Workspace.open(directory, { home });
const workspace = isBranch ? await opened.branch("@") : opened;
const env = { ...offlineEnvironment(url ?? ""), HOME: config, CLAUDE_CONFIG_DIR: join(config ?? "", ".claude") };
const options = { model: "claude-sonnet-5-5", permissionMode: "acceptEdits", allowedTools: ["Bash"], env };
const parts = { engine: url ? new ClaudeEngine(options) : createFileEngine() };
if (dieIn) dieInside(workspace, dieIn);

const talk = conversation
  ? await Conversation.load(workspace, conversation, parts)
  : await Conversation.start(workspace, parts);
for (const prompt of prompts) {
  for await (const event of talk.stream(prompt)) {
    say({
      event: event.type,
      directory: workspace.path,
      ...(event.type === "state-recorded" ? { stateId: event.stateId } : {}),
    });
    if (event.type === dieAt) die();
    if (event.type === hangAt) await new Promise(() => setInterval(() => {}, 1000));
  }
  const { execution, after } = talk.history().at(-1);
  say({ conversation: talk.id, stateId: after.stateId, response: execution.response, outcome: execution.outcome });
}
await talk.close();
await workspace.close();

/** Dies as soon as the store is asked to do this. */
function dieInside({ states }, name) {
  const method = states[name];
  let calls = 0;
  states[name] = (...args) => {
    calls += 1;
    // The first state of a turn is the one it begins with.
    if (name !== "write" || calls === 2) die();
    return method.apply(states, args);
  };
}

function die() {
  process.kill(process.pid, "SIGKILL");
}

function say(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
