import { Box, Hand, ShieldAlert, TriangleAlert } from "lucide-react";
import { useLayoutEffect, useMemo, useRef, useState, type ReactNode, type RefObject } from "react";
import { Link } from "wouter";
import type { QuestionAnswer, QuestionData } from "../../../src/monitor/api-types.ts";
import { api } from "../data/api.ts";
import { useClosing, type Closing } from "../data/closings.ts";
import { useHealth } from "../data/queries.ts";
import { addressOf } from "../data/url.ts";
import { Badge } from "./badge.tsx";
import { Countdown } from "./countdown.tsx";
import { baseName } from "./format.ts";
import { ErrorLine } from "./note.tsx";
import { PermissionAnswer } from "./permission-answer.tsx";
import { QuestionForm } from "./question-form.tsx";
import { visibleInput, visibleText } from "./visible-text.ts";
import { PlanText } from "./plan-text.tsx";
import styles from "./question-card.module.css";
import { ToolInput } from "./tool-call.tsx";
import { fieldsOf } from "./tool-words.ts";

/** Gives an answer; the name of who gave it is added. */
export type GiveAnswer = (answer: Omit<QuestionAnswer, "by">) => void;

/** What a form of a question needs to know of its card. */
export interface Answering {
  readonly question: QuestionData;
  /** Whether the keys mean this one. */
  readonly isActive: boolean;
  /** Whether an answer is on its way. */
  readonly isSending: boolean;
  readonly give: GiveAnswer;
}

/** A question of an agent's: what it is about as people read it, and what can be answered. */
export function QuestionCard({
  question,
  isOpen,
  isActive,
  isRunShown,
}: {
  readonly question: QuestionData;
  readonly isOpen: boolean;
  readonly isActive: boolean;
  readonly isRunShown: boolean;
}): ReactNode {
  const { isSending, isAnswered, error, give } = useGive(question);
  const isReadOnly = useHealth().data?.read_only === true;
  const isClosed = !isOpen || isAnswered;
  const card = useKeptHeight(isClosed);
  return (
    <article
      ref={card}
      className={styles["card"]}
      aria-label={titleOf(question)}
      tabIndex={-1}
      data-question={question.question_id}
      data-active={isActive && !isClosed}
      data-closed={isClosed}
    >
      <Head question={question} isRunShown={isRunShown} isClosed={isClosed} />
      <Subject question={question} />
      {isClosed ? (
        <Verdict question={question} />
      ) : question.asked_on === "terminal" ? (
        <p className={styles["elsewhere"]}>
          Asked at the terminal of its run: answer it there. Runs started with <code>--ask remote</code> ask here.
        </p>
      ) : isReadOnly ? (
        <p className={styles["elsewhere"]}>This server shows and changes nothing: it was started with --read-only.</p>
      ) : question.kind === "question" ? (
        <QuestionForm question={question} isActive={isActive} isSending={isSending} give={give} />
      ) : (
        <PermissionAnswer question={question} isActive={isActive} isSending={isSending} give={give} />
      )}
      {!isClosed && <ErrorLine error={error} />}
    </article>
  );
}

/** What is closed stays as high as it was: nothing moves under a pointer that is about to press. */
function useKeptHeight(isClosed: boolean): RefObject<HTMLElement | null> {
  const card = useRef<HTMLElement>(null);
  const height = useRef(0);
  useLayoutEffect(() => {
    const { current } = card;
    if (!current) return;
    if (isClosed) current.style.minHeight = `${height.current}px`;
    else height.current = current.offsetHeight;
  });
  return card;
}

function useGive({ question_id: id }: QuestionData): Pick<Answering, "isSending" | "give"> & {
  readonly isAnswered: boolean;
  readonly error: unknown;
} {
  const [{ state, error }, setSent] = useState<{
    readonly state: "not" | "sending" | "answered";
    readonly error?: unknown;
  }>({
    state: "not",
  });
  const send = async (answer: Omit<QuestionAnswer, "by">): Promise<void> => {
    setSent({ state: "sending" });
    try {
      await api.answer(id, { ...answer, by: "dashboard" });
      setSent({ state: "answered" });
    } catch (failure) {
      setSent({ state: "not", error: failure });
    }
  };
  return {
    isSending: state === "sending",
    isAnswered: state === "answered",
    error,
    give: (answer) => void send(answer),
  };
}

