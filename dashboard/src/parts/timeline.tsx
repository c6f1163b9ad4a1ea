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
  const isSettled = useBeginning(list, scroller, { rows, isFollowing, shownKey });
  const isAway = useIsAway(scroller);
  useReach(list, isSettled ? rows.length : 0, { onReachStart, onReachEnd });
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

/** Texts are drawn once what draws them is loaded: for so long rows may still change their heights at first. */
const SETTLES_MS = 400;

/** Where it begins: it is held there until its rows have their heights, or somebody scrolls. Says whether that is over. */
function useBeginning(
  list: List,
  scroller: RefObject<HTMLDivElement | null>,
  {
    rows,
    isFollowing,
    shownKey,
  }: {
    readonly rows: readonly { readonly key: string }[];
    readonly isFollowing: boolean;
    readonly shownKey: string | undefined;
  },
): boolean {
  const [isSettled, setSettled] = useState(false);
  const isEmpty = rows.length === 0;
  const keys = useRef(rows);
  useLayoutEffect(() => {
    keys.current = rows;
  });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (isEmpty || !element) return undefined;
    const place = shownKey === undefined ? -1 : keys.current.findIndex(({ key }) => key.startsWith(shownKey));
    const hold = (): void => {
      if (place >= 0) list.scrollToIndex(place, { align: "start" });
      else if (isFollowing) list.scrollToEnd();
    };
    const startedMs = performance.now();
    let frame = 0;
    const settle = (): void => {
      cancelAnimationFrame(frame);
      setSettled(true);
    };
    const tick = (): void => {
      hold();
      if (performance.now() - startedMs > SETTLES_MS) settle();
      else frame = requestAnimationFrame(tick);
    };
    tick();
    const events = ["wheel", "pointerdown", "keydown"] as const;
    for (const event of events) element.addEventListener(event, settle, { passive: true, once: true });
    return () => {
      cancelAnimationFrame(frame);
      for (const event of events) element.removeEventListener(event, settle);
    };
    // Only the beginning is held: what changes later has no say in it.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [isEmpty]);
  return isSettled;
}

/** Whether it has been scrolled away from its end. */
function useIsAway(scroller: RefObject<HTMLDivElement | null>): boolean {
  const [isAway, setAway] = useState(false);
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
  const first = count > 0 && items[0]?.index === 0 ? items[0].key : undefined;
  const last = items.at(-1)?.index === count - 1 ? items.at(-1)?.key : undefined;
  useEffect(() => {
    if (first !== undefined) onReachStart?.();
  }, [first, onReachStart]);
  useEffect(() => {
    if (last !== undefined) onReachEnd?.();
  }, [last, onReachEnd]);
}
