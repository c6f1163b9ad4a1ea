import { useState, type ReactNode } from "react";
import { useDraft } from "../data/drafts.ts";
import { Button } from "./button.tsx";
import type { Answering } from "./question-card.tsx";
import { visibleText } from "./visible-text.ts";
import styles from "./question-card.module.css";
import { useAnswerKeys } from "./use-answer-keys.ts";

/** Whether a call is made or a plan carried out: once, with rules that hold from here on, or not, and why not. */
export function PermissionAnswer({ question, isActive, isSending, give }: Answering): ReactNode {
  const { question_id: id, kind, rules } = question;
  const isPlan = kind === "plan";
  const [reason, setReason] = useDraft(`deny:${id}`);
  const [isDenying, setDenying] = useState(reason !== "");
  const [taken, setTaken] = useState<readonly number[]>(() => rules.map((_, place) => place));
  const allow = (): void => give({ decision: "allow" });
  const allowLikeThis = (): void => give({ decision: "allow", rules: [...taken] });
  const hasRules = rules.length > 0 && taken.length > 0;
  const isDisabled = !isActive || isSending;
  useAnswerKeys(isActive, [
    { key: "a", label: isPlan ? "Carry out the plan" : "Allow once", run: allow, isDisabled },
    { key: "A", label: "Allow like this", run: allowLikeThis, isDisabled: isDisabled || !hasRules },
    {
      key: "d",
      label: isPlan ? "Go on planning, with a reason" : "Deny, with a reason",
      run: () => setDenying(true),
      isDisabled,
    },
  ]);
  const shortcut = (key: string) => ({ shortcut: key, isShortcutHidden: !isActive });
  if (isDenying) {
    return (
      <DenyForm
        reason={reason}
        onReason={setReason}
        isPlan={isPlan}
        isSending={isSending}
        onBack={() => setDenying(false)}
        onDeny={(interrupt) => {
          setReason("");
          const message = reason.trim();
          give({ decision: "deny", ...(message && { message }), ...(interrupt && { interrupt }) });
        }}
      />
    );
  }
  return (
    <div className={styles["answer"]}>
      {rules.length > 0 && <Rules rules={rules} taken={taken} onTaken={setTaken} />}
      <div className={styles["buttons"]}>
        <Button look="primary" disabled={isSending} onClick={allow} {...shortcut("a")}>
          {isPlan ? "Carry it out" : "Allow once"}
        </Button>
        {rules.length > 0 && (
          <Button disabled={isSending || !hasRules} onClick={allowLikeThis} {...shortcut("A")}>
            Allow like this
          </Button>
        )}
        <Button look="danger" disabled={isSending} onClick={() => setDenying(true)} {...shortcut("d")}>
          {isPlan ? "Go on planning…" : "Deny…"}
        </Button>
      </div>
    </div>
  );
}

function Rules({
  rules,
  taken,
  onTaken,
}: {
  readonly rules: readonly string[];
  readonly taken: readonly number[];
  readonly onTaken: (taken: readonly number[]) => void;
}): ReactNode {
  return (
    <fieldset className={styles["rules"]}>
      <legend>“Allow like this” allows for the rest of the session</legend>
      {rules.map((rule, place) => (
        <label key={place}>
          <input
            type="checkbox"
            checked={taken.includes(place)}
            onChange={({ target: { checked } }) =>
              onTaken(
                checked
                  ? [...taken, place].toSorted((left, right) => left - right)
                  : taken.filter((each) => each !== place),
              )
            }
          />
          <code>{visibleText(rule)}</code>
        </label>
      ))}
    </fieldset>
  );
}

function DenyForm({
  reason,
  onReason,
  isPlan,
  isSending,
  onBack,
  onDeny,
}: {
  readonly reason: string;
  readonly onReason: (reason: string) => void;
  readonly isPlan: boolean;
  readonly isSending: boolean;
  readonly onBack: () => void;
  readonly onDeny: (interrupt: boolean) => void;
}): ReactNode {
  const label = isPlan ? "What should be different? The agent reads it" : "Why not? The agent reads it";
  return (
    <form
      className={styles["answer"]}
      onSubmit={(event) => {
        event.preventDefault();
        onDeny(false);
      }}
    >
      <textarea
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- it was asked for to be written in
        autoFocus
        className={styles["reason"]}
        aria-label={label}
        placeholder={`${label}; it may be empty`}
        rows={2}
        maxLength={10_000}
        value={reason}
        onChange={({ target }) => onReason(target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === "Escape") onBack();
          else if (event.key === "Enter" && !event.shiftKey) onDeny(false);
          else return;
          event.preventDefault();
        }}
      />
      <div className={styles["buttons"]}>
        <Button type="submit" look="danger" disabled={isSending} shortcut="Enter">
          {isPlan ? "Go on planning" : "Deny"}
        </Button>
        <Button look="danger" disabled={isSending} onClick={() => onDeny(true)}>
          Deny and stop the turn
        </Button>
        <Button look="quiet" onClick={onBack} shortcut="Esc">
          Back
        </Button>
      </div>
    </form>
  );
}
