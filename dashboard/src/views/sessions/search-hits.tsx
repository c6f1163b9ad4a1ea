import { Fragment, useMemo, type ReactNode } from "react";
import { Link } from "wouter";
import type { SearchHits } from "../../../../src/monitor/api-types.ts";
import { addressOf } from "../../data/url.ts";
import { Button } from "../../parts/button.tsx";
import { Time } from "../../parts/facts.tsx";
import { baseName, bytesText } from "../../parts/format.ts";
import { Answered, Empty } from "../../parts/note.tsx";
import { plainLine } from "../../parts/plain.ts";
import { visibleText } from "../../parts/visible-text.ts";
import styles from "./sessions.module.css";
import { useSearch } from "./use-sessions.ts";

type Hit = SearchHits["hits"][number];

const ROLES: Readonly<Record<Hit["role"], string>> = {
  prompt: "asked",
  answer: "answered",
  thinking: "thought",
  tool: "did",
  title: "title",
};

/** Messages that hold the words, by session, the best first. */
export function SearchHitList({
  words,
  project,
}: {
  readonly words: string;
  readonly project: string | undefined;
}): ReactNode {
  const found = useSearch(words, project === undefined ? {} : { project });
  return (
    <Answered query={found} what="what was found">
      {({ pages }) => {
        const hits = pages.flatMap((page) => page.hits);
        const missing = pages.at(-1)?.missing_bytes ?? 0;
        return (
          <div className={styles["list"]} role="region" aria-label="What was found" tabIndex={0}>
            {missing > 0 && (
              <p className={styles["missing"]}>
                {bytesText(missing)} of transcripts are still being taken in: there may be more.
              </p>
            )}
            {hits.length === 0 ? (
              <Empty title="Nothing holds all these words">{'"a phrase" and begin* are understood.'}</Empty>
            ) : (
              <Groups hits={hits} words={words} />
            )}
            {found.hasNextPage && (
              <div className={styles["more"]}>
                <Button size="small" disabled={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
                  Show more
                </Button>
              </div>
            )}
          </div>
        );
      }}
    </Answered>
  );
}

function Groups({ hits, words }: { readonly hits: readonly Hit[]; readonly words: string }): ReactNode {
  const groups = useMemo(() => {
    const byId = new Map<string, Hit[]>();
    for (const hit of hits) byId.set(hit.session_id, [...(byId.get(hit.session_id) ?? []), hit]);
    return [...byId];
  }, [hits]);
  return groups.map(([session, own]) => (
    <section key={session} className={styles["group"]}>
      <h3 className={styles["groupHead"]}>
        <Link href={addressOf.session(session)}>{plainLine(own[0]?.session_title ?? "") || session.slice(0, 12)}</Link>
        {own[0]?.project && <span className="quiet small">{baseName(own[0].project)}</span>}
      </h3>
      {own.map((hit, place) => (
        <Link key={place} className={styles["hit"] ?? ""} href={hitAddress(session, hit, words)}>
          <span className={styles["role"]}>{ROLES[hit.role]}</span>
          <span className={styles["snippet"]}>
            <Snippet hit={hit} />
          </span>
          <span className={styles["when"]}>{hit.at !== null && <Time at={hit.at} />}</span>
        </Link>
      ))}
    </section>
  ));
}

/** The address of a message in its session. */
function hitAddress(session: string, hit: Hit, words: string): string {
  const query = new URLSearchParams({ words, at: String(hit.offset) });
  return `${addressOf.session(session)}?${query.toString()}`;
}

/** The text around the words, with the words marked. */
function Snippet({ hit: { snippet, ranges } }: { readonly hit: Hit }): ReactNode {
  if (snippet === null) return <span className="quiet">The file is gone</span>;
  return (
    <>
      {ranges.map(([start, end], place) => (
        <Fragment key={place}>
          {visibleText(snippet.slice(ranges[place - 1]?.[1] ?? 0, start))}
          <mark>{visibleText(snippet.slice(start, end))}</mark>
        </Fragment>
      ))}
      {visibleText(snippet.slice(ranges.at(-1)?.[1] ?? 0))}
    </>
  );
}
