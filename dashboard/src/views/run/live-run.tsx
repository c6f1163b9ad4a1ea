import { useMemo, useState, type ReactNode } from "react";
import { Link } from "wouter";
import type { QuestionData, RunData } from "../../../../src/monitor/api-types.ts";
import type { RunLogData } from "../../data/run-log.ts";
import { addressOf } from "../../data/url.ts";
import { useLive } from "../../data/use-live.ts";
import { useRunLog } from "../../data/use-run-log.ts";
import { View } from "../../frame/view.tsx";
import { StateBadge } from "../../parts/badge.tsx";
import { Directory } from "../../parts/directory.ts";
import { Elapsed } from "../../parts/elapsed.tsx";
import { Facts, Id, Money, Path, Time } from "../../parts/facts.tsx";
import { baseName } from "../../parts/format.ts";
import { ErrorLine, Loading } from "../../parts/note.tsx";
import { plainLine } from "../../parts/plain.ts";
import { QuestionCards } from "../../parts/question-cards.tsx";
import { LevelSelect, Timeline, useLevel } from "../../parts/timeline.tsx";
import type { Entry, ToolEntry } from "../../parts/timeline/entries.ts";
import { createJournalTimeline, rawOfJournal } from "../../parts/timeline/from-journal.ts";
import { withWritings } from "../../parts/timeline/writing.ts";
import { toolLine } from "../../parts/tool-call.tsx";
import { RebuiltPane } from "./rebuilt-pane.tsx";
import { InterruptButton, RunSettings } from "./run-controls.tsx";
import styles from "./run.module.css";
import { Split } from "./split.tsx";

/** A turn that goes on, or one that came to no state: its timeline as it is written, and what it asks. */
export function LiveRun({
  run,
  workspace,
}: {
  readonly run: RunData;
  readonly workspace: string | undefined;
}): ReactNode {
  const log = useRunLog(run.run);
  const [level, setLevel] = useLevel();
  const isOver = run.state !== "running";
  const [read] = useState(createJournalTimeline);
  const entries = useMemo(() => read(log.lines, isOver), [read, log.lines, isOver]);
  return (
    <View
      title={plainLine(run.prompt ?? run.program ?? "A run", 200)}
      crumbs={
        <>
          {workspace === undefined ? (
            baseName(run.workspace)
          ) : (
            <Link href={addressOf.tree(workspace)}>{baseName(run.workspace)}</Link>
          )}
          <span aria-hidden>/</span>
        </>
      }
      actions={isOver ? undefined : <InterruptButton run={run} />}
      toolbar={
        <>
          <Doing run={run} entries={entries} />
          {!isOver && <RunSettings run={run} />}
          <LevelSelect level={level} onChange={setLevel} />
        </>
      }
    >
      <Split
        mainName="Timeline"
        main={<LiveTimeline run={run} log={log} entries={entries} level={level} />}
        tabs={[
          { value: "files", label: "Files", panel: <LiveFiles run={run} workspace={workspace} entries={entries} /> },
          { value: "facts", label: "Facts", panel: <LiveFacts run={run} /> },
        ]}
      />
    </View>
  );
}

/** What goes on now, since when, and what it has cost. */
function Doing({ run, entries }: { readonly run: RunData; readonly entries: readonly Entry[] }): ReactNode {
  const isOver = run.state !== "running";
  const running = entries.findLast(
    (entry) => entry.kind === "tool" && entry.call.isOpen && entry.call.runsSince !== undefined,
  );
  const line = running?.kind === "tool" ? toolLine(running.call.tool, running.call.input, run.directory) : undefined;
  return (
    <div className={styles["live"]}>
      <StateBadge
        state={
          isOver ? (run.state === "ended" ? (run.is_error === true ? "failed" : "ended") : "interrupted") : run.activity
        }
      />
      {!isOver && <Elapsed since={run.started_at} />}
      {run.cost_usd !== null && <Money costUsd={run.cost_usd} isOffline={run.offline} />}
      {line && (
        <span className={styles["doing"]}>
          {line.icon} <span className="cut">{line.words}</span>
        </span>
      )}
    </div>
  );
}

function LiveTimeline({
  run,
  log,
  entries,
  level,
}: {
  readonly run: RunData;
  readonly log: RunLogData;
  readonly entries: readonly Entry[];
  readonly level: ReturnType<typeof useLevel>[0];
}): ReactNode {
  const isRaw = level === "raw";
  const raw = useMemo(() => (isRaw ? rawOfJournal(log.lines) : []), [isRaw, log.lines]);
  const shown = useMemo(() => withWritings(entries, log.writings), [entries, log.writings]);
  const all = useLive(({ questions }) => questions);
  const questions = useMemo(() => ofRun(all, run.run), [all, run.run]);
  return (
    <div className={styles["column"]}>
      {questions.length > 0 && (
        <div className={styles["questions"]}>
          <QuestionCards questions={questions} isRunShown={false} />
        </div>
      )}
      <div className={styles["rest"]}>
        {log.error !== undefined && log.lines.length === 0 ? (
          <ErrorLine error={log.error} />
        ) : log.lines.length === 0 ? (
          <Loading lines={5} what="the run's events" />
        ) : (
          <Directory value={run.directory}>
            <Timeline entries={shown} raw={raw} level={level} isFollowing />
          </Directory>
        )}
      </div>
    </div>
  );
}

function ofRun(questions: ReadonlyMap<string, QuestionData>, run: string): readonly QuestionData[] {
  return [...questions.values()].filter((question) => question.run === run);
}

/** Until the turn is recorded only the edits of file tools are known. */
function LiveFiles({
  run,
  workspace,
  entries,
}: {
  readonly run: RunData;
  readonly workspace: string | undefined;
  readonly entries: readonly Entry[];
}): ReactNode {
  const calls = useMemo(() => callsIn(entries).map(asRecorded), [entries]);
  if (workspace === undefined) return <p className={styles["nothing"]}>Nothing of this folder is recorded yet.</p>;
  return (
    <RebuiltPane
      workspace={workspace}
      directory={run.directory}
      parent={run.before_state_id}
      calls={calls}
      step={calls.length}
      note="Rebuilt from the edits of file tools so far: what commands change shows when the turn has ended."
    />
  );
}

function callsIn(entries: readonly Entry[]): readonly ToolEntry[] {
  return entries.flatMap((entry) => (entry.kind === "tool" ? [entry, ...callsIn(entry.inside)] : []));
}

function asRecorded({ call: { tool, input, isError, isDenied, isOpen } }: ToolEntry) {
  return { tool, input, is_error: isError, is_denied: isDenied, is_open: isOpen };
}

function LiveFacts({ run }: { readonly run: RunData }): ReactNode {
  return (
    <div className={styles["facts"]}>
      <Facts
        facts={[
          ["Began", <Time key="began" at={run.started_at} />],
          ...(run.end_reason === null ? [] : [["Ended", run.error_kind ?? run.end_reason] as const]),
          [
            "Model",
            <span key="model" className="mono">
              {run.model ?? "not known yet"}
            </span>,
          ],
          ["Directory", <Path key="directory" path={run.directory} />],
          [
            "Process",
            <span key="process" className="number">
              {run.process_id}
            </span>,
          ],
          ...(run.session_id === null
            ? []
            : [
                [
                  "Session",
                  <Link key="session" className="mono" href={addressOf.session(run.session_id)}>
                    {run.session_id.slice(0, 12)}
                  </Link>,
                ] as const,
              ]),
          ["Run", <Id key="run" id={run.run} label="run" />],
        ]}
      />
    </div>
  );
}
