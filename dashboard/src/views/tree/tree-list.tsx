import { Bookmark, Flag, MapPin } from "lucide-react";
import { memo, useContext, useMemo, useState, type KeyboardEvent, type ReactNode } from "react";
import { Reward, StateBadge } from "../../parts/badge.tsx";
import { Money, Time } from "../../parts/facts.tsx";
import { VirtualList } from "../../parts/virtual-list.tsx";
import { rewardOf } from "./rewards.ts";
import { nodeTitle, type Skein, type SkeinNode } from "./skein.ts";
import { ShownContext } from "./shown.ts";
import styles from "./tree-list.module.css";

interface Row {
  readonly node: SkeinNode;
  /** How many forks are above: a chain stays in its column. */
  readonly level: number;
  readonly isFork: boolean;
  readonly place: number;
  readonly siblings: number;
}

const ROW_PX = 32;

/** The same tree as lines, for who reads it line by line or cannot see it: arrows move, left and right close and open what comes after a fork. */
export function TreeList({
  skein,
  onSelect,
  onOpen,
}: {
  readonly skein: Skein;
  readonly onSelect: (id: string, isCompared: boolean) => void;
  readonly onOpen: (id: string) => void;
}): ReactNode {
  const { selected } = useContext(ShownContext);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => toRows(skein, closed), [skein, closed]);
  const active = rows.findIndex(({ node }) => node.id === selected);
  const close = (id: string, isClosed: boolean): void => {
    const next = new Set(closed);
    if (isClosed) next.add(id);
    else next.delete(id);
    setClosed(next);
  };
  const go = (place: number, isCompared: boolean): void => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, place))];
    if (row) onSelect(row.node.id, isCompared);
  };
  const press = (event: KeyboardEvent): void => {
    const row = rows[active];
    const { key } = event;
    if (key === "ArrowDown") go(active + 1, event.shiftKey);
    else if (key === "ArrowUp") go(active - 1, event.shiftKey);
    else if (key === "PageDown") go(active + 15, false);
    else if (key === "PageUp") go(active - 15, false);
    else if (key === "Home") go(0, false);
    else if (key === "End") go(rows.length - 1, false);
    else if (key === "ArrowRight" && row?.isFork) close(row.node.id, false);
    else if (key === "ArrowLeft" && row?.isFork && !closed.has(row.node.id)) close(row.node.id, true);
    else if (key === "ArrowLeft" && row?.node.parent) onSelect(row.node.parent.id, false);
    else if (key === "Enter" && row) onOpen(row.node.id);
    else return;
    event.preventDefault();
  };
  return (
    <VirtualList
      role="tree"
      label="States"
      count={rows.length}
      rowHeight={ROW_PX}
      active={active === -1 ? undefined : active}
      activeId={active === -1 ? undefined : `tree-${rows[active]?.node.id}`}
      onKeyDown={press}
      renderRow={(index) => {
        const row = rows[index];
        return row && <Line row={row} isClosed={closed.has(row.node.id)} onSelect={onSelect} onClose={close} />;
      }}
    />
  );
}

function toRows({ roots }: Skein, closed: ReadonlySet<string>): readonly Row[] {
  const rows: Row[] = [];
  const waiting = roots
    .map((node, place): Row => ({ node, level: 0, isFork: node.children.length > 1, place, siblings: roots.length }))
    .toReversed();
  for (let row = waiting.pop(); row; row = waiting.pop()) {
    rows.push(row);
    const { node, level, isFork } = row;
    if (closed.has(node.id)) continue;
    const below = node.children.map((child, place): Row => ({
      node: child,
      level: level + (isFork ? 1 : 0),
      isFork: child.children.length > 1,
      place,
      siblings: node.children.length,
    }));
    waiting.push(...below.toReversed());
  }
  return rows;
}

/** Deeper forks are not moved further to the right. */
const MOST_LEVELS = 16;

const Line = memo(function Line({
  row: { node, level, isFork, place, siblings },
  isClosed,
  onSelect,
  onClose,
}: {
  readonly row: Row;
  readonly isClosed: boolean;
  readonly onSelect: (id: string, isCompared: boolean) => void;
  readonly onClose: (id: string, isClosed: boolean) => void;
}): ReactNode {
  const { selected, compared, rewardName, range, best, found } = useContext(ShownContext);
  const { id, item, run } = node;
  const reward = rewardOf(item, rewardName);
  return (
    <div
      id={`tree-${id}`}
      role="treeitem"
      aria-level={level + 1}
      aria-posinset={place + 1}
      aria-setsize={siblings}
      aria-expanded={isFork ? !isClosed : undefined}
      aria-selected={selected === id || compared === id}
      className={styles["line"]}
      data-faint={(found !== undefined && !found.has(id)) || undefined}
      tabIndex={-1}
      onClick={(event) => onSelect(id, event.shiftKey)}
      onKeyDown={undefined}
      onDoubleClick={() => isFork && onClose(id, !isClosed)}
    >
      <span className={styles["indent"]} style={{ width: Math.min(level, MOST_LEVELS) * 16 }} />
      <span className={styles["fork"]} aria-hidden>
        {isFork ? (isClosed ? "▸" : "▾") : siblings > 1 ? "└" : ""}
      </span>
      <span className={styles["reward"]}>
        {reward !== undefined && (
          <Reward value={reward} {...range} {...(rewardName === undefined ? {} : { name: rewardName })} />
        )}
      </span>
      <span className={`${styles["prompt"]} cut`} title={nodeTitle(node)}>
        {nodeTitle(node)}
      </span>
      {best === id && <span className={styles["tag"]}>best</span>}
      {node.isHead && (
        <span className={styles["tag"]} data-here>
          <MapPin aria-hidden /> you are here
        </span>
      )}
      {node.checkpoints.map((name) => (
        <span key={name} className={styles["tag"]}>
          <Flag aria-hidden /> {name}
        </span>
      ))}
      {typeof item?.bookmark === "string" && (
        <span className={styles["tag"]}>
          <Bookmark aria-hidden /> {item.bookmark}
        </span>
      )}
      {run ? (
        <StateBadge state={run.state === "running" ? run.activity : run.state} />
      ) : (
        item?.outcome && item.outcome !== "completed" && <StateBadge state={item.outcome} />
      )}
      <span className={styles["cost"]}>
        {item?.kind === "turn" && <Money costUsd={item.cost_usd} isOffline={item.offline} />}
      </span>
      <span className={`${styles["time"]} quiet small`}>
        <Time at={item?.recorded_at ?? run?.started_at ?? ""} />
      </span>
    </div>
  );
});
