import { useEffect, useMemo, useRef, useState, type ReactNode, type RefObject } from "react";
import type { QuestionData } from "../../../src/monitor/api-types.ts";
import { useKeys } from "../frame/keys.ts";
import { QuestionCard } from "./question-card.tsx";
import styles from "./question-card.module.css";
import { useLingering } from "./use-lingering.ts";

/** Questions that wait, each its own focus: keys mean the one that is marked. One that is closed keeps its place for a moment and says by whom. */
export function QuestionCards({
  questions: given,
  isRunShown = true,
}: {
  readonly questions: readonly QuestionData[];
  /** Whether each says which run it is of; not where that is plain. */
  readonly isRunShown?: boolean;
}): ReactNode {
  const list = useRef<HTMLDivElement>(null);
  const [isPointedAt, setPointedAt] = useState(false);
  const focused = useFocusedQuestion(list);
  const questions = useMemo(() => given.toSorted(byTime), [given]);
  const shown = useLingering(questions, idOf, { lingersMs: LINGERS_MS, isHeld: isPointedAt });
  const answerable = questions.filter((question) => question.asked_on === "remote");
  const active = answerable.find(({ question_id: id }) => id === focused) ?? answerable[0];
  const next = (): void => {
    const place = answerable.findIndex(({ question_id: id }) => id === active?.question_id);
    const isInside = list.current?.contains(document.activeElement);
    const wanted = answerable[isInside ? (place + 1) % answerable.length : Math.max(0, place)];
    if (wanted) list.current?.querySelector<HTMLElement>(`[data-question="${wanted.question_id}"]`)?.focus();
  };
  useKeys([{ key: "w", label: "Next question that waits for you", run: next, isDisabled: answerable.length === 0 }]);
  if (shown.length === 0) return null;
  return (
    <div
      ref={list}
      className={styles["list"]}
      onPointerEnter={() => setPointedAt(true)}
      onPointerLeave={() => setPointedAt(false)}
    >
      {shown.map(({ item: question, isThere: isOpen }) => (
        <QuestionCard
          key={question.question_id}
          question={question}
          isOpen={isOpen}
          isActive={isOpen && question.question_id === active?.question_id}
          isRunShown={isRunShown}
        />
      ))}
    </div>
  );
}

function byTime(left: QuestionData, right: QuestionData): number {
  return Date.parse(left.asked_at) - Date.parse(right.asked_at);
}

function idOf(question: QuestionData): string {
  return question.question_id;
}

const LINGERS_MS = 6000;

/** The question that a person last went to. */
function useFocusedQuestion(list: RefObject<HTMLElement | null>): string | undefined {
  const [focused, setFocused] = useState<string | undefined>();
  useEffect(() => {
    const see = ({ target }: FocusEvent): void => {
      if (!(target instanceof Element) || !list.current?.contains(target)) return;
      const card = target.closest<HTMLElement>("[data-question]");
      if (card) setFocused(card.dataset["question"]);
    };
    document.addEventListener("focusin", see);
    return () => document.removeEventListener("focusin", see);
  }, [list]);
  return focused;
}
