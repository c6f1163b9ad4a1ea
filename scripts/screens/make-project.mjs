// Makes what the screens show: a project with recorded turns, a wide search, and sessions of Claude Code's own. Nothing of it varies but ids.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createEngine } from "skein/engine";
import { addNote, Conversation } from "skein/trace";
import { Workspace } from "skein/workspace";
import { writeSessions } from "./write-sessions.mjs";

const MINUTE = 60_000;
const clock = { now: () => now, sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)) };
let now = Date.UTC(2036, 5, 2, 7, 30);
/** What the engine does at each prompt. */
const told = new Map();
let turns = 0;

const [root] = process.argv.slice(2);
const app = join(root, "app");
write(app, {
  "index.html": "<h1>Shop</h1>\n<p>Welcome</p>\n",
  "src/cart.ts":
    "export const cart: string[] = [];\n\nexport function add(item: string): void {\n  cart.push(item);\n}\n",
  "src/price.ts": "export const price = (cents: number): string => `$${cents / 100}`;\n",
});
writeSessions(join(root, "home", ".claude", "projects"));

const workspace = await Workspace.open(app, { home: join(root, "data"), clock });
const conversation = await Conversation.start(workspace, { engine: createEngine(play) });
await turn(conversation, {
  prompt: "Add a form to the start page, by which people sign in with their e-mail address and a password",
  files: { "src/login.ts": "export function login(): void {}\n", "index.html": "<h1>Shop</h1>\n<form></form>\n" },
  tools: ["Read", "Read", "Edit", "Write", "Bash"],
  costUsd: 0.0421,
  seconds: 12.4,
  text: "The form is on the start page. It checks the address before it asks the server, and says what is wrong beside the field.",
});
await turn(conversation, {
  prompt: "日本語のREADMEを書いて 🎉",
  files: { "README.md": "# お店\n" },
  tools: ["Write"],
  costUsd: 0.0103,
  seconds: 3.1,
  text: "READMEを書きました。",
});
await workspace.states.setCheckpoint("before-search", (await workspace.states.head()).stateId, {});
const start = conversation.tip.id;

const REWARDS = [0.42, 0.81, 0.35, 0.2, 0.66, 0.1, 0.3, 0.25, 0.15];
for (const [place, reward] of REWARDS.entries()) await tryWay(place, reward);
await turn(conversation, {
  prompt: "Delete the price list",
  files: {},
  tools: ["Bash"],
  costUsd: 0.004,
  seconds: 2,
  fails: true,
});
write(app, {
  "src/price.ts": "export const price = (cents) => `${cents / 100} EUR`;\n",
  "notes.txt": "by hand\n",
});
await conversation.close();
await workspace.close();

/** A branch of the search; one of them goes on. */
async function tryWay(place, reward) {
  const branch = await workspace.branch(start);
  const fork = await conversation.fork(start, { workspace: branch });
  await turn(fork, {
    prompt: `Make the cart keep what is in it, in way ${place + 1}`,
    files: { "src/cart.ts": `export const cart = new Map<string, number>();\n// ${place}\n` },
    tools: ["Read", "Edit", "Bash"],
    costUsd: 0.01 + place / 1000,
    seconds: 4 + place,
    failedTools: place % 2,
    text: "It keeps them.",
  });
  await addNote(branch, fork.tip.id, { rewards: { reward, tests: reward / 2 } });
  if (place === 1) {
    await turn(fork, {
      prompt: "Now write a test for it",
      files: { "test/cart.test.ts": 'import { cart } from "../src/cart.ts";\n' },
      tools: ["Write", "Bash"],
      costUsd: 1.25,
      seconds: 95,
      text: "The test passes.",
    });
    await addNote(branch, fork.tip.id, { rewards: { reward: 0.9, tests: 1 } });
  }
  if (place === 1 || place === 4) await workspace.states.setCheckpoint(`way-${place + 1}`, fork.tip.id, {});
  await fork.close();
  await branch.close();
}

async function turn(held, { prompt, ...wanted }) {
  now += 7 * MINUTE;
  told.set(prompt, wanted);
  await held.send(prompt);
}

/** An engine that does what it is told of a prompt, and tells the same figures each time. */
async function* play({ text: prompt }, { cwd, resume, sessionStore }) {
  const { files, tools, costUsd, seconds, failedTools = 0, fails = false, text = "" } = told.get(prompt);
  const base = { timestamp: new Date(now).toISOString(), sessionId: resume ?? "5b3c0000-0000-4000-8000-000000000001" };
  const model = "claude-sonnet-4-5-20250929";
  yield { ...base, type: "turn-start", model, cwd, tools: [], permissionMode: "default" };
  write(cwd, files);
  const paths = Object.keys(files);
  for (const [index, tool] of tools.entries()) {
    const call = { ...base, toolUseId: `call-${index}`, tool };
    const path = join(cwd, paths[index % paths.length] ?? "src/price.ts");
    yield {
      ...call,
      type: "tool-start",
      input: tool === "Bash" ? { command: "npm test -- --run" } : { file_path: path },
    };
    const isError = index < failedTools;
    yield {
      ...call,
      type: "tool-end",
      output: isError ? "no such file" : "ok",
      isError,
      isDenied: false,
      durationMs: 100 + index * 700,
    };
  }
  const usage = { inputTokens: 1200, outputTokens: 340, cacheReadTokens: 15_000, cacheWriteTokens: 2000 };
  const error = fails
    ? {
        name: "SkeinError",
        kind: "overloaded",
        message: "The API was overloaded (529) ten times in a row",
        retryable: true,
      }
    : undefined;
  if (error) yield { ...base, type: "error", error };
  else yield { ...base, type: "text", text };
  await sessionStore.append(
    { projectKey: "app", sessionId: base.sessionId },
    recordsOf({ prompt, cwd, text, usage, model, ...base }),
  );
  const result = {
    text,
    sessionId: base.sessionId,
    isError: fails,
    ...(error ? { error } : {}),
    usage,
    usageByModel: { [model]: { ...usage, costUsd } },
    costUsd,
    durationMs: seconds * 1000,
    responses: tools.length + 1,
    model,
    permissionDenials: [],
  };
  yield { ...base, type: "turn-end", result };
  return result;
}

/** What Claude Code would have written of the turn. */
function recordsOf({ prompt, cwd, text, usage, model, sessionId, timestamp }) {
  turns += 1;
  const id = `${turns}`.padStart(12, "0");
  const common = { sessionId, timestamp, isSidechain: false, version: "2.1.300", cwd };
  const [asked, answered] = ["0", "1"].map((kind) => `0000000${kind}-0000-4000-8000-${id}`);
  const tokens = {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_read_input_tokens: usage.cacheReadTokens,
    cache_creation_input_tokens: usage.cacheWriteTokens,
  };
  const message = { id: `msg_${id}`, role: "assistant", model, content: [{ type: "text", text }], usage: tokens };
  return [
    { ...common, type: "user", uuid: asked, parentUuid: null, message: { role: "user", content: prompt } },
    {
      ...common,
      type: "assistant",
      uuid: answered,
      parentUuid: asked,
      message: { ...message, stop_reason: "end_turn" },
    },
  ];
}

function write(folder, files) {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}
