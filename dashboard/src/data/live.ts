import { QueryClient } from "@tanstack/react-query";
import type { AlertData, QuestionData, RunData, ServerMessage } from "../../../src/monitor/api-types.ts";
import { ApiError } from "./ask.ts";
import { createStream, type Connection } from "./stream.ts";

/** What is known of this moment: it changes as the server tells of it, never by asking. */
export interface Live {
  readonly connection: Connection;
  /** The runs that go on and the last that did, by id. */
  readonly runs: ReadonlyMap<string, RunData>;
  /** What people are asked, by id, the oldest first. */
  readonly questions: ReadonlyMap<string, QuestionData>;
  /** Alerts that hold, by id. */
  readonly alerts: ReadonlyMap<string, AlertData>;
}

/** Everything that was read from the server, by what it was asked. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // The stream says what changed; what it cannot know of is looked at again when a person comes back.
      staleTime: 30_000,
      retry: (failures, error) => failures < 2 && error instanceof ApiError && error.status === 0,
    },
  },
});

export const stream = createStream(`${location.origin.replace(/^http/u, "ws")}/api/stream`, [
  "runs",
  "questions",
  "alerts",
]);

const listeners = new Set<() => void>();
let live: Live = { connection: stream.connection(), runs: new Map(), questions: new Map(), alerts: new Map() };

export function readLive(): Live {
  return live;
}

export function subscribeLive(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

stream.onConnection(() => change({ connection: stream.connection() }));
stream.onMessage((message) => {
  change(toldBy(message));
  refresh(message);
});

function change(part: Partial<Live>): void {
  if (Object.keys(part).length === 0) return;
  live = { ...live, ...part };
  for (const listener of listeners) listener();
}

function toldBy(message: ServerMessage): Partial<Live> {
  switch (message.type) {
    case "snapshot":
      return { runs: byId(message.runs, "run"), questions: byId(message.questions, "question_id") };
    case "run":
      return { runs: new Map(live.runs).set(message.run.run, message.run) };
    case "question":
      return {
        questions: new Map(live.questions).set(message.question.question_id, message.question),
        ...doing(message.question.run, "waiting", message.question.asked_at),
      };
    case "question-closed": {
      const questions = without(live.questions, message.question_id);
      const isAskedMore = [...questions.values()].some(({ run }) => run === message.run);
      return { questions, ...(isAskedMore ? {} : doing(message.run, "working")) };
    }
    case "alert":
      return message.alert.cleared_at === null
        ? { alerts: new Map(live.alerts).set(message.alert.alert_id, message.alert) }
        : { alerts: without(live.alerts, message.alert.alert_id) };
    case "event":
      return live.runs.get(message.run)?.activity === "starting" ? doing(message.run, "working") : {};
    case "hello":
    case "delta":
    case "replayed":
    case "pong":
    case "error":
      return {};
  }
}

/** The server tells of a run as it begins and ends: what goes on in between follows from what else it tells. */
function doing(id: string, activity: RunData["activity"], since = new Date().toISOString()): Partial<Live> {
  const run = live.runs.get(id);
  if (run?.state !== "running" || run.activity === activity) return {};
  return { runs: new Map(live.runs).set(id, { ...run, activity, activity_since: since }) };
}

/** What a message makes old: lists, trees and sums are read again, at most once in a while. */
function refresh(message: ServerMessage): void {
  if (message.type === "snapshot" && message.reason !== "new") void queries.invalidateQueries();
  if (message.type === "run")
    refreshSoon(message.run.state === "running" ? ["runs", "teams"] : ["runs", "teams", "workspaces", "metrics"]);
  if (message.type === "alert") refreshSoon(["alerts"]);
}

const REFRESH_EVERY_MS = 800;

const waiting = new Set<string>();

function refreshSoon(names: readonly string[]): void {
  if (waiting.size === 0) window.setTimeout(refreshNow, REFRESH_EVERY_MS);
  for (const name of names) waiting.add(name);
}

function refreshNow(): void {
  const names = [...waiting];
  waiting.clear();
  for (const name of names) void queries.invalidateQueries({ queryKey: [name] });
}

function byId<Key extends string, Item extends Readonly<Record<Key, string>>>(
  items: readonly Item[],
  key: Key,
): ReadonlyMap<string, Item> {
  return new Map(items.map((item) => [item[key], item]));
}

function without<Item>(items: ReadonlyMap<string, Item>, id: string): ReadonlyMap<string, Item> {
  const left = new Map(items);
  left.delete(id);
  return left;
}
