import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AsyncQueue } from "../async-queue.ts";
import { SkeinError } from "../errors.ts";
import { createId } from "../ids.ts";
import { splitJsonl } from "../jsonl.ts";
import { identify } from "../process-identity.ts";
import type { ControlRequest } from "./control.ts";
import { createEventSender, type EventSender } from "./event-sender.ts";
import { SenderLine } from "./sender-line.ts";
import { monitorFolder, serverFilePath } from "./server-file.ts";

let home: string;
let server: Server;
let sender: EventSender;
let now = 0;
const sockets = new AsyncQueue<Socket>();
const open: Socket[] = [];

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "skein-control-"));
  mkdirSync(monitorFolder(home), { recursive: true });
  now = 0;
  const socket = join(monitorFolder(home), "events.sock");
  server = createServer((connection) => {
    connection.on("error", () => {});
    open.push(connection);
    void sockets.push(connection);
  }).listen(socket);
  await once(server, "listening");
  const told = { version: 1, process: await identify(process.pid), url: "http://127.0.0.1:1", socket };
  writeFileSync(serverFilePath(home), JSON.stringify({ ...told, startedAt: "2026-11-15T06:00:00.000Z" }));
  sender = createEventSender(home, { now: () => now, sleep: () => Promise.resolve() });
});

afterEach(() => {
  sender.close();
  for (const each of open.splice(0)) each.destroy();
  server.close();
  rmSync(home, { recursive: true, force: true });
});

/** The server's end of the line: what it was told so far, one line at a time. */
async function connected(): Promise<{ say(line: unknown): void; heard(): Promise<SenderLine> }> {
  const { value } = await sockets.next();
  const socket = value as Socket;
  const lines = splitJsonl(socket);
  const heard = async (): Promise<SenderLine> =>
    SenderLine.parse(JSON.parse(((await lines.next()).value as { bytes: Buffer }).bytes.toString()));
  expect(await heard()).toMatchObject({ type: "hello" });
  return { heard, say: (line) => socket.write(typeof line === "string" ? line : `${JSON.stringify(line)}\n`) };
}

describe("the line from a server back to a process", () => {
  it("has the run or question that is named do what is asked, and says when that is done, or why not", async () => {
    const done: ControlRequest[] = [];
    const [run, question, other] = [createId(), createId(), createId()];
    sender.control(run, (request) => void done.push(request));
    sender.control(question, () => Promise.reject(new SkeinError("Too late", { kind: "conflict", target: question })));
    sender.written(run, 1);
    const { say, heard } = await connected();
    say({ type: "interrupt", id: 1, by: "alice", target: run });
    expect(await heard()).toEqual({ type: "reply", id: 1 });
    say({ type: "answer", id: 2, by: "alice", target: question, answer: { decision: "allow" } });
    expect(await heard()).toMatchObject({ type: "reply", id: 2, error: { kind: "conflict", message: "Too late" } });
    say({ type: "interrupt", id: 3, by: "alice", target: other });
    expect(await heard()).toMatchObject({ type: "reply", id: 3, error: { kind: "conflict", target: other } });
    expect(done).toEqual([{ type: "interrupt", id: 1, by: "alice", target: run }]);
  });

  it("passes over what it does not know, and is cut off by a line without an end", async () => {
    const run = createId();
    const done: string[] = [];
    sender.control(run, ({ type }) => void done.push(type));
    sender.written(run, 1);
    const { say, heard } = await connected();
    for (const junk of ["\0\n", "{}\n", "[]\n", "null\n", `${"{".repeat(1000)}\n`]) say(junk);
    say({ type: "interrupt", id: 1, by: "", target: run });
    say({ type: "interrupt", id: 1, by: "eve\nx", target: run });
    say({ type: "interrupt", id: 1, by: "eve", target: "../../etc" });
    say({ type: "bypass", id: 1, by: "eve", target: run });
    say({ type: "set-model", id: 2, by: "eve", target: run, model: "opus" });
    expect(await heard()).toEqual({ type: "reply", id: 2 });
    expect(done).toEqual(["set-model"]);
    const [socket] = open as [Socket];
    // It may end with an error of its own: what was on its way is lost.
    const closed = new Promise((resolve) => socket.on("close", resolve));
    say("x".repeat(2 * 1024 ** 2));
    await closed;
    expect(sender.isConnected).toBe(false);
  });

  it("is found by itself while something can be asked, though nothing happens", async () => {
    const control = sender.control(createId(), () => {});
    now = 1000;
    await connected();
    control[Symbol.dispose]();
  });

  it("is not taken where another user may have put it", async () => {
    chmodSync(monitorFolder(home), 0o777);
    sender.written(createId(), 1);
    now = 1000;
    chmodSync(monitorFolder(home), 0o770);
    sender.written(createId(), 1);
    await new Promise((resolve) => server.getConnections((_, count) => resolve(expect(count).toBe(0))));
    chmodSync(monitorFolder(home), 0o700);
    now = 2000;
    const own = sender.control(createId(), () => {});
    await connected();
    own[Symbol.dispose]();
  });
});
