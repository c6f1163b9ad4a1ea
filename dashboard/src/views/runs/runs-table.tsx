import { ArrowDown, ArrowUp } from "lucide-react";
import { useCallback, useLayoutEffect, useMemo, useRef, useState, type ReactNode, type RefObject } from "react";
import type { RunData } from "../../../../src/monitor/api-types.ts";
import { addressOf, useGo, useParam, useSetParams } from "../../data/url.ts";
import { useLive } from "../../data/use-live.ts";
import { useKeys } from "../../frame/keys.ts";
import { Button } from "../../parts/button.tsx";
import { VirtualList } from "../../parts/virtual-list.tsx";
import { COLUMNS, type Column, type Order } from "./columns.ts";
import { NoRuns } from "./no-runs.tsx";
import styles from "./runs.module.css";
import { LiveRow, TurnRow } from "./turn-row.tsx";
import type { StatesList, Turn } from "./use-states.ts";
import { useRowHeight } from "./use-row-height.ts";

/** Two turns that are to be compared. */
interface Picked {
  readonly index: number;
  readonly turn: Turn;
}

/** The list: what runs now on top, then every recorded turn. */
export function RunsTable({
  states,
  order,
  isFiltered,
}: {
  readonly states: StatesList;
  readonly order: Order;
  readonly isFiltered: boolean;
}): ReactNode {
  const { count = 0, at, see } = states;
  const [active, setActive] = useActive();
  const [picked, setPicked] = useState<readonly Picked[]>([]);
  const rowHeight = useRowHeight();
  const go = useGo();
  const running = useRunning();
  const scroller = useRef<HTMLDivElement>(null);
  useSteadyList(scroller, running.length);

  const pick = (index: number): void => {
    const turn = at(index);
    if (!turn) return;
    const rest = picked.filter((each) => each.turn.state_id !== turn.state_id);
    setPicked(rest.length < picked.length ? rest : [...rest, { index, turn }].slice(-2));
  };
  const select = useCallback((index: number) => setActive(index), [setActive]);
  const compare = (): void => {
    const [left, right] = picked;
    if (left && right && isComparable(picked)) {
      go(addressOf.compare(left.turn.workspace_id, left.turn.state_id, right.turn.state_id));
    }
  };
  const open = (index: number): void => {
    const turn = at(index);
    if (turn) go(addressOf.state(turn.workspace_id, turn.state_id));
  };
  useTableKeys({ active, count, setActive, open, pick });
  useKeys([{ key: "c", label: "Compare the two that are selected", run: compare, isDisabled: !isComparable(picked) }]);
  const isPicked = (index: number): boolean => {
    const id = at(index)?.state_id;
    return picked.some(({ turn }) => turn.state_id === id);
  };
  return (
    <div className={styles["table"]}>
      <LiveRows running={running} />
      {count === 0 ? (
        <NoRuns isFiltered={isFiltered} />
      ) : (
        <VirtualList
          role="grid"
          label="Turns"
          count={count}
          columns={COLUMNS.length}
          rowHeight={rowHeight}
          active={active}
          activeId={active === undefined ? undefined : `turn-${active}`}
          onRange={see}
          scroller={scroller}
          header={<Header order={order} />}
          renderRow={(index) => (
            <TurnRow
              turn={at(index)}
              index={index}
              isActive={index === active}
              isPicked={picked.length > 0 && isPicked(index)}
              onSelect={select}
            />
          )}
        />
      )}
      {picked.length > 0 && <PickedBar picked={picked} onClear={() => setPicked([])} onCompare={compare} />}
    </div>
  );
}

/** Keys as a mail client has them. */
function useTableKeys({
  active,
  count,
  setActive,
  open,
  pick,
}: {
  readonly active: number | undefined;
  readonly count: number;
  readonly setActive: (index: number) => void;
  readonly open: (index: number) => void;
  readonly pick: (index: number) => void;
}): void {
  const move = (by: number) => (): void => setActive(Math.max(0, Math.min(count - 1, (active ?? -1) + by)));
  const isDisabled = active === undefined;
  useKeys([
    { key: "j", label: "The next turn", run: move(1) },
    { key: "k", label: "The turn before", run: move(-1) },
    { key: "ArrowDown", label: "The next turn", run: move(1) },
    { key: "ArrowUp", label: "The turn before", run: move(-1) },
    { key: "PageDown", label: "A screen further", run: move(20) },
    { key: "PageUp", label: "A screen back", run: move(-20) },
    { key: "Home", label: "The first turn", run: () => setActive(0) },
    { key: "End", label: "The last turn", run: () => setActive(count - 1) },
    { key: "Enter", label: "Open the turn", run: () => open(active ?? 0), isDisabled },
    { key: "x", label: "Select for comparing", run: () => pick(active ?? 0), isDisabled },
  ]);
}

