import { toQuestionData } from "../runs/question-data.ts";
import type { RunSummary } from "../runs/run-data.ts";
import type { ServerMessage } from "./messages.ts";

/** What is told of the questions of a run when an event of this type has happened in it, or its process is gone. */
export function questionMessages(run: RunSummary, type: string): readonly ((seq: number) => ServerMessage)[] {
  if (run.hasEnded || run.isCutOff) return run.questions.map(({ questionId }) => closed(run, questionId));
  const asked = type === "question-asked" ? run.questions.at(-1) : undefined;
  if (asked) return [(seq) => ({ type: "question", seq, question: toQuestionData(asked) })];
  const answered = type === "question-answered" ? run.answered.at(-1) : undefined;
  return answered ? [closed(run, answered.questionId, answered)] : [];
}

function closed(
  { run }: RunSummary,
  id: string,
  answer?: RunSummary["answered"][number],
): (seq: number) => ServerMessage {
  const { decision = null, by = null } = answer ?? {};
  return (seq) => ({ type: "question-closed", seq, run, question_id: id, decision, by });
}
