import { z } from "zod";
import { RunId } from "./run-record.ts";

/** What a person may say in one text. */
const MOST_CHARACTERS = 10_000;

const said = z.string().max(MOST_CHARACTERS);

/** A person's answer to a question of an agent's. */
export const QuestionAnswer = z.discriminatedUnion("decision", [
  z.strictObject({
    decision: z.literal("allow").describe("The call is made"),
    rules: z
      .array(z.int().nonnegative())
      .max(64)
      .exactOptional()
      .describe("Which of the suggested rules hold from here on in the session, by their places in the list, from 0"),
    answers: z
      .record(said, said)
      .exactOptional()
      .describe("What the agent asked to be told: the chosen option's label, or words of one's own, by the question"),
  }),
  z.strictObject({
    decision: z.literal("deny").describe("The call is not made"),
    message: said.exactOptional().describe("Why, for the model to read"),
    interrupt: z.boolean().exactOptional().describe("Whether the turn ends with it"),
  }),
]);

export type QuestionAnswer = Readonly<z.infer<typeof QuestionAnswer>>;

/** Who asks for something, in a word for others: "alice", "dashboard". */
export const Asker = z
  .string()
  .min(1)
  .max(100)
  .regex(/^[\p{L}\p{N}\p{P}\p{S} ]+$/u);

const request = {
  /** What the reply names. */
  id: z.int().nonnegative(),
  by: Asker,
};

/** What a server asks of a process of this machine, a JSON object a line. The process decides whether it does it. */
export const ControlRequest = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("interrupt"), ...request, target: RunId }),
  z.strictObject({ type: z.literal("set-model"), ...request, target: RunId, model: z.string().min(1).max(200) }),
  z.strictObject({ type: z.literal("set-permission-mode"), ...request, target: RunId, mode: z.string().max(40) }),
  z.strictObject({ type: z.literal("answer"), ...request, target: RunId, answer: QuestionAnswer }),
]);

export type ControlRequest = Readonly<z.infer<typeof ControlRequest>>;

/** What is done with a request for one run or question; what it throws is the reply. */
export type ControlHandler = (request: ControlRequest) => Promise<void> | void;
