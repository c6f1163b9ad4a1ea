import { isoTime } from "../../core/internal.ts";
import { toRunData, type RunSummary } from "../runs/run-data.ts";
import { toAlertData, type Alert, type AlertData } from "./alert-data.ts";
import type { WebhookSettings, WebhookTopic } from "./alert-settings.ts";

/** What somebody is told. The prompt, and what the agent wrote, is in none. */
export interface Notice {
  /** The same each time that it is delivered. */
  readonly id: string;
  readonly type: "alert-fired" | "alert-cleared" | Exclude<WebhookTopic, "alerts"> | "test";
  /** When it happened, ISO 8601. */
  readonly timestamp: string;
  /** All of it in words. */
  readonly text: string;
  readonly alert: AlertData | null;
  readonly run: object | null;
}

export function topicOf({ type }: Pick<Notice, "type">): WebhookTopic | undefined {
  if (type === "test") return undefined;
  return type === "alert-fired" || type === "alert-cleared" ? "alerts" : type;
}

/** What is told of an alert that fired, or is over. */
export function alertNotice(given: Alert): Notice {
  const { alertId: id, clearedAt, firedAt, message } = given;
  const alert = toAlertData(given);
  return clearedAt === undefined
    ? { id: `${id}.fired`, type: "alert-fired", timestamp: firedAt, text: `Alert: ${message}`, alert, run: null }
    : { id: `${id}.cleared`, type: "alert-cleared", timestamp: clearedAt, text: `Over: ${message}`, alert, run: null };
}

const WORDS: Readonly<Record<Exclude<WebhookTopic, "alerts">, string>> = {
  "session-started": "began",
  "session-completed": "is done",
  "session-failed": "failed",
};

/** What is told of a run that began or came to its end. */
export function runNotice(run: RunSummary, type: Exclude<WebhookTopic, "alerts">): Notice {
  const { prompt: _prompt, tool: _tool, ...told } = toRunData(run);
  const timestamp = type === "session-started" ? run.startedAt : run.updatedAt;
  const why = run.isCutOff ? "interrupted" : run.errorKind;
  const text = `The ${run.kind} ${run.run} in ${run.workspace} ${WORDS[type]}${type === "session-failed" && why ? `: ${why}` : ""}`;
  return { id: `${run.run}.${type}`, type, timestamp, text, alert: null, run: told };
}

/** What is sent to try a webhook. */
export function testNotice(id: string, nowMs: number): Notice {
  const text = "This is a test of Skein's alerts";
  return { id, type: "test", timestamp: isoTime(nowMs), text, alert: null, run: null };
}

/** More than this, chat services do not take. */
const MOST_CHARACTERS = 1900;

/** A notice as a service wants it. What stands in it is text there, and calls nobody. */
export function noticeBody(notice: Notice, preset: WebhookSettings["preset"] = "json"): string {
  const text = notice.text.slice(0, MOST_CHARACTERS);
  switch (preset) {
    case "json":
      return JSON.stringify(notice);
    case "slack":
      return JSON.stringify({ text: text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;") });
    case "discord":
      return JSON.stringify({ content: text, allowed_mentions: { parse: [] } });
  }
}
