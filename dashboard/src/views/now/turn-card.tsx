import { memo, useMemo, type ReactNode } from "react";
import { Link } from "wouter";
import type { RunData } from "../../../../src/monitor/api-types.ts";
import type { Writing } from "../../data/writings.ts";
import { addressOf } from "../../data/url.ts";
import { useRunLog } from "../../data/use-run-log.ts";
import { Elapsed } from "../../parts/elapsed.tsx";
import { tokensText } from "../../parts/format.ts";
import { errorText } from "../../parts/note.tsx";
import { plainText } from "../../parts/plain.ts";
import { toolLine } from "../../parts/tool-call.tsx";
import styles from "./now.module.css";
import { glanceAt, type Glance } from "./run-glance.ts";
import { RunHead } from "./run-head.tsx";

/** A turn that goes on: where, what it was told, what it does and what it said last. Its height never changes. */
export const TurnCard = memo(function TurnCard({ run }: { readonly run: RunData }): ReactNode {
  const { lines, writings, error } = useRunLog(run.run);
  // The agent's own words before those of its sub-agents.
  const writing = writings.find(({ parent }) => parent === undefined) ?? writings.at(-1);
  const glance = useMemo(() => glanceAt(lines), [lines]);
  return (
    <article className={styles["card"]} data-run-card={run.run} data-waits={run.activity === "waiting"}>
      <RunHead
        run={run}
        figures={glance.tokens > 0 && <span className="number quiet">{tokensText(glance.tokens)} tokens</span>}
      />
      <Link href={addressOf.run(run.run)} className={styles["prompt"] ?? ""} title={run.prompt?.slice(0, 2000)}>
        {plainText((run.prompt ?? "").slice(0, 600))}
      </Link>
      <CallLine run={run} glance={glance} writing={writing} />
      <Words glance={glance} writing={writing} error={error} />
    </article>
  );
});

/** What it does now, in one line that is always there. */
function CallLine({
  run,
  glance,
  writing,
}: {
  readonly run: RunData;
  readonly glance: Glance;
  readonly writing: Writing | undefined;
}): ReactNode {
  const { call, status } = glance;
  if (run.state === "running" && call) {
    const { icon, words } = toolLine(call.tool, call.input);
    return (
      <p className={styles["call"]}>
        {icon}
        <span className="cut" title={words}>
          {words}
        </span>
        <Elapsed since={call.since} />
      </p>
    );
  }
  const words = run.state === "running" ? doing(run, writing) : ended(run);
  return <p className={`${styles["call"]} quiet`}>{run.state === "running" ? (status ?? words) : words}</p>;
}

function doing({ activity }: RunData, writing: Writing | undefined): string {
  if (activity === "starting") return "Starting…";
  if (activity === "waiting") return "Waits for your answer, above";
  if (writing?.kind === "input") return `Writing what ${writing.tool ?? "a tool"} is given…`;
  if (writing?.kind === "thinking") return "Thinking…";
  return writing ? "Writing…" : "Waits for the model…";
}

function ended({ state, is_error: isError, end_reason: reason }: RunData): string {
  if (state === "interrupted") return "Its process was killed";
  return isError === true ? `Ended: ${reason ?? "an error"}` : "Ended";
}

/** Enough to fill the box. */
const SHOWN_LETTERS = 1200;

function Words({
  glance,
  writing,
  error,
}: {
  readonly glance: Glance;
  readonly writing: Writing | undefined;
  readonly error: unknown;
}): ReactNode {
  const isWriting = writing !== undefined && writing.kind !== "input";
  const words = isWriting ? writing : glance.words;
  const text = words === undefined ? "" : plainText(words.text.slice(-SHOWN_LETTERS).toWellFormed());
  return (
    <div className={styles["words"]} data-kind={words?.kind}>
      <p dir="auto">{error === undefined ? text : `Cannot be followed: ${errorText(error)}`}</p>
    </div>
  );
}
