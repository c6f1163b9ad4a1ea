import { useVirtualizer } from "@tanstack/react-virtual";
import {
  useEffect,
  useLayoutEffect,
  useRef,
  type AriaRole,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
} from "react";
import styles from "./virtual-list.module.css";

interface VirtualListProps {
  readonly count: number;
  readonly rowHeight: number;
  readonly label: string;
  /** `tree` or `grid`; `list` where nothing in it can be selected. */
  readonly role?: AriaRole;
  /** How many columns a grid has. */
  readonly columns?: number;
  /** The row that keys move; it is kept in sight. */
  readonly active?: number | undefined;
  /** The id of an active row's element, for who cannot see it. */
  readonly activeId?: string | undefined;
  /** What stands above the rows and stays there. */
  readonly header?: ReactNode;
  readonly renderRow: (index: number) => ReactNode;
  /** The rows that are on the screen now. */
  readonly onRange?: (first: number, last: number) => void;
  readonly onKeyDown?: (event: KeyboardEvent<HTMLDivElement>) => void;
  readonly scroller?: RefObject<HTMLDivElement | null>;
  readonly className?: string | undefined;
}

/** How many rows are drawn beyond the screen, so that a quick wheel shows no gap. */
const OVERSCAN = 12;

/** Rows of one height, of which only those on the screen are drawn: as quick with 100,000 as with ten. */
export function VirtualList({
  count,
  rowHeight,
  label,
  role = "list",
  columns,
  active,
  activeId,
  header,
  renderRow,
  onRange,
  onKeyDown,
  scroller: given,
  className = "",
}: VirtualListProps): ReactNode {
  const own = useRef<HTMLDivElement>(null);
  const scroller = given ?? own;
  const list = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    useFlushSync: false,
  });
  useLayoutEffect(() => list.measure(), [list, rowHeight]);
  const { startIndex = 0, endIndex = 0 } = list.range ?? {};
  useEffect(() => onRange?.(startIndex, endIndex), [onRange, startIndex, endIndex]);
  useKeepInSight(scroller, active, rowHeight);
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- its role is given
    <div
      ref={scroller}
      className={`${styles["scroller"]} ${className}`}
      role={role}
      aria-label={label}
      aria-rowcount={role === "grid" ? count + (header === undefined ? 0 : 1) : undefined}
      aria-colcount={columns}
      aria-activedescendant={activeId}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      {header}
      <div className={styles["rows"]} role="presentation" style={{ height: list.getTotalSize() }}>
        {list.getVirtualItems().map(({ index, start }) => (
          <div
            key={index}
            role="presentation"
            className={styles["row"]}
            style={{ translate: `0 ${start}px`, height: rowHeight }}
          >
            {renderRow(index)}
          </div>
        ))}
      </div>
    </div>
  );
}

/** Moves no more than it takes, and only when another row becomes active. */
function useKeepInSight(
  scroller: RefObject<HTMLDivElement | null>,
  active: number | undefined,
  rowHeight: number,
): void {
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element || active === undefined || active < 0) return;
    const rows = element.querySelector<HTMLElement>(`.${styles["rows"]}`);
    const header = rows?.offsetTop ?? 0;
    const top = active * rowHeight;
    const room = element.clientHeight - header;
    if (top < element.scrollTop) element.scrollTo({ top });
    else if (top + rowHeight > element.scrollTop + room) element.scrollTo({ top: top + rowHeight - room });
  }, [scroller, active, rowHeight]);
}
