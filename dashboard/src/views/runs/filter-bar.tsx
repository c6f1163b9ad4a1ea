import { CircleAlert, X } from "lucide-react";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { useKeys } from "../../frame/keys.ts";
import { FILTERS, withoutPart, type Filter } from "./filter.ts";
import styles from "./runs.module.css";

/** The filter as text, and each of its parts as a chip to take away; what cannot be asked says why in its place. */
export function FilterBar({
  text,
  filter,
  onChange,
}: {
  readonly text: string;
  readonly filter: Filter;
  readonly onChange: (text: string) => void;
}): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  const [written, setWritten] = useState(text);
  const [told, setTold] = useState(text);
  const [isHelpShown, showHelp] = useState(false);
  // The address may change by a chip or by Back.
  if (told !== text) {
    setTold(text);
    if (written.trim() !== text) setWritten(text);
  }
  useSoon(written.trim(), text, onChange);
  useKeys([{ key: "/", label: "Filter", run: () => input.current?.focus() }]);
  return (
    <>
      <div className={styles["filter"]}>
        <input
          ref={input}
          type="search"
          className={styles["filterText"]}
          placeholder="tool:Bash cost:>0.1 reward:<1 outcome:failed words"
          aria-label="Filter"
          aria-describedby="filter-parts"
          spellCheck={false}
          value={written}
          onFocus={() => showHelp(true)}
          onBlur={() => showHelp(false)}
          onChange={(event) => setWritten(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" || event.key === "Escape") input.current?.blur();
          }}
        />
        {isHelpShown && written === "" && (
          <dl className={styles["help"]}>
            {FILTERS.map(([example, meaning]) => (
              <div key={example}>
                <dt>
                  <button
                    type="button"
                    tabIndex={-1}
                    onMouseDown={(event) => {
                      event.preventDefault();
                      setWritten(example);
                    }}
                  >
                    <code>{example}</code>
                  </button>
                </dt>
                <dd className="quiet small">{meaning}</dd>
              </div>
            ))}
          </dl>
        )}
      </div>
      <ul id="filter-parts" className={styles["chips"]} aria-label="Parts of the filter">
        {filter.parts.map((part, place) => (
          <li
            key={`${place} ${part.text}`}
            className={styles["chip"]}
            data-bad={part.problem !== undefined || undefined}
          >
            {part.problem !== undefined && <CircleAlert aria-hidden />}
            <code className="cut">{part.text}</code>
            {part.problem !== undefined && <span>{part.problem}</span>}
            <button
              type="button"
              aria-label={`Take ${part.text} away`}
              onClick={() => onChange(withoutPart(filter, place))}
            >
              <X aria-hidden />
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

const SOON_MS = 200;

/** A filter is asked for when somebody stops writing for a moment. */
function useSoon(written: string, known: string, onChange: (text: string) => void): void {
  const change = useRef(onChange);
  useEffect(() => {
    change.current = onChange;
  });
  useEffect(() => {
    if (written === known) return undefined;
    const timer = window.setTimeout(() => change.current(written), SOON_MS);
    return () => window.clearTimeout(timer);
    // What is known changes by this alone, or has changed what is written.
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- only what is written starts the wait
  }, [written]);
}
