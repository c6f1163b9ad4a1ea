import { z } from "zod";
import { RunId } from "../../core/internal.ts";
import { ErrorData } from "../../protocol/index.ts";
import { AlertData } from "../alerts/alert-data.ts";
import { QuestionData } from "../runs/question-data.ts";
import { RunData } from "../runs/run-data.ts";

const seq = z.int().describe("The number of the message: each that is kept for who reconnects has the next one");
const run = z.string().describe("The run that it happened in");
const line = z.int().describe("The line of the run's journal that has the event");
const workspace = z.string().describe("The workspace's path");

function message<Type extends string, Shape extends z.core.$ZodLooseShape>(type: Type, meaning: string, shape: Shape) {
  return z.strictObject({ type: z.literal(type).describe("What kind of message it is"), ...shape }).describe(meaning);
}

/** What the server says on a WebSocket. */
export const SERVER_MESSAGES = [
  message("hello", "The first message", {
    version: z.literal(1).describe("The version of the messages"),
    epoch: z.string().describe("Which start of the server numbers the messages"),
    seq,
    topics: z.array(z.string()).describe("What is subscribed to"),
  }),
  message("snapshot", "Where to start, or start over: what is known of the runs now; all later messages follow", {
    reason: z
      .enum(["new", "restarted", "too-old"])
      .describe(
        "Why it comes: nothing was named to go on after, another start of the server did, or that is too long ago",
      ),
    seq,
    runs: z.array(RunData).describe("The runs that go on, and the last that did"),
    questions: z.array(QuestionData).describe("What people are asked, the oldest first"),
  }),
  message("event", "Something happened in a run", {
    seq,
    run,
    line,
    workspace,
    event: z.looseObject({ type: z.string() }).describe("The line of the journal, with its fields in snake_case"),
  }),
  message("run", "What is known of a run has changed: it began, ended or was cut off", {
    seq,
    run: RunData.describe("The run"),
  }),
  message("alert", "An alert has fired, or is over", { seq, alert: AlertData.describe("The alert") }),
  message("question", "A person is asked about a tool call", { seq, question: QuestionData.describe("The question") }),
  message("question-closed", "A question is answered, or its run is over", {
    seq,
    run,
    question_id: z.string().describe("The question's id"),
    decision: z.enum(["allow", "deny"]).nullable().describe("What was decided; null where the run is over"),
    by: z.string().nullable().describe("Who answered it; null where the run is over"),
  }),
  message("delta", "A piece of what is being written. It has no number, and is dropped where a client is slow", {
    run,
    line: z.int().describe("The last line of the run's journal before it"),
    workspace,
    event: z.looseObject({ type: z.string() }).describe("The piece"),
  }),
  message("replayed", "All lines of a run up to one were sent that the client had asked for", { run, line }),
  message("pong", "The answer to a ping", { seq }),
  message("error", "What the client sent was not understood", { error: ErrorData.describe("Why") }),
] as const;

export type ServerMessage = z.infer<(typeof SERVER_MESSAGES)[number]>;

/** What can be subscribed to. */
export const Topic = z
  .string()
  .max(4200)
  .regex(/^(?:runs|events|deltas|questions|programs|alerts|run:[0-9a-f-]{36}|workspace:.+)$/u)
  .describe(
    "`runs`: runs that begin and end; `events`: what happens in all runs; `deltas`: pieces of what is being written; `questions`: what people are asked, and when it is answered; `programs`: what programs of yours tell; `alerts`: alerts that fire and are over; `run:<id>` and `workspace:<path>`: all of that alone",
  );

/** What a client may say. */
export const ClientMessage = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("ping") }),
  z.strictObject({ type: z.literal("subscribe"), topics: z.array(Topic).max(64) }),
  z.strictObject({ type: z.literal("replay"), run: RunId, after: z.int().nonnegative() }),
]);

export type ClientMessage = z.infer<typeof ClientMessage>;
