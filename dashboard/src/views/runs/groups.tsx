import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useCallback, useState, type ReactNode } from "react";
import { api } from "../../data/api.ts";
import { useKeys } from "../../frame/keys.ts";
import { Reward, StateBadge } from "../../parts/badge.tsx";
import { Money, Time } from "../../parts/facts.tsx";
import { baseName, countText } from "../../parts/format.ts";
import { Answered, Empty } from "../../parts/note.tsx";
import { VirtualList } from "../../parts/virtual-list.tsx";
import { mergeSearches, type ListedSearch } from "./merge-searches.ts";
import styles from "./runs.module.css";
import { useRowHeight } from "./use-row-height.ts";

interface GroupRow {
  readonly key: string;
  readonly filter: string;
  readonly title: string;
  readonly state: string | null;
  readonly workspace: string;
  readonly reward?: number | undefined;
  readonly size: string;
  readonly costUsd: number | null;
  readonly isOffline: boolean;
  readonly at: string;
}

type OnOpen = (filter: string) => void;

const PAGE = 100;

/** Conversations of all workspaces, the one changed last first; one opens as the list of its turns. */
export function Conversations({ onOpen }: { readonly onOpen: OnOpen }): ReactNode {
  const query = useInfiniteQuery({
    queryKey: ["workspaces", "all-conversations"],
    queryFn: ({ pageParam, signal }) => api.allConversations({ limit: PAGE, offset: pageParam }, signal),
    initialPageParam: 0,
    getNextPageParam: ({ next_offset: next }) => next,
  });
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  return (
    <Answered query={query} what="the conversations">
      {({ pages }) => (
        <Groups
          label="Conversations"
          rows={pages.flatMap(({ conversations }) =>
            conversations.map((each) => ({
              key: each.id,
              filter: `conversation:${each.id}`,
              title: each.first_prompt || "A conversation without a turn",
              state: each.last_outcome,
              workspace: each.workspace,
              size: countText(each.turns, "turn"),
              costUsd: each.cost_usd,
              isOffline: each.cost_usd === 0 && each.offline_cost_usd > 0,
              at: each.updated_at,
            })),
          )}
          onOpen={onOpen}
          onEnd={more}
        />
      )}
    </Answered>
  );
}

/** Searches of all workspaces with what their turns came to; one opens as the list of the turns that it tried. */
export function Searches({ onOpen }: { readonly onOpen: OnOpen }): ReactNode {
  const query = useInfiniteQuery({
    queryKey: ["workspaces", "all-searches"],
    queryFn: ({ pageParam, signal }) => api.recordedSearches({ limit: PAGE, offset: pageParam }, signal),
    initialPageParam: 0,
    getNextPageParam: ({ next_offset: next }) => next,
  });
  // What goes on in those that have not ended is known of their journals.
  const journals = useQuery({
    queryKey: ["runs", "searches"],
    queryFn: ({ signal }) => api.runs({ kind: "search", limit: 500 }, signal),
  });
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const runs = journals.data?.runs ?? [];
  return (
    <Answered query={query} what="the searches">
      {({ pages }) => (
        <Groups
          label="Searches"
          rows={mergeSearches(
            pages.flatMap(({ searches }) => searches),
            { runs, hasMore: hasNextPage },
          ).map(toRow)}
          onOpen={onOpen}
          onEnd={more}
        />
      )}
    </Answered>
  );
}

function toRow({ id, at, recorded, run }: ListedSearch): GroupRow {
  return {
    key: id,
    filter: `search:${id}`,
    title: recorded?.first_prompt || run?.prompt || run?.strategy || "A search",
    state: run === undefined ? null : run.state === "running" ? run.activity : run.state,
    workspace: recorded?.workspace ?? run?.workspace ?? "",
    reward: recorded?.best?.reward,
    size: recorded ? sizeOf(recorded) : (run?.end_reason ?? ""),
    costUsd: recorded ? recorded.cost_usd : (run?.cost_usd ?? null),
    isOffline: recorded ? recorded.cost_usd === 0 && recorded.offline_cost_usd > 0 : run?.offline === true,
    at,
  };
}

function sizeOf({ turns, failed }: { readonly turns: number; readonly failed: number }): string {
  return failed === 0 ? countText(turns, "turn") : `${countText(turns, "turn")}, ${failed} failed`;
}

function Groups({
  label,
  rows,
  onOpen,
  onEnd,
}: {
  readonly label: string;
  readonly rows: readonly GroupRow[];
  readonly onOpen: OnOpen;
  readonly onEnd?: () => void;
}): ReactNode {
  const [active, setActive] = useState<number>();
  const rowHeight = useRowHeight();
  const move = (by: number): void => setActive(Math.max(0, Math.min(rows.length - 1, (active ?? -1) + by)));
  const row = rows[active ?? -1];
  useKeys([
    { key: "j", label: "The next one", run: () => move(1) },
    { key: "k", label: "The one before", run: () => move(-1) },
    { key: "ArrowDown", label: "The next one", run: () => move(1) },
    { key: "ArrowUp", label: "The one before", run: () => move(-1) },
    { key: "Enter", label: "Show its turns", run: () => row && onOpen(row.filter), isDisabled: row === undefined },
  ]);
  const see = useCallback(
    (_first: number, last: number) => {
      if (last > rows.length - PAGE / 2) onEnd?.();
    },
    [rows.length, onEnd],
  );
  if (rows.length === 0) {
    return (
      <Empty title={`No ${label.toLowerCase()} yet`} command={'skein explore --prompt "Try it" --n 3'}>
        Each is a line here, and opens as the list of its turns.
      </Empty>
    );
  }
  return (
    <VirtualList
      role="grid"
      label={label}
      count={rows.length}
      rowHeight={rowHeight}
      active={active}
      activeId={active === undefined ? undefined : `group-${active}`}
      onRange={see}
      renderRow={(index) => {
        const each = rows[index];
        return each && <Group row={each} index={index} isActive={index === active} onOpen={onOpen} />;
      }}
    />
  );
}

function Group({
  row,
  index,
  isActive,
  onOpen,
}: {
  readonly row: GroupRow;
  readonly index: number;
  readonly isActive: boolean;
  readonly onOpen: OnOpen;
}): ReactNode {
  return (
    <div id={`group-${index}`} role="row" className={styles["group"]} data-active={isActive || undefined}>
      <span role="gridcell" data-column="state">
        {row.state !== null && <StateBadge state={row.state} isIconOnly />}
      </span>
      <span role="gridcell" data-column="prompt" className="cut">
        <button
          type="button"
          className="cut"
          tabIndex={-1}
          title={row.title.slice(0, 2000)}
          onClick={() => onOpen(row.filter)}
        >
          {row.title.slice(0, 300)}
        </button>
      </span>
      <span role="gridcell" data-column="workspace" className="cut" title={row.workspace}>
        {baseName(row.workspace)}
      </span>
      <span role="gridcell" data-column="reward">
        {row.reward !== undefined && <Reward value={row.reward} name="Best" />}
      </span>
      <span role="gridcell" data-column="files" className="cut number" title={row.size}>
        {row.size}
      </span>
      <span role="gridcell" data-column="cost">
        <Money costUsd={row.costUsd} isOffline={row.isOffline} />
      </span>
      <span role="gridcell" data-column="time" className="small">
        <Time at={row.at} />
      </span>
    </div>
  );
}
