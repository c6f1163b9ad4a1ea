import { useEffect, type ReactNode } from "react";
import { Link } from "wouter";
import { addressOf, useParam, useSetParams } from "../../data/url.ts";
import { View } from "../../frame/view.tsx";
import { Time } from "../../parts/facts.tsx";
import { baseName, countText, durationText } from "../../parts/format.ts";
import { Answered } from "../../parts/note.tsx";
import { plainLine } from "../../parts/plain.ts";
import { Select } from "../../parts/select.tsx";
import { LevelSelect, useLevel } from "../../parts/timeline.tsx";
import { useHealth } from "../../data/queries.ts";
import { FindBar } from "./find-bar.tsx";
import { Reader } from "./reader.tsx";
import { SessionActions } from "./session-actions.tsx";
import { sessionName } from "./session-name.ts";
import { SessionCost } from "./session-rows.tsx";
import styles from "./sessions.module.css";
import { useFlags, useSession, useSubagents, type Session } from "./use-sessions.ts";

/** A session of Claude Code's, read from its end. */
export function SessionView({ session: id }: { readonly session: string }): ReactNode {
  const session = useSession(id);
  if (!session.data) {
    return (
      <View title="Session">
        <Answered query={session} what="the session">
          {() => null}
        </Answered>
      </View>
    );
  }
  return <Opened session={session.data.session} />;
}

function Opened({ session }: { readonly session: Session }): ReactNode {
  const { project, subagents } = session;
  const [level, setLevel] = useLevel();
  const set = useSetParams();
  const agent = useParam("agent");
  const words = useParam("words") ?? "";
  const at = Number(useParam("at") ?? Number.NaN);
  useRead(session);
  return (
    <View
      title={sessionName(session)}
      crumbs={
        <>
          <Link
            href={
              project === null ? addressOf.sessions() : `${addressOf.sessions()}?project=${encodeURIComponent(project)}`
            }
          >
            {project === null ? "Sessions" : baseName(project)}
          </Link>
          <span aria-hidden>/</span>
        </>
      }
      actions={<SessionActions session={session} />}
      toolbar={
        <>
          <FindBar session={session.session_id} words={words} at={Number.isInteger(at) ? at : undefined} />
          <Summary session={session} />
          {subagents > 0 && (
            <AgentSelect session={session} agent={agent} onChange={(next) => set({ agent: next, at: undefined })} />
          )}
          <LevelSelect level={level} onChange={setLevel} />
        </>
      }
    >
      <Reader
        key={`${agent ?? ""} ${Number.isInteger(at) ? at : "end"}`}
        asked={{ session: session.session_id, agent, at: Number.isInteger(at) ? at : undefined }}
        project={project}
        sizeBytes={session.size_bytes}
        level={level}
        words={words}
      />
    </View>
  );
}

/** Whoever opens a session has read it up to here. */
function useRead(session: Session): void {
  const { mutate } = useFlags(session.session_id);
  const isReadOnly = useHealth().data?.read_only;
  const { is_unread: isUnread, ended_at: ended } = session;
  useEffect(() => {
    if (isUnread && ended !== null && isReadOnly === false) mutate({ read_to: ended });
  }, [isUnread, ended, isReadOnly, mutate]);
}

function Summary({ session }: { readonly session: Session }): ReactNode {
  const { started_at: started, ended_at: ended, messages, usage } = session;
  return (
    <div className={styles["summary"]}>
      <SessionCost usage={usage} />
      <span className="number">{countText(messages, "message")}</span>
      {started !== null && ended !== null && (
        <span className="number" title="From its first record to its last">
          {durationText(Date.parse(ended) - Date.parse(started))}
        </span>
      )}
      {ended !== null && <Time at={ended} />}
    </div>
  );
}

/** The conversation itself, or one of its sub-agents. */
function AgentSelect({
  session,
  agent,
  onChange,
}: {
  readonly session: Session;
  readonly agent: string | undefined;
  readonly onChange: (agent: string | undefined) => void;
}): ReactNode {
  const { data } = useSubagents(session.session_id, session.subagents > 0);
  // Sub-agents of old versions have no file of their own: they stand within the conversation.
  if (!data || data.subagents.length === 0) return null;
  const choices = data.subagents.map(({ agent_id: id, first_prompt: prompt }, place) => ({
    value: id,
    label: `${place + 1}. ${plainLine(prompt ?? id, 60)}`,
  }));
  return (
    <Select
      label="Agent"
      value={agent ?? ""}
      choices={[{ value: "", label: "Conversation" }, ...choices]}
      onChange={(next) => onChange(next || undefined)}
    />
  );
}
