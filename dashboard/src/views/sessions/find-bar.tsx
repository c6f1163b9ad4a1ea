import { ChevronDown, ChevronUp } from "lucide-react";
import { useMemo, type ReactNode } from "react";
import { useSetParams } from "../../data/url.ts";
import { useKeys } from "../../frame/keys.ts";
import { IconButton } from "../../parts/button.tsx";
import { SearchBox } from "./sessions-view.tsx";
import styles from "./sessions.module.css";
import { useSearch } from "./use-sessions.ts";

/** Looks for words in a session: `n` and `N` go from one message that holds them to the next. */
export function FindBar({
  session,
  words,
  at,
}: {
  readonly session: string;
  readonly words: string;
  readonly at: number | undefined;
}): ReactNode {
  const set = useSetParams();
  const found = useSearch(words, { session });
  // In the order of the file, whatever was found best.
  const places = useMemo(() => {
    const offsets = found.data?.pages.flatMap(({ hits }) => hits.map(({ offset }) => offset)) ?? [];
    return [...new Set(offsets)].toSorted((left, right) => left - right);
  }, [found.data]);
  const number = at === undefined ? -1 : places.indexOf(at);
  const go = (by: 1 | -1): void => {
    const next = number === -1 ? (by === 1 ? 0 : places.length - 1) : (number + by + places.length) % places.length;
    const place = places[next];
    if (place !== undefined) set({ at: String(place) });
  };
  const isNone = places.length === 0;
  useKeys([
    { key: "n", label: "Next message with the words", run: () => go(1), isDisabled: isNone },
    { key: "N", label: "Message before with the words", run: () => go(-1), isDisabled: isNone },
  ]);
  return (
    <>
      <SearchBox
        words={words}
        label="Search this session"
        onSearch={(next) => set({ words: next, ...(next === undefined ? { at: undefined } : {}) })}
      />
      {words.trim() !== "" && (
        <div className={styles["found"]} role="status">
          <span className="number">
            {isNone
              ? found.isFetching
                ? "…"
                : "none"
              : `${number === -1 ? "–" : number + 1}/${places.length}${found.hasNextPage ? "+" : ""}`}
          </span>
          <IconButton
            label="Message before"
            shortcut="N"
            icon={<ChevronUp />}
            disabled={isNone}
            onClick={() => go(-1)}
          />
          <IconButton
            label="Next message"
            shortcut="n"
            icon={<ChevronDown />}
            disabled={isNone}
            onClick={() => go(1)}
          />
        </div>
      )}
    </>
  );
}
