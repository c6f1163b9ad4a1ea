import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode, type RefObject } from "react";
import type { SessionMessages } from "../../../../src/monitor/api-types.ts";
import { useSetParams } from "../../data/url.ts";
import { Directory } from "../../parts/directory.ts";
import { Answered, Empty } from "../../parts/note.tsx";
import { Timeline, type useLevel } from "../../parts/timeline.tsx";
import type { Entry } from "../../parts/timeline/entries.ts";
import { fromSession, rawOfSession } from "../../parts/timeline/from-session.ts";
import { useSessionPages, useShowWhole, type PageAsked } from "./use-sessions.ts";

/** The messages of a session as a timeline: at its end at once, however long it is; what is before comes as it is scrolled to. */
export function Reader({
  asked,
  project,
  sizeBytes,
  level,
  words,
}: {
  readonly asked: PageAsked;
  readonly project: string | null;
  readonly sizeBytes: number;
  readonly level: ReturnType<typeof useLevel>[0];
  readonly words: string;
}): ReactNode {
  const pages = useSessionPages(asked);
  const { data, hasPreviousPage, isFetching, fetchPreviousPage, fetchNextPage } = pages;
  const set = useSetParams();
  const hasMore = data?.pages.at(-1)?.has_after === true;
  const showWhole = useLatest(useShowWhole(asked));
  const [read] = useState(createPageReader);
  const entries = useMemo(
    () => data?.pages.flatMap((page) => read(page, (message) => showWhole.current(page, message))) ?? [],
    [data, read, showWhole],
  );
  const isRaw = level === "raw";
  const raw = useMemo(
    () => (isRaw && data?.pages.flatMap(({ messages, start }) => rawOfSession(messages, String(start)))) || [],
    [data, isRaw],
  );
  const toStart = useCallback(() => {
    if (hasPreviousPage && !isFetching) void fetchPreviousPage();
  }, [hasPreviousPage, isFetching, fetchPreviousPage]);
  const toNext = useCallback(() => {
    if (hasMore && !isFetching) void fetchNextPage();
  }, [hasMore, isFetching, fetchNextPage]);
  useGrowth(sizeBytes, () => {
    if (data && !hasMore && !isFetching) void fetchNextPage();
  });
  return (
    <Answered query={pages} what="the messages">
      {() =>
        entries.length === 0 ? (
          <Empty title="Nothing was said">The transcript has records, and no message among them.</Empty>
        ) : (
          <Directory value={project ?? undefined}>
            <Timeline
              entries={entries}
              raw={raw}
              level={level}
              isFollowing
              marked={words}
              {...(asked.at === undefined ? {} : { shownKey: `${asked.at}.` })}
              onReachStart={toStart}
              onReachEnd={toNext}
              onToEnd={asked.at === undefined ? undefined : () => set({ at: undefined })}
            />
          </Directory>
        )
      }
    </Answered>
  );
}

type Page = SessionMessages;

/** Reads each page once: while a long session is scrolled through, page after page comes to those that are there. */
function createPageReader() {
  const known = new WeakMap<Page, readonly Entry[]>();
  return (page: Page, showWhole: (message: Page["messages"][number]) => void): readonly Entry[] => {
    const entries = known.get(page) ?? fromSession(page.messages, String(page.start), showWhole);
    known.set(page, entries);
    return entries;
  };
}

/** What is called by entries that are kept for longer than a drawing. */
function useLatest<Value>(value: Value): RefObject<Value> {
  const latest = useRef(value);
  useEffect(() => {
    latest.current = value;
  });
  return latest;
}

/** Does something when the transcript has grown. */
function useGrowth(sizeBytes: number, onGrowth: () => void): void {
  const known = useRef(sizeBytes);
  useEffect(() => {
    if (sizeBytes === known.current) return;
    known.current = sizeBytes;
    onGrowth();
  }, [sizeBytes, onGrowth]);
}
