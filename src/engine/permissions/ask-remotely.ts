import type { CanUseTool } from "@anthropic-ai/claude-agent-sdk";
import { dataHome as ownDataHome, senderOf, SkeinError, type EventSender } from "../../core/internal.ts";
import { askPeople, checkAnswer, type AskPeopleOptions, type QuestionFace } from "./ask-people.ts";

/** How people are asked by way of a server. */
export interface AskRemotelyOptions extends AskPeopleOptions {
  /** Skein's data folder; the user's own by default. */
  readonly home?: string;
  /** Called once where a question waits and no server is there: it waits for one. */
  readonly onNoServer?: () => void;
}

/** How long a question waits for somebody elsewhere, unless another time is said. */
const DEFAULT_ASK_MS = 60 * 60_000;

/**
 * Answers for calls that rules and permission mode leave open, by asking whoever looks on at `skein serve`. A question waits there until it
 * is answered, or denied after `timeoutMs`, an hour by default; the server may be started, killed and started again meanwhile.
 */
export function askRemotely({ home, onNoServer, ...options }: AskRemotelyOptions = {}): CanUseTool {
  const face = createRemoteFace(senderOf(home ?? ownDataHome()), onNoServer);
  return askPeople(face, { timeoutMs: DEFAULT_ASK_MS, ...options });
}

/** Closed questions that can still say who was first. */
const MOST_CLOSED = 100;

export function createRemoteFace(
  sender: Pick<EventSender, "control" | "isConnected">,
  onNoServer: () => void = () => {},
): QuestionFace {
  const closed: Disposable[] = [];
  let isTold = false;
  return {
    name: "remote",
    async ask(question, signal) {
      if (!sender.isConnected && !isTold) {
        isTold = true;
        onNoServer();
      }
      return await new Promise((resolve) => {
        let first: string | undefined;
        const control = sender.control(question.id, (request) => {
          if (request.type !== "answer") throw new SkeinError("A question can only be answered", { kind: "usage" });
          const by = first ?? (signal.aborted ? String(signal.reason) : undefined);
          if (by !== undefined) throw answeredAlready(question.id, by);
          checkAnswer(question, request.answer);
          first = request.by;
          resolve({ answer: request.answer, by: request.by });
        });
        closed.push(control);
        if (closed.length > MOST_CLOSED) closed.shift()?.[Symbol.dispose]();
      });
    },
  };
}

/** What is said to whoever answers a question that is closed. */
function answeredAlready(target: string, by: string): SkeinError {
  return new SkeinError(`The question is closed already: ${closedBy(by)}`, {
    kind: "conflict",
    target,
    details: { by },
  });
}

function closedBy(by: string): string {
  if (by === "deadline") return "nobody answered it in time";
  return by === "cancelled" ? "its turn was cancelled" : `it was answered by ${by}`;
}
