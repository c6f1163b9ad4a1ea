import { randomUUID } from "node:crypto";
import type { CanUseTool, PermissionResult } from "@anthropic-ai/claude-agent-sdk";
import { ClaudeConfigError, defined, isoTime, SkeinError, systemClock } from "../../core/internal.ts";
import type { Clock, QuestionAnswer } from "../../core/internal.ts";
import type { SessionRequest } from "./open-questions.ts";
import { suggestedRules, type SuggestedRule } from "./suggested-rules.ts";

/** A tool call that a person is asked about. */
export interface Question {
  readonly id: string;
  readonly kind: "permission" | "question" | "plan";
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** What the CLI says beside it. */
  readonly request: SessionRequest;
  /** What may be allowed with it for the rest of the session. */
  readonly rules: readonly SuggestedRule[];
}

/** An answer, and who gave it. */
export interface GivenAnswer {
  readonly answer: QuestionAnswer;
  readonly by: string;
}

/** Where people are asked. */
export interface QuestionFace {
  readonly name: "terminal" | "remote";
  /** Puts a question to whoever is there. The signal says that it is closed, and its reason by what. */
  ask(question: Question, signal: AbortSignal): Promise<GivenAnswer>;
}

export interface AskPeopleOptions {
  /** How long a question waits before it is denied; for as long as the turn does by default. */
  readonly timeoutMs?: number | undefined;
  /** Says what a call would do, and what about it is special. */
  readonly describe?:
    | ((tool: string, input: Question["input"], isSandboxed: boolean) => Promise<Described>)
    | undefined;
  readonly clock?: Clock;
}

interface Described {
  readonly action: string;
  readonly warnings: readonly string[];
  /** Whether an answer must not hold for more than this call. */
  readonly isRisky: boolean;
}

/** What a person can be shown whole: a journal's line holds it with all that is around it. */
const MOST_BYTES = 100 * 1024;

/** More than anybody can look at; an agent that asks for more at once is told so. */
const MOST_OPEN = 64;

/** Answers for calls that rules and permission mode leave open, by asking people. Questions and answers are events of the turn. */
export function askPeople(face: QuestionFace, options: AskPeopleOptions = {}): CanUseTool {
  const { timeoutMs, clock = systemClock } = options;
  if (timeoutMs !== undefined && !(timeoutMs > 0))
    throw new ClaudeConfigError("timeoutMs must be more than 0", { option: "timeoutMs" });
  let open = 0;
  return async (tool, input, request: SessionRequest) => {
    const refusal = open >= MOST_OPEN ? TOO_MANY : tooLarge(input, face);
    if (refusal !== undefined) return { behavior: "deny", message: refusal };
    open += 1;
    try {
      const { question, told } = await prepare({ tool, input, request, face }, options);
      const askedAtMs = clock.now();
      const deadline = timeoutMs === undefined ? undefined : isoTime(askedAtMs + timeoutMs);
      request.session?.tell({ type: "question-asked", ...told, ...defined({ deadline }) });
      const given = await firstAnswer(question, face, { timeoutMs, clock });
      const result = toResult(question, given.answer);
      request.session?.tell({
        type: "question-answered",
        ...answered(question, given, result),
        waitedMs: clock.now() - askedAtMs,
      });
      return result;
    } finally {
      open -= 1;
    }
  };
}

const TOO_MANY = `Denied: ${MOST_OPEN} calls wait for an answer already. Wait for those first.`;

/** Nobody is to allow what they cannot see whole. */
function tooLarge(input: object, { name }: QuestionFace): string | undefined {
  const bytes = name === "remote" ? Buffer.byteLength(JSON.stringify(input)) : 0;
  if (bytes <= MOST_BYTES) return undefined;
  return `Denied: the call's input has ${bytes} bytes, too many to be shown to the person who decides (${MOST_BYTES}). Do it in smaller parts.`;
}

interface Asked extends Pick<Question, "tool" | "input" | "request"> {
  readonly face: QuestionFace;
}

