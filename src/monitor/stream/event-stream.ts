import { randomBytes } from "node:crypto";
import { toWire } from "../../protocol/index.ts";
import { toAlertData, type Alert } from "../alerts/alert-data.ts";
import { toQuestionData } from "../runs/question-data.ts";
import { openQuestions, toRunData, type RunSummary } from "../runs/run-data.ts";
import type { RunListener } from "../runs/followed-run.ts";
import type { Runs } from "../runs/runs.ts";
import { answerClient, eventMessage } from "./answer-client.ts";
import { openClient, sendMessage, type Connected, type StreamClient } from "./client.ts";
import type { ClientMessage, ServerMessage } from "./messages.ts";
import { questionMessages } from "./question-messages.ts";
import { createReplayBuffer, type ReplayBuffer } from "./replay-buffer.ts";

/** What happens in all runs, handed on to everybody who listens. */
export interface EventStream extends RunListener {
  /** Tells of an alert that fired or is over. */
  alert(alert: Alert): void;
  /** Takes a client in: it goes on after what it has, or is told where to start. */
  join(connected: Connected, how: { readonly topics: readonly string[]; readonly after?: string | undefined }): void;
  readonly clients: number;
  readonly seq: number;
}

export function createEventStream(
  runs: () => Pick<Runs, "known" | "events" | "read">,
  buffer: ReplayBuffer = createReplayBuffer(),
): EventStream {
  const epoch = randomBytes(6).toString("hex");
  const clients = new Set<StreamClient>();
  let seq = 0;

  function publish(topics: readonly string[], make: (seq: number) => ServerMessage): void {
    seq += 1;
    const text = JSON.stringify(make(seq));
    buffer.add({ seq, text, topics });
    for (const client of clients) if (wants(client, topics)) client.send(text);
  }

  /** Tells what an event of this type has changed of what is known of a run. */
  function tellChange(run: RunSummary, type: string): void {
    for (const make of questionMessages(run, type)) publish(["questions", ...topicsOf(run)], make);
    if (type !== "run-start" && type !== "run-end") return;
    publish(["runs", ...topicsOf(run)], (number) => ({ type: "run", seq: number, run: toRunData(run) }));
  }

  function welcome(client: StreamClient, after: string | undefined): void {
    sendMessage(client, { type: "hello", version: 1, epoch, seq, topics: [...client.topics] });
    const [name, number = ""] = after?.split(":") ?? [];
    const missed = name === epoch && /^\d{1,15}$/u.test(number) ? buffer.after(Number(number)) : undefined;
    for (const { text, topics } of missed ?? []) if (wants(client, topics)) client.send(text);
    if (missed) return;
    const reason = after === undefined ? "new" : name === epoch ? "too-old" : "restarted";
    sendMessage(client, { type: "snapshot", reason, seq, ...snapshotOf(runs().known()) });
  }

  return {
    event(run, line, event) {
      publish(["events", ...topicsOf(run)], (number) => eventMessage({ run, line, event, seq: number }));
      tellChange(run, event.type);
    },
    delta: (run, line, event) => offer([...clients], ["deltas", ...topicsOf(run)], () => deltaText(run, line, event)),
    cutOff: (run) => tellChange(run, "run-end"),
    alert: (alert) => publish(["alerts"], (number) => ({ type: "alert", seq: number, alert: toAlertData(alert) })),
    join(connected, { topics, after }) {
      const answer = async (message: ClientMessage) => await answerClient(message, client, { runs: runs(), seq });
      const client = openClient(connected, answer);
      client.topics = new Set(topics);
      connected.socket.on("close", () => clients.delete(client));
      // Nothing can happen in between: what is sent now and what comes later have no gap.
      welcome(client, after);
      clients.add(client);
    },
    get clients() {
      return clients.size;
    },
    get seq() {
      return seq;
    },
  };
}

/** What nobody listens to is not written. */
function offer(clients: readonly StreamClient[], topics: readonly string[], make: () => string): void {
  const listening = clients.filter((client) => wants(client, topics));
  const text = listening.length === 0 ? "" : make();
  for (const client of listening) client.offer(text);
}

function deltaText({ run, workspace }: RunSummary, line: number, event: object): string {
  return JSON.stringify({ type: "delta", run, line, workspace, event: toWire(event) });
}

function topicsOf({ run, kind, workspace }: RunSummary): readonly string[] {
  return [`run:${run}`, `workspace:${workspace}`, ...(kind === "program" ? ["programs"] : [])];
}

function wants({ topics }: StreamClient, offered: readonly string[]): boolean {
  return offered.some((topic) => topics.has(topic));
}

type Snapshot = Extract<ServerMessage, { readonly type: "snapshot" }>;

const MOST_RUNS = 200;

/** The runs that go on and the last of the others, and what people are asked in them. */
function snapshotOf(known: readonly RunSummary[]): Pick<Snapshot, "runs" | "questions"> {
  const newest = known.toSorted((left, right) => (left.run < right.run ? 1 : -1));
  const going = newest.filter(({ hasEnded, isCutOff }) => !hasEnded && !isCutOff);
  const over = newest.filter((run) => !going.includes(run)).slice(0, MOST_RUNS);
  const questions = going.flatMap(openQuestions).map(toQuestionData);
  return { runs: [...going, ...over].map(toRunData), questions };
}
