import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown } from "lucide-react";
import { useEffect, useLayoutEffect, useMemo, useRef, useState, type ReactNode, type RefObject } from "react";
import { useSetting } from "../data/drafts.ts";
import { Button } from "./button.tsx";
import { Select } from "./select.tsx";
import { LEVELS, timelineRows, type Entry, type Level, type RawEntry } from "./timeline/entries.ts";
import { TimelineRowView, type OpenedRows } from "./timeline/row.tsx";
import { useMarks } from "./timeline/use-marks.ts";
import styles from "./timeline.module.css";

interface TimelineProps {
  readonly entries: readonly Entry[];
  /** The same as it came, for who wants to see that. */
  readonly raw: readonly RawEntry[];
  readonly level: Level;
  /** Whether it begins at its end and stays there, as what is being written does. */
  readonly isFollowing?: boolean;
  /** Called when its beginning is seen, and more may be there. */
  readonly onReachStart?: (() => void) | undefined;
  readonly onReachEnd?: (() => void) | undefined;
  /** Where its end is elsewhere: not all of it is here. */
  readonly onToEnd?: (() => void) | undefined;
  /** Words that are marked wherever they stand. */
  readonly marked?: string | undefined;
  /** The row to show first. */
  readonly shownKey?: string | undefined;
}

const LEVEL_NAMES: Readonly<Record<Level, string>> = {
  conversation: "Conversation",
  simple: "Simple",
  all: "All",
  raw: "Raw",
};

/** How much of timelines is shown, as the person last chose. */
export function useLevel(): readonly [level: Level, choose: (level: Level) => void] {
  const [level, choose] = useSetting<string>("timeline-level", "simple");
  return [LEVELS.find((each) => each === level) ?? "simple", choose];
}

export function LevelSelect({
  level,
  onChange,
}: {
  readonly level: Level;
  readonly onChange: (level: Level) => void;
}): ReactNode {
  const choices = LEVELS.map((value) => ({ value, label: LEVEL_NAMES[value] }));
  return <Select label="Detail" value={level} choices={choices} onChange={onChange} />;
}

/** How near its end it stands for what comes to be followed. */
const NEAR_PX = 48;

/** Messages and calls one under the other. It keeps its place while more comes, unless it stands at its end. */
export function Timeline({
  entries,
  raw,
  level,
  isFollowing = false,
  onReachStart,
  onReachEnd,
  onToEnd,
  marked,
  shownKey,
}: TimelineProps): ReactNode {
  const scroller = useRef<HTMLDivElement>(null);
  const opened = useRef<OpenedRows>(new Map());
  const rows = useMemo(() => timelineRows(entries, raw, level), [entries, raw, level]);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (rows[index]?.type === "entry" && rows[index].entry.kind !== "tool" ? 72 : 28),
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 8,
    paddingStart: 12,
    paddingEnd: 24,
    anchorTo: isFollowing ? "end" : "start",
    followOnAppend: isFollowing,
    scrollEndThreshold: NEAR_PX,
  });
  const isAway = useStand(list, scroller, { isFollowing, count: rows.length, shownKey, keys: rows });
  useReach(list, rows.length, { onReachStart, onReachEnd });
  useMarks(scroller, marked);
  const toEnd = (): void => (onToEnd ?? list.scrollToEnd)();
  return (
    <div className={styles["timeline"]}>
      <div
        ref={scroller}
        className={styles["scroller"]}
        role="region"
        aria-label="Timeline"
        aria-busy={isFollowing}
        tabIndex={0}
      >
        <div className={styles["rows"]} style={{ height: list.getTotalSize() }}>
          {list.getVirtualItems().map(({ index, start, key }) => {
            const row = rows[index];
            return (
              row && (
                <div
                  key={key}
                  ref={list.measureElement}
                  data-index={index}
                  className={styles["placed"]}
                  style={{ translate: `0 ${start}px` }}
                >
                  <TimelineRowView row={row} level={level} opened={opened.current} />
                </div>
              )
            );
          })}
        </div>
      </div>
      {((isFollowing && isAway) || onToEnd) && (
        <Button size="small" icon={<ArrowDown />} className={styles["toEnd"] ?? ""} onClick={toEnd}>
          To the end
        </Button>
      )}
    </div>
  );
}

type List = ReturnType<typeof useVirtualizer<HTMLDivElement, Element>>;

/** Where it begins, and whether it has been scrolled away from its end. */
function useStand(
  list: List,
  scroller: RefObject<HTMLDivElement | null>,
  {
    isFollowing,
    count,
    shownKey,
    keys,
  }: {
    readonly isFollowing: boolean;
    readonly count: number;
    readonly shownKey: string | undefined;
    readonly keys: readonly { readonly key: string }[];
  },
): boolean {
  const [isAway, setAway] = useState(false);
  const hasBegun = useRef(false);
  useLayoutEffect(() => {
    if (hasBegun.current || count === 0) return;
    hasBegun.current = true;
    const place = shownKey === undefined ? -1 : keys.findIndex(({ key }) => key.startsWith(shownKey));
    if (place >= 0) list.scrollToIndex(place, { align: "start" });
    else if (isFollowing) list.scrollToEnd();
  }, [count, isFollowing, list, keys, shownKey]);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const look = (): void => setAway(element.scrollHeight - element.scrollTop - element.clientHeight > 4 * NEAR_PX);
    element.addEventListener("scroll", look, { passive: true });
    return () => element.removeEventListener("scroll", look);
  }, [scroller]);
  return isAway;
}

/** Says when the first or the last row is drawn. */
function useReach(
  list: List,
  count: number,
  { onReachStart, onReachEnd }: Pick<TimelineProps, "onReachStart" | "onReachEnd">,
): void {
  const items = list.getVirtualItems();
  // With each page that comes there is another first row, and another last one.
  const first = items[0]?.index === 0 ? items[0].key : undefined;
  const last = items.at(-1)?.index === count - 1 ? items.at(-1)?.key : undefined;
  useEffect(() => {
    if (first !== undefined) onReachStart?.();
  }, [first, onReachStart]);
  useEffect(() => {
    if (last !== undefined) onReachEnd?.();
  }, [last, onReachEnd]);
}