async function prepare({ tool, input, request, face }: Asked, { describe }: AskPeopleOptions) {
  const leaves = input["dangerouslyDisableSandbox"] !== undefined && input["dangerouslyDisableSandbox"] !== false;
  const isSandboxed = request.session?.isSandboxed === true;
  const described = await describe?.(tool, input, isSandboxed);
  const kind = kindOf(tool);
  const isForGood = kind === "permission" && !described?.isRisky;
  const rules = isForGood ? suggestedRules(tool, request, { isRemote: face.name === "remote" }) : [];
  const question: Question = { id: randomUUID(), kind, tool, input, request, rules };
  const { decisionReason: reason, blockedPath, agentID: agentId, toolUseID: toolUseId } = request;
  const told = {
    questionId: question.id,
    kind,
    askedOn: face.name,
    toolUseId,
    tool,
    input,
    isSandboxed: isSandboxed && tool === "Bash" && !leaves,
    warnings: described?.warnings ?? [],
    rules: rules.map(({ text }) => text),
    ...defined({ action: described?.action, reason, blockedPath, agentId }),
  };
  return { question, told };
}

function kindOf(tool: string): Question["kind"] {
  return tool === "AskUserQuestion" ? "question" : tool === "ExitPlanMode" ? "plan" : "permission";
}

async function firstAnswer(
  question: Question,
  face: QuestionFace,
  { timeoutMs, clock }: { readonly timeoutMs: number | undefined; readonly clock: Clock },
): Promise<GivenAnswer> {
  // Two of them: whoever has answered is not told that nobody needs to any more.
  const [closed, over] = [new AbortController(), new AbortController()];
  const { signal } = question.request;
  const closedBy = (by: string, message: string): GivenAnswer => {
    closed.abort(by);
    return { by, answer: { decision: "deny", message } };
  };
  const cancelled = new Promise<GivenAnswer>((resolve) => {
    const cancel = (): void => resolve(closedBy("cancelled", "Denied, because the turn was cancelled."));
    if (signal.aborted) cancel();
    else signal.addEventListener("abort", cancel, { signal: over.signal });
  });
  const late =
    timeoutMs === undefined
      ? new Promise<GivenAnswer>(() => {})
      : clock.sleep(timeoutMs, over.signal).then(
          () => closedBy("deadline", `Denied, because nobody answered within ${timeoutMs / 1000} seconds.`),
          () => new Promise<GivenAnswer>(() => {}),
        );
  try {
    return await Promise.race([face.ask(question, closed.signal), late, cancelled]);
  } finally {
    over.abort();
  }
}

/** Checks that an answer is one to this question. */
export function checkAnswer({ kind, input, rules, tool }: Question, answer: QuestionAnswer): void {
  if (answer.decision === "deny") return;
  const outside = answer.rules?.find((place) => place >= rules.length);
  if (outside !== undefined) {
    throw new SkeinError(`The question has no rule ${outside}: it suggests ${rules.length}`, {
      kind: "usage",
      target: "rules",
    });
  }
  const asked = kind === "question" ? questionsIn(input) : [];
  const told = Object.keys(answer.answers ?? {});
  const unknown = told.find((each) => !asked.includes(each));
  if (unknown === undefined && (kind !== "question" || told.length === asked.length)) return;
  throw new SkeinError(
    unknown === undefined
      ? `${tool} asks ${asked.length} questions`
      : `${tool} does not ask ${JSON.stringify(unknown)}`,
    { kind: "usage", target: "answers", hint: "Answer each question of the input, by its text" },
  );
}

function questionsIn({ questions }: Question["input"]): readonly string[] {
  return Array.isArray(questions)
    ? questions.map((each: { readonly question?: unknown }) => String(each.question))
    : [];
}

function toResult({ input, rules }: Question, answer: QuestionAnswer): PermissionResult {
  if (answer.decision === "deny") {
    const { message = "The user did not allow this.", interrupt } = answer;
    return { behavior: "deny", message, ...defined({ interrupt }) };
  }
  const { answers } = answer;
  const updates = chosen(rules, answer).map(({ update }) => update);
  return {
    behavior: "allow",
    updatedInput: { ...input, ...defined({ answers }) },
    ...(updates.length > 0 ? { updatedPermissions: updates } : {}),
  };
}

function chosen(rules: readonly SuggestedRule[], answer: QuestionAnswer): readonly SuggestedRule[] {
  const places = answer.decision === "allow" ? (answer.rules ?? []) : [];
  return rules.filter((_, place) => places.includes(place));
}

function answered({ id, tool, request, rules }: Question, { answer, by }: GivenAnswer, result: PermissionResult) {
  return {
    questionId: id,
    toolUseId: request.toolUseID,
    tool,
    decision: answer.decision,
    by,
    rules: chosen(rules, answer).map(({ text }) => text),
    ...defined({
      message: result.behavior === "deny" ? result.message : undefined,
      answers: answer.decision === "allow" ? answer.answers : undefined,
    }),
  };
}
