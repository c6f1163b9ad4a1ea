// Drives Skein from another program: `skein rpc` on a pipe, a line of JSON each way. Runs an agent and shows its events while
// other requests are answered, cancels one by its id, and handles every failure with one function.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly data: { readonly kind: string; readonly hint: string | null } };
}

interface Told {
  readonly method: "event";
  readonly params: { readonly id: number; readonly event: { readonly type: string } };
}

const folder = await mkdtemp(join(tmpdir(), "skein-example-"));
const [cwd, home] = [join(folder, "app"), join(folder, "home")];
await mkdir(cwd);
const main = fileURLToPath(new URL("dist/cli/main.js", import.meta.resolve("skein/package.json")));
const skein = spawn(process.execPath, [main, "rpc"], {
  cwd,
  env: { ...process.env, SKEIN_HOME: home },
  stdio: ["pipe", "pipe", "inherit"],
});
const waiting = new Map<number, (answer: Answer) => void>();
const told = new EventEmitter();
const events: string[] = [];
createInterface({ input: skein.stdout }).on("line", (line) => {
  const message = JSON.parse(line) as Answer | Told;
  if (!("method" in message)) return waiting.get(message.id)?.(message);
  const { id, event } = message.params;
  events.push(event.type);
  told.emit(`${event.type} of ${id}`);
});

let lastId = 0;
function send(method: string, params: object): { readonly id: number; readonly answer: Promise<Answer> } {
  const id = ++lastId;
  const answer = new Promise<Answer>((resolve) => waiting.set(id, resolve));
  skein.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  return { id, answer };
}

/** The one place that knows what to do when something fails: branch on the kind, show the hint. */
async function outcomeOf({ answer }: { readonly answer: Promise<Answer> }): Promise<string> {
  const { error } = await answer;
  return error ? `failed: ${error.data.kind} (${error.code})` : "done";
}

const turn = send("run", { prompt: "Build a TODO app", offline: "todo" });
const checkpoint = send("show", { state: "no-such-checkpoint" });
assert.equal(await outcomeOf(checkpoint), "failed: state_not_found (-32000)");
assert.equal(await outcomeOf(turn), "done");
assert.ok(events.includes("tool-start") && events.at(-1) === "state-recorded");
console.log(`The turn told ${events.length} events`);

const { result } = await send("log", { limit: 1 }).answer;
assert.equal((result as { readonly totals: { readonly turns: number } }).totals.turns, 1);
assert.equal(await outcomeOf(send("log", { limt: 1 })), "failed: usage (-32602)");

// A server runs until its request is cancelled; what it then gives is its result.
const server = send("offline serve", {});
await once(told, `listening of ${server.id}`);
skein.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "$/cancelRequest", params: { id: server.id } })}\n`);
assert.equal(await outcomeOf(server), "done");

skein.stdin.end();
const [code] = (await once(skein, "close")) as [number];
assert.equal(code, 0);
await rm(folder, { recursive: true, force: true });
