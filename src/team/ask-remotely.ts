import { isoTime, senderOf, type Clock, type QuestionAnswer } from "../core/internal.ts";
import { createRemoteFace } from "../engine/internal.ts";
import type { TeamAnswer, TeamQuestion } from "./team-events.ts";

interface RemoteParts {
  readonly dataHome: string;
  readonly clock: Clock;
  /** Tells of the question, and of its answer, where whoever looks on finds them. */
  readonly tell: (event: { readonly type: string; readonly timestamp: string }) => void;
}

const LABELS = {
  approve: "Approve it as it is",
  retry: "Try again",
  skip: "Leave it out",
  stop: "End the team",
  unanswered: "",
} as const satisfies Record<TeamAnswer["choice"], string>;

/** Asks whoever uses `skein serve`: a plan as an agent's plan is, an item as a question with choices or one's own words. */
export async function askRemotely(
  { dataHome, clock, tell }: RemoteParts,
  question: TeamQuestion,
  { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<TeamAnswer> {
  const { id, kind } = question;
  const [tool, input] =
    kind === "plan"
      ? (["ExitPlanMode", { plan: question.text }] as const)
      : (["AskUserQuestion", asked(question)] as const);
  const about = { questionId: id, toolUseId: id, tool };
  const askedAtMs = clock.now();
  const shown = { kind: kind === "plan" ? "plan" : "question", askedOn: "remote", input, isSandboxed: false } as const;
  const deadline = isoTime(askedAtMs + timeoutMs);
  const told = { ...about, ...shown, warnings: [], rules: [], deadline };
  tell({ type: "question-asked", timestamp: isoTime(askedAtMs), ...told });
  const request = { signal, toolUseID: id } as Parameters<ReturnType<typeof createRemoteFace>["ask"]>[0]["request"];
  const answered = createRemoteFace(senderOf(dataHome)).ask(
    { id, kind: shown.kind, tool, input, request, rules: [] },
    signal,
  );
  const closed = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  const given = await Promise.race([answered, closed]);
  const decision = given?.answer.decision ?? "deny";
  const by = given?.by ?? "deadline";
  const waitedMs = clock.now() - askedAtMs;
  const answeredAs = { ...about, decision, by, rules: [], waitedMs };
  tell({ type: "question-answered", timestamp: isoTime(clock.now()), ...answeredAs });
  return given ? toAnswer(question, given.answer) : { choice: "unanswered" };
}

function asked({ text, choices }: TeamQuestion) {
  const options = choices.map((choice) => ({ label: LABELS[choice], description: "" }));
  return { questions: [{ question: text, header: "Team", multiSelect: false, options }] };
}

/** Words of a person's own are what is to be done otherwise. */
function toAnswer({ kind, text, choices }: TeamQuestion, answer: QuestionAnswer): TeamAnswer {
  if (answer.decision === "deny") {
    const message = answer.message === undefined ? {} : { message: answer.message };
    return { choice: answer.interrupt ? "stop" : "retry", ...message };
  }
  if (kind === "plan") return { choice: "approve" };
  const said = answer.answers?.[text] ?? "";
  const choice = choices.find((each) => LABELS[each] === said);
  return choice ? { choice } : { choice: "retry", message: said };
}
