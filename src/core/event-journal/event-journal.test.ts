import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AsyncQueue } from "../async-queue.ts";
import { createId } from "../ids.ts";
import { splitJsonl } from "../jsonl.ts";
import { identify } from "../process-identity.ts";
import { openEventJournal } from "./event-journal.ts";
import { createEventSender } from "./event-sender.ts";
import { RunStart, type RunAbout } from "./run-record.ts";
import { SenderLine } from "./sender-line.ts";
import { monitorFolder, serverFilePath } from "./server-file.ts";
import { sweepJournals } from "./sweep-journals.ts";

const timestamp = "2026-11-15T06:00:00.000Z";
const clock = { now: () => Date.parse(timestamp), sleep: () => Promise.resolve() };

let home: string;
let run: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "skein-events-"));
  run = createId();
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

const about = (id: string = run): RunAbout => ({
  run: id,
  kind: "turn",
  workspace: "/w",
  directory: "/w",
  prompt: "Go",
});
const path = (id: string = run): string => join(home, "events", `${id}.jsonl`);
const lines = (id: string = run): readonly object[] =>
  readFileSync(path(id), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as object);

describe("the event journal", () => {
  it("holds a run's events in order, a line each, between its start and its end, for its owner alone", async () => {
    const journal = await openEventJournal(home, about(), { clock });
    journal.add({ type: "text", timestamp, text: "One\nTwo", raw: { large: true } } as never);
    journal.add({ type: "text-delta", timestamp, text: "One" } as never);
    expect(lines()).toHaveLength(2);
    journal[Symbol.dispose]();
    const owner = await identify(process.pid);
    expect(lines()).toEqual([
      { type: "run-start", version: 1, timestamp, process: owner, ...about() },
      { type: "text", timestamp, text: "One\nTwo" },
      { type: "run-end", timestamp, left: 0 },
    ]);
    expect(RunStart.safeParse(lines()[0]).success).toBe(true);
    expect(statSync(path()).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, "events")).mode & 0o777).toBe(0o700);
  });

  it("cuts what makes a line too long, and says so", async () => {
    const journal = await openEventJournal(home, about(), { clock });
    journal.add({ type: "tool-end", timestamp, output: "x".repeat(1_000_000), tool: "Bash" } as never);
    journal.add({
      type: "tool-end",
      timestamp,
      output: Array.from({ length: 99_999 }, () => "part"),
      tool: "Bash",
    } as never);
    const [, long, many] = lines();
    expect(long).toEqual({
      type: "tool-end",
      timestamp,
      output: `${"x".repeat(4096)}… (995904 more characters)`,
      tool: "Bash",
    });
    expect(many).toEqual({ type: "tool-end", timestamp, tool: "Bash", leftOut: ["output"] });
    journal[Symbol.dispose]();
  });

  it("leaves events out when it is full, but not how the run ended", async () => {
    const journal = await openEventJournal(home, about(), { clock, mostBytes: 1 });
    for (const type of ["text", "tool-start", "turn-end", "state-recorded"]) journal.add({ type, timestamp });
    journal[Symbol.dispose]();
    expect(lines().slice(1)).toEqual([
      { type: "turn-end", timestamp },
      { type: "state-recorded", timestamp },
      { type: "run-end", timestamp, left: 2 },
    ]);
  });

  it("lets a run go on where it cannot be written", async () => {
    writeFileSync(join(home, "events"), "in the way");
    const journal = await openEventJournal(home, about(), { clock });
    journal.add({ type: "text", timestamp });
    journal[Symbol.dispose]();
    expect(readFileSync(join(home, "events"), "utf8")).toBe("in the way");
  });

  it("does not write into a file that is there", async () => {
    mkdirSync(join(home, "events"));
    writeFileSync(path(), "theirs\n");
    const journal = await openEventJournal(home, about(), { clock });
    journal.add({ type: "text", timestamp });
    journal[Symbol.dispose]();
    expect(readFileSync(path(), "utf8")).toBe("theirs\n");
  });

  it("removes the oldest journals where there are too many, but none of a run that goes on", async () => {
    const ids = Array.from({ length: 6 }, (_, index) => createId({ ...clock, now: () => index + 1 }));
    for (const [index, id] of ids.entries()) {
      const journal = await openEventJournal(home, about(id), { clock });
      if (index !== 1) journal[Symbol.dispose]();
    }
    await sweepJournals(join(home, "events"), 4);
    expect(readdirSync(join(home, "events"))).toEqual([1, 4, 5].map((index) => `${ids[index]}.jsonl`));
  });
});

describe("the event sender", () => {
  const heard = new AsyncQueue<SenderLine>();
  let server: Server;
  const sockets: Socket[] = [];

  async function listen(): Promise<void> {
    mkdirSync(monitorFolder(home), { recursive: true });
    const socket = join(monitorFolder(home), "events.sock");
    server = createServer((connection) => {
      sockets.push(connection);
      void (async () => {
        for await (const { bytes } of splitJsonl(connection))
          await heard.push(SenderLine.parse(JSON.parse(bytes.toString())));
      })().catch(() => undefined);
    }).listen(socket);
    await once(server, "listening");
    const own = {
      version: 1,
      process: await identify(process.pid),
      url: "http://127.0.0.1:1",
      socket,
      startedAt: timestamp,
    };
    writeFileSync(serverFilePath(home), JSON.stringify(own));
  }

  afterEach(() => {
    for (const each of sockets.splice(0)) each.destroy();
    server.close();
  });

  it("finds a monitor that begins after the run, and tells it what is written and what is not kept", async () => {
    let now = 0;
    const sender = createEventSender(home, { ...clock, now: () => now });
    const journal = await openEventJournal(home, about(), { clock, sender });
    await listen();
    journal.add({ type: "text", timestamp });
    now = 1000;
    journal.add({ type: "text", timestamp });
    const hello = await heard.next();
    expect(hello.value).toEqual({ type: "hello", version: 1, process: await identify(process.pid) });
    journal.add({ type: "text-delta", timestamp, text: "wor", raw: 1 } as never);
    journal.add({ type: "text", timestamp, text: "word" } as never);
    expect((await heard.next()).value).toEqual({
      type: "delta",
      run,
      line: 3,
      event: { type: "text-delta", timestamp, text: "wor" },
    });
    expect((await heard.next()).value).toEqual({ type: "written", run, line: 4 });
    journal[Symbol.dispose]();
    expect((await heard.next()).value).toEqual({ type: "written", run, line: 5 });
    sender.close();
  });

  it("drops what a monitor does not take, and loses nothing that is kept", async () => {
    await listen();
    let now = 0;
    const sender = createEventSender(home, { ...clock, now: () => now });
    const journal = await openEventJournal(home, about(), { clock, sender });
    await heard.next();
    for (const each of sockets) each.pause();
    now = 1000;
    const text = "x".repeat(10_000);
    for (let count = 0; count < 2000; count += 1) journal.add({ type: "text-delta", timestamp, text } as never);
    for (let count = 0; count < 10; count += 1) journal.add({ type: "text", timestamp });
    journal[Symbol.dispose]();
    expect(lines()).toHaveLength(12);
    sender.close();
  });
});
