import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WebSocketServer } from "ws";
import { listenTo, type Listener } from "../../../test/support/monitor-client.ts";
import { beginSummary } from "../runs/run-data.ts";
import { createEventStream, type EventStream } from "./event-stream.ts";
import { SERVER_MESSAGES } from "./messages.ts";
import { createReplayBuffer } from "./replay-buffer.ts";

const timestamp = "2026-11-19T06:00:00.000Z";
const run = beginSummary({
  type: "run-start",
  version: 1,
  timestamp,
  process: { pid: 1, startTime: "" },
  run: "019a9a2e-0000-7000-8000-000000000001",
  kind: "turn",
  workspace: "/w",
  directory: "/w",
});
const other = { ...run, run: "019a9a2e-0000-7000-8000-000000000002", workspace: "/other" };
const event = (type = "text"): { readonly type: string; readonly timestamp: string } => ({ type, timestamp });

let server: Server;
let url: string;
let stream: EventStream;
const listening: Listener[] = [];

beforeEach(async () => {
  const runs = { known: () => [run], events: async () => [], read: async () => undefined };
  stream = createEventStream(() => runs, createReplayBuffer(10));
  const sockets = new WebSocketServer({ noServer: true });
  server = createServer().listen(0, "127.0.0.1");
  server.on("upgrade", (request, socket, head) => {
    const query = new URL(request.url ?? "", "http://x").searchParams;
    const how = { topics: (query.get("subscribe") ?? "").split(","), after: query.get("after") ?? undefined };
    sockets.handleUpgrade(request, socket, head, (client) => stream.join({ socket: client, connection: socket }, how));
  });
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as { readonly port: number }).port}`;
});

afterEach(() => {
  for (const listener of listening.splice(0)) listener[Symbol.dispose]();
  server.close();
});

async function listen(query: string): Promise<Listener> {
  const listener = await listenTo(url, { token: "", query });
  listening.push(listener);
  return listener;
}

/** What somebody was told up to now: the answer to a ping comes after it. */
async function told(listener: Listener): Promise<readonly Record<string, unknown>[]> {
  const { length } = listener.messages;
  listener.say({ type: "ping" });
  await listener.until((messages) => messages.slice(length).some(({ type }) => type === "pong"));
  return listener.messages.filter(({ type }) => type !== "pong");
}

const seqs = (messages: readonly Record<string, unknown>[]): readonly unknown[] =>
  messages.filter(({ type }) => type === "event").map(({ seq }) => seq);

describe("the stream", () => {
  it("begins with what is known, and tells each topic what is of it, with numbers that have no gap", async () => {
    const [all, one, ours, runs, pieces] = await Promise.all([
      listen("?subscribe=events"),
      listen(`?subscribe=run:${run.run}`),
      listen("?subscribe=workspace:/w"),
      listen("?subscribe=runs"),
      listen("?subscribe=deltas"),
    ]);
    stream.event(run, 1, event("run-start"));
    stream.event(other, 1, event("text"));
    stream.delta(run, 1, event("text-delta"));
    const types = async (listener: Listener): Promise<unknown> =>
      (await told(listener)).map(({ type, seq }) => `${String(type)} ${String(seq)}`);
    expect(await types(all)).toEqual(["hello 0", "snapshot 0", "event 1", "event 3"]);
    expect(await types(one)).toEqual(["hello 0", "snapshot 0", "event 1", "run 2", "delta undefined"]);
    expect(await types(ours)).toEqual(["hello 0", "snapshot 0", "event 1", "run 2", "delta undefined"]);
    expect(await types(runs)).toEqual(["hello 0", "snapshot 0", "run 2"]);
    expect(await types(pieces)).toEqual(["hello 0", "snapshot 0", "delta undefined"]);
    const schemas = new Map(SERVER_MESSAGES.map((schema) => [schema.shape.type.value as string, schema]));
    for (const message of [...all.messages, ...one.messages]) schemas.get(message.type as string)?.parse(message);
  });

  it("goes on after the last message that somebody has", async () => {
    const first = await listen("?subscribe=events");
    for (let line = 1; line <= 3; line += 1) stream.event(run, line, event());
    const [hello] = await told(first);
    first[Symbol.dispose]();
    for (let line = 4; line <= 6; line += 1) stream.event(run, line, event());
    const again = await listen(`?subscribe=events&after=${String(hello?.["epoch"])}:2`);
    stream.event(run, 7, event());
    expect(seqs(await told(again))).toEqual([3, 4, 5, 6, 7]);
    expect(again.messages.some(({ type }) => type === "snapshot")).toBe(false);
  });

  it("has somebody start over who was away too long, or before the server was started, or ahead of it", async () => {
    const first = await listen("?subscribe=events");
    for (let line = 1; line <= 20; line += 1) stream.event(run, line, event());
    const [hello] = await told(first);
    const epoch = String(hello?.["epoch"]);
    for (const [after, reason] of [
      [`${epoch}:9`, "too-old"],
      [`${epoch}:21`, "too-old"],
      [`${epoch}:x`, "too-old"],
      ["abc:20", "restarted"],
      ["nonsense", "restarted"],
    ] as const) {
      const again = await listen(`?subscribe=events&after=${after}`);
      const [, snapshot, ...rest] = await told(again);
      expect([after, snapshot?.["type"], snapshot?.["reason"], rest]).toEqual([after, "snapshot", reason, []]);
      expect(snapshot?.["runs"]).toMatchObject([{ run: run.run, state: "running" }]);
    }
    expect(seqs(await told(await listen(`?subscribe=events&after=${epoch}:10`)))).toEqual([
      11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
    ]);
  });

  it("changes what somebody is told when they ask for it", async () => {
    const listener = await listen("?subscribe=runs");
    listener.say({ type: "subscribe", topics: ["events"] });
    await told(listener);
    stream.event(run, 1, event());
    expect(seqs(await told(listener))).toEqual([1]);
  });

  it("drops pieces, and never results, for somebody who is slow; who reads nothing is cut loose, and hurts nobody", async () => {
    const [slow, quick] = [await listen("?subscribe=events,deltas"), await listen("?subscribe=events,deltas")];
    await Promise.all([told(slow), told(quick)]);
    slow.socket.pause();
    const text = "x".repeat(60_000);
    const sent = 100;
    for (let line = 1; line <= sent; line += 1) {
      stream.delta(run, line, { ...event("text-delta"), text });
      stream.event(run, line, { ...event(), text });
      await quick.until((messages) => messages.filter(({ type }) => type === "event").length === line);
    }
    slow.socket.resume();
    const late = await told(slow);
    expect(seqs(late)).toEqual(seqs(await told(quick)));
    expect(late.filter(({ type }) => type === "delta").length).toBeLessThan(sent);
    slow.socket.pause();
    for (let line = sent; stream.clients === 2 && line < 3000; line += 1) {
      stream.event(run, line, { ...event(), text });
      const { seq } = stream;
      await quick.until((messages) => messages.at(-1)?.seq === seq);
    }
    expect(stream.clients).toBe(1);
  });
});