function PickedBar({
  picked,
  onClear,
  onCompare,
}: {
  readonly picked: readonly Picked[];
  readonly onClear: () => void;
  readonly onCompare: () => void;
}): ReactNode {
  const canCompare = isComparable(picked);
  return (
    <div className={styles["picked"]} role="status">
      <span>
        {picked.length === 1
          ? "One turn is selected: x on another to compare them."
          : canCompare
            ? "Two turns are selected."
            : "The two are of different workspaces, which cannot be compared."}
      </span>
      <Button size="small" look="quiet" onClick={onClear}>
        Clear
      </Button>
      <Button size="small" look="primary" shortcut="c" disabled={!canCompare} onClick={onCompare}>
        Compare
      </Button>
    </div>
  );
}

function isComparable([left, right]: readonly Picked[]): boolean {
  return left !== undefined && right !== undefined && left.turn.workspace_id === right.turn.workspace_id;
}

/** The row that is selected is in the address, by its number: Back leads to it again. */
function useActive(): readonly [number | undefined, (index: number) => void] {
  const text = useParam("select");
  const set = useSetParams();
  const index = text !== undefined && /^\d{1,9}$/u.test(text) ? Number(text) - 1 : undefined;
  const select = useCallback((next: number) => set({ select: String(next + 1) }), [set]);
  return [index, select];
}

function Header({ order }: { readonly order: Order }): ReactNode {
  const set = useSetParams();
  return (
    <div className={styles["header"]} role="row" aria-rowindex={1}>
      {COLUMNS.map((column) => {
        const { id, name, orders, isNumber } = column;
        const sorted = sortOf(column, order);
        return (
          <span key={id} role="columnheader" data-column={id} data-number={isNumber || undefined} aria-sort={sorted}>
            {orders ? (
              <button
                type="button"
                onClick={() => {
                  const next = order === orders[0] ? orders[1] : orders[0];
                  set({ order: next === "newest" ? undefined : next, select: undefined });
                }}
              >
                {sorted === "descending" && <ArrowDown aria-hidden />}
                {sorted === "ascending" && <ArrowUp aria-hidden />}
                {name}
              </button>
            ) : (
              <span className={id === "state" ? "said" : undefined}>{name}</span>
            )}
          </span>
        );
      })}
    </div>
  );
}

function sortOf({ id, orders }: Column, order: Order): "ascending" | "descending" | "none" | undefined {
  if (!orders) return undefined;
  if (id === "time") return order === "newest" ? "descending" : order === "oldest" ? "ascending" : "none";
  return orders[0] === order ? "descending" : "none";
}

const MOST_LIVE = 5;

/** What runs now, the newest first. */
function useRunning(): readonly RunData[] {
  const runs = useLive((live) => live.runs);
  return useMemo(
    () =>
      [...runs.values()]
        .filter(({ state, kind }) => state === "running" && kind === "turn")
        .toSorted((left, right) => (left.started_at < right.started_at ? 1 : -1)),
    [runs],
  );
}

/** What is read stays where it is on the screen when rows above the list come and go. */
function useSteadyList(scroller: RefObject<HTMLDivElement | null>, rowsAbove: number): void {
  const top = useRef<number>(undefined);
  useLayoutEffect(() => {
    const element = scroller.current;
    const now = element?.offsetTop;
    const moved = (now ?? 0) - (top.current ?? now ?? 0);
    top.current = now;
    if (element && moved !== 0 && element.scrollTop > 0) element.scrollBy({ top: moved });
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- the list moves when there are more or fewer rows above it
  }, [scroller, rowsAbove]);
}

/** It has no place in the list before it is recorded. */
function LiveRows({ running }: { readonly running: readonly RunData[] }): ReactNode {
  if (running.length === 0) return null;
  return (
    <div className={styles["live"]} role="grid" aria-label="Runs that go on">
      {running.slice(0, MOST_LIVE).map((run) => (
        <LiveRow key={run.run} run={run} />
      ))}
      {running.length > MOST_LIVE && <p className="quiet small">and {running.length - MOST_LIVE} more</p>}
    </div>
  );
}
