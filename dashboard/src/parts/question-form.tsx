import { useRef, type ReactNode } from "react";
import { useDraft } from "../data/drafts.ts";
import { Button } from "./button.tsx";
import {
  answersOf,
  askedIn,
  choose,
  chosenOf,
  parseChosen,
  write,
  type Asked,
  type Chosen,
} from "./question-answers.ts";
import type { Answering } from "./question-card.tsx";
import { visibleText } from "./visible-text.ts";
import styles from "./question-card.module.css";
import { useAnswerKeys } from "./use-answer-keys.ts";

/** What an agent wants to be told: options, one or several, and words of one's own. What is chosen survives a reload. */
export function QuestionForm({ question, isActive, isSending, give }: Answering): ReactNode {
  const form = useRef<HTMLFormElement>(null);
  const [draft, setDraft] = useDraft(`answers:${question.question_id}`);
  const chosen = parseChosen(draft);
  const asked = askedIn(question);
  const answers = answersOf(asked, chosen);
  const send = (): void => {
    if (!answers) {
      const open = asked.findIndex((each) => answersOf([each], chosen) === undefined);
      form.current?.querySelectorAll("fieldset")[open]?.querySelector("input")?.focus();
      return;
    }
    setDraft("");
    give({ decision: "allow", answers });
  };
  const refuse = (): void => {
    setDraft("");
    give({ decision: "deny", message: "The user did not want to answer." });
  };
  useAnswerKeys(isActive, [
    { key: "a", label: "Answer what the agent asks", run: send, isDisabled: !isActive || isSending },
  ]);
  return (
    <form
      ref={form}
      className={styles["answer"]}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {asked.map((each, place) => (
        <AskedField
          key={place}
          asked={each}
          name={`${question.question_id}:${place}`}
          chosen={chosenOf(chosen, each.question)}
          onChosen={(next) => setDraft(JSON.stringify({ ...chosen, [each.question]: next }))}
        />
      ))}
      <div className={styles["buttons"]}>
        <Button type="submit" look="primary" disabled={isSending || !answers} shortcut="a" isShortcutHidden={!isActive}>
          {asked.length > 1 ? "Send the answers" : "Send the answer"}
        </Button>
        <Button look="quiet" disabled={isSending} onClick={refuse}>
          Do not answer
        </Button>
      </div>
    </form>
  );
}

function AskedField({
  asked,
  name,
  chosen,
  onChosen,
}: {
  readonly asked: Asked;
  readonly name: string;
  readonly chosen: Chosen;
  readonly onChosen: (chosen: Chosen) => void;
}): ReactNode {
  return (
    <fieldset className={styles["asked"]}>
      <legend>{visibleText(asked.question)}</legend>
      {asked.options.map(({ label, description }) => (
        <label key={label} className={styles["option"]}>
          <input
            type={asked.isMulti ? "checkbox" : "radio"}
            name={name}
            checked={chosen.labels.includes(label)}
            onChange={() => onChosen(choose(asked, chosen, label))}
          />
          <span>
            <span>{visibleText(label)}</span>
            {description !== "" && description !== label && (
              <span className="quiet small">{visibleText(description)}</span>
            )}
          </span>
        </label>
      ))}
      <input
        className={styles["words"]}
        aria-label={`${asked.question}: your own words`}
        placeholder={asked.isMulti ? "And in your own words" : "Or in your own words"}
        maxLength={10_000}
        value={chosen.words}
        onChange={({ target }) => onChosen(write(asked, chosen, target.value))}
      />
    </fieldset>
  );
}
