import { z } from "zod";
import { Asker, QuestionAnswer, RunId, SkeinError } from "../../core/internal.ts";
import { QuestionData, toQuestionData } from "../runs/question-data.ts";
import { openQuestions } from "../runs/run-data.ts";
import { notFound } from "./not-found.ts";
import { route, type ApiContext } from "./route.ts";
import { askedBy } from "./control-routes.ts";

export const listQuestions = route({
  path: "/api/questions",
  operation: "listQuestions",
  summary: "What people are asked by runs that go on, the oldest first",
  query: z.strictObject({
    run: RunId.optional().describe("Only questions of this run"),
    workspace: z.string().optional().describe("Only questions of the workspace with this path"),
  }),
  data: z.strictObject({ questions: z.array(QuestionData).describe("The questions") }),
  async answer({ run, workspace }, { runs }) {
    const found = runs
      .known()
      .filter((each) => (run === undefined || each.run === run) && (workspace ?? each.workspace) === each.workspace)
      .flatMap(openQuestions)
      .toSorted((left, right) => Date.parse(left.askedAt) - Date.parse(right.askedAt));
    return { questions: found.map(toQuestionData) };
  },
});

const [{ shape: allow }, { shape: deny }] = QuestionAnswer.options;

export const answerQuestion = route({
  method: "POST",
  path: "/api/questions/{question}/answer",
  operation: "answerQuestion",
  summary: "Answers a question. The first answer counts; who comes later is told who was first",
  parameters: z.strictObject({ question: z.uuid().describe("The question's id") }),
  body: z.strictObject({
    decision: z.enum(["allow", "deny"]).describe("Whether the call is made"),
    rules: allow.rules.describe("With `allow`: the suggested rules that hold from here on, by their places, from 0"),
    answers: allow.answers.describe("With `allow`: what the agent asked to be told, by its question"),
    message: deny.message.describe("With `deny`: why, for the model to read"),
    interrupt: deny.interrupt.describe("With `deny`: whether the turn ends with it"),
    by: Asker.default(askedBy).describe("Who answers, to be recorded"),
  }),
  data: z.strictObject({
    question_id: z.string().describe("The question's id"),
    run: z.string().describe("The run that it was asked in"),
  }),
  async answer({ question: id, body: { by, ...given } }, context) {
    const { run, process } = findQuestion(id, context);
    const { data: answer, error } = QuestionAnswer.safeParse(given);
    if (!answer) throw new SkeinError(z.prettifyError(error), { kind: "usage", target: "decision" });
    await context.request(process, { type: "answer", target: id, by, answer });
    return { question_id: id, run };
  },
});

/** The run in which a question waits to be answered here. */
function findQuestion(id: string, { runs }: ApiContext) {
  for (const run of runs.known()) {
    const open = openQuestions(run).find(({ questionId }) => questionId === id);
    if (open?.askedOn === "terminal") {
      throw new SkeinError(`The question is asked at the terminal of process ${run.process.pid}`, {
        kind: "conflict",
        target: id,
        hint: "Start runs with `ask` remote to answer their questions here",
      });
    }
    if (open) return run;
    const closed = run.answered.find(({ questionId }) => questionId === id);
    if (closed || run.questions.some(({ questionId }) => questionId === id)) throw closedAlready(id, closed?.by);
  }
  throw notFound("question", id);
}

function closedAlready(target: string, by: string | undefined): SkeinError {
  const how = by === undefined ? "its run is over" : `it was closed by ${by}`;
  return new SkeinError(`The question is closed already: ${how}`, { kind: "conflict", target, details: { by } });
}