function Head({
  question,
  isRunShown,
  isClosed,
}: {
  readonly question: QuestionData;
  readonly isRunShown: boolean;
  readonly isClosed: boolean;
}): ReactNode {
  const { deadline, agent_id: agent, run, directory, workspace } = question;
  return (
    <header className={styles["head"]}>
      <Hand aria-hidden />
      <h2>{titleOf(question)}</h2>
      {agent !== null && <Badge meaning="neutral">sub-agent</Badge>}
      <span className={styles["where"]}>
        {isRunShown && (
          <Link href={addressOf.run(run)} className="cut" title={directory}>
            {baseName(workspace)}
            {directory !== workspace && <span className="quiet"> on a branch</span>}
          </Link>
        )}
        {deadline !== null && !isClosed && (
          <span className="quiet small">
            denied in <Countdown until={deadline} />
          </span>
        )}
      </span>
    </header>
  );
}

/** "Bash wants to run a command in the sandbox", "The agent asks you". */
function titleOf({ kind, tool, action }: QuestionData): string {
  if (kind === "question") return "The agent asks you";
  if (kind === "plan") return "The agent has a plan and asks to carry it out";
  return `${visibleText(tool)} wants to ${action === null ? "be used" : visibleText(action)}`;
}

function Subject({ question }: { readonly question: QuestionData }): ReactNode {
  const { kind, tool, input, warnings, reason, blocked_path: path } = question;
  const shown = useMemo(() => (kind === "permission" ? visibleInput(input) : input), [kind, input]);
  if (kind === "question") return null;
  const why = [
    // A reason that only names a field of the input is seen there.
    ...(reason === null || Object.hasOwn(fieldsOf(input), reason) ? [] : [["Why it is asked", reason] as const]),
    ...(path === null ? [] : [["The path is", path] as const]),
  ];
  return (
    <div className={styles["subject"]}>
      {kind === "permission" && (warnings.length > 0 || tool === "Bash") && (
        <ul className={styles["warnings"]}>
          {warnings.map((warning) => (
            <li key={warning} className={styles["warning"]}>
              <TriangleAlert aria-hidden /> {visibleText(warning)}
            </li>
          ))}
          {tool === "Bash" && <SandboxNote question={question} />}
        </ul>
      )}
      <div className={styles["input"]}>
        {kind === "plan" && typeof fieldsOf(input)["plan"] !== "string" ? (
          <PlanText question={question} />
        ) : (
          <ToolInput tool={tool} input={shown} isAsked />
        )}
      </div>
      {why.map(([name, value]) => (
        <p key={name} className="quiet small">
          {name}: {visibleText(value)}
        </p>
      ))}
    </div>
  );
}

/** Where a command would run, unless a warning says so already. */
function SandboxNote({
  question: { is_sandboxed: isSandboxed, warnings },
}: {
  readonly question: QuestionData;
}): ReactNode {
  if (isSandboxed)
    return (
      <li className={styles["sandbox"]}>
        <Box aria-hidden /> In the sandbox
      </li>
    );
  if (warnings.some((warning) => /sandbox/iu.test(warning))) return null;
  return (
    <li className={styles["warning"]}>
      <ShieldAlert aria-hidden /> Outside of a sandbox
    </li>
  );
}

/** How a question was closed, in the place where it could be answered. */
function Verdict({ question }: { readonly question: QuestionData }): ReactNode {
  const closing = useClosing(question.question_id);
  return (
    <p className={styles["verdict"]} role="status" data-decision={closing?.decision ?? undefined}>
      {verdictText(closing, question.kind)}
    </p>
  );
}

const WORDS = {
  permission: { allow: "Allowed", deny: "Denied" },
  question: { allow: "Answered", deny: "Not answered" },
  plan: { allow: "Approved", deny: "Sent back" },
} as const;

function verdictText(closing: Closing | undefined, kind: QuestionData["kind"]): string {
  if (!closing) return "Answered";
  const { decision, by } = closing;
  if (by === "deadline") return "Denied: nobody answered in time";
  if (decision === null || by === null || by === "cancelled") return "Closed: its turn is over";
  const word = WORDS[kind][decision];
  if (by === "dashboard") return word;
  return by === "terminal" ? `${word} at the terminal` : `${word} by ${visibleText(by)}`;
}
