import { Bot, Pin } from "lucide-react";
import { useMemo, useState, type ReactNode } from "react";
import { Link } from "wouter";
import { addressOf, useGo } from "../../data/url.ts";
import { useKeys } from "../../frame/keys.ts";
import { Money, Time } from "../../parts/facts.tsx";
import { baseName, countText } from "../../parts/format.ts";
import { Answered, Empty } from "../../parts/note.tsx";
import { VirtualList } from "../../parts/virtual-list.tsx";
import { saidLine, sessionName } from "./session-name.ts";
import styles from "./sessions.module.css";
import { useSessionList, type Session, type SessionsAsked } from "./use-sessions.ts";

const ROW_PX = 60;

/** The sessions, one below the other: `j` and `k` go, Enter opens. */
export function SessionRows({ asked }: { readonly asked: SessionsAsked }): ReactNode {
  const list = useSessionList(asked);
  return (
    <Answered query={list} what="the sessions">
      {({ pages }) => (
        <Rows
          sessions={pages.flatMap(({ sessions }) => sessions)}
          isProjectShown={asked.project === undefined}
          onEnd={() => {
            if (list.hasNextPage && !list.isFetchingNextPage) void list.fetchNextPage();
          }}
        />
      )}
    </Answered>
  );
}

function Rows({
  sessions,
  isProjectShown,
  onEnd,
}: {
  readonly sessions: readonly Session[];
  readonly isProjectShown: boolean;
  readonly onEnd: () => void;
}): ReactNode {
  const go = useGo();
  const [at, setAt] = useState(-1);
  const step = (by: number): void => {
    setAt(Math.max(0, Math.min(sessions.length - 1, at + by)));
  };
  const open = (): void => {
    const session = sessions[at];
    if (session) go(addressOf.session(session.session_id));
  };
  useKeys([
    { key: "j", label: "Next session", run: () => step(1) },
    { key: "k", label: "Session before", run: () => step(-1) },
    { key: "Enter", label: "Open the session", run: open, isDisabled: at < 0 },
  ]);
  if (sessions.length === 0) return <Empty title="No session is like that">Choose another filter or project.</Empty>;
  return (
    <VirtualList
      count={sessions.length}
      rowHeight={ROW_PX}
      label="Sessions"
      active={at < 0 ? undefined : at}
      onRange={(_, last) => {
        if (last >= sessions.length - 10) onEnd();
      }}
      renderRow={(index) => (
        <Row session={sessions[index] as Session} isAt={index === at} isProjectShown={isProjectShown} />
      )}
    />
  );
}

function Row({
  session,
  isAt,
  isProjectShown,
}: {
  readonly session: Session;
  readonly isAt: boolean;
  readonly isProjectShown: boolean;
}): ReactNode {
  const { session_id: id, usage, project, ended_at: ended, is_unread: isUnread, pinned, subagents, messages } = session;
  const said = useMemo(() => saidLine(session.first_prompt ?? ""), [session.first_prompt]);
  const name = sessionName(session);
  return (
    <div role="listitem">
      <Link className={styles["row"] ?? ""} href={addressOf.session(id)} data-at={isAt} data-unread={isUnread}>
        <span className={styles["dot"]} title={isUnread ? "Something happened since you read it" : undefined}>
          {isUnread && <span className="said">unread</span>}
        </span>
        <span className={styles["name"]}>
          {pinned && <Pin aria-label="pinned" />}
          <span className="cut">{name}</span>
        </span>
        <span className={styles["when"]}>{ended !== null && <Time at={ended} />}</span>
        <span className={styles["words"]}>
          {isProjectShown && project !== null && <b title={project}>{baseName(project)}</b>}
          <span className="cut">{said === name ? (session.models.at(-1) ?? "") : said}</span>
        </span>
        <span className={styles["amounts"]}>
          {subagents > 0 && (
            <span className="number" title={countText(subagents, "sub-agent")}>
              <Bot aria-hidden /> {subagents}
            </span>
          )}
          <span className="number" title={countText(messages, "message")}>
            {messages.toLocaleString("en-US")} msg
          </span>
          <SessionCost usage={usage} />
        </span>
      </Link>
    </div>
  );
}

/** Money that may be more says so. */
export function SessionCost({ usage }: { readonly usage: Session["usage"] }): ReactNode {
  const isOffline = usage.cost_usd === 0 && usage.offline_cost_usd > 0;
  const isLower = usage.lower_bounds > 0 || usage.unpriced > 0;
  return (
    <span
      className={styles["cost"]}
      title={isLower ? "More may have been used: some counts were never final" : undefined}
    >
      {isLower && !isOffline && <span className="number">≥</span>}
      <Money costUsd={usage.cost_usd} isOffline={isOffline} />
    </span>
  );
}
