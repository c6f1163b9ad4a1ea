import { useMemo, type ReactNode } from "react";
import { Link } from "wouter";
import type * as Api from "../../../../src/monitor/api-types.ts";
import { addressOf } from "../../data/url.ts";
import { Reward, StateBadge } from "../../parts/badge.tsx";
import { Code } from "../../parts/code.tsx";
import { Facts, Id, Money, Time } from "../../parts/facts.tsx";
import { countText, durationText, tokensText } from "../../parts/format.ts";
import { jsonText } from "../../parts/tool-words.ts";
import { visibleText } from "../../parts/visible-text.ts";
import styles from "./run.module.css";

type Fact = readonly [name: string, value: ReactNode];

/** What a recorded turn came to: outcome, cost, tokens, tools, rewards, and what it ran with. */
export function FactsPane({
  workspace,
  detail,
  data,
}: {
  readonly workspace: string;
  readonly detail: Api.StateDetail;
  /** The same turn as lists have it, with its sums. */
  readonly data: Api.StateData | undefined;
}): ReactNode {
  const { transition, rewards, remark, bookmark, checkpoints, settings, left_out: leftOut } = detail;
  const turn = data?.turn;
  const names = Object.entries(rewards);
  return (
    <div className={styles["facts"]}>
      {(remark !== null || bookmark !== null) && (
        <section className={styles["remark"]}>
          {bookmark !== null && <strong>{visibleText(bookmark)}</strong>}
          {remark !== null && <p>{visibleText(remark)}</p>}
        </section>
      )}
      <Facts facts={[...(turn ? turnFacts(turn) : []), ...stateFacts(workspace, detail)]} />
      {names.length > 0 && (
        <Part title="Rewards">
          <Facts facts={names.map(([name, value]): Fact => [name, <Reward key={name} name={name} value={value} />])} />
        </Part>
      )}
      {checkpoints.length > 0 && <Part title="Checkpoints">{checkpoints.map(visibleText).join(", ")}</Part>}
      {transition && transition.tools.length > 0 && (
        <Part title="Tools">
          <ToolTable tools={transition.tools} />
        </Part>
      )}
      {leftOut.length > 0 && (
        <Part title="Not in the state">
          <ul className="mono">
            {leftOut.slice(0, 20).map(({ path }) => (
              <li key={path}>{visibleText(path)}</li>
            ))}
          </ul>
          {leftOut.length > 20 && <p className="quiet small">and {leftOut.length - 20} more</p>}
        </Part>
      )}
      {Object.keys(settings).length > 0 && (
        <Part title="Ran with">
          <Code text={jsonText(settings)} language="json" mostLines={16} />
        </Part>
      )}
    </div>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode {
  return (
    <section className={styles["part"]}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

function turnFacts(turn: NonNullable<Api.StateData["turn"]>): readonly Fact[] {
  const read = turn.input_tokens + turn.cache_read_tokens + turn.cache_write_tokens;
  return [
    ["Outcome", <StateBadge key="outcome" state={turn.outcome} />],
    ...(turn.error_kind === null ? [] : [["Error", turn.error_kind] as const]),
    ["Cost", <Money key="cost" costUsd={turn.cost_usd} isOffline={turn.offline} />],
    [
      "Took",
      <span key="took" className="number">
        {durationText(turn.duration_ms)}
      </span>,
    ],
    [
      "Read",
      <span key="read" className="number">
        {tokensText(read)} tokens, {tokensText(turn.cache_read_tokens)} cached
      </span>,
    ],
    [
      "Wrote",
      <span key="wrote" className="number">
        {tokensText(turn.output_tokens)} tokens
      </span>,
    ],
    [
      "Model",
      <span key="model" className="mono">
        {turn.model}
      </span>,
    ],
  ];
}

function stateFacts(workspace: string, detail: Api.StateDetail): readonly Fact[] {
  const { transition, state_id: state, parent_id: parent, session_id: session, conversation_id: conversation } = detail;
  return [
    ...(transition
      ? [
          [
            "Recorded",
            <span key="at" className="small">
              <Time at={transition.recorded_at} />
            </span>,
          ] as const,
        ]
      : []),
    ["State", <Id key="state" id={state} label="state" />],
    ...(parent === null
      ? []
      : [
          [
            "Before it",
            <Link key="parent" className="mono" href={addressOf.state(workspace, parent)}>
              {parent.slice(0, 12)}
            </Link>,
          ] as const,
        ]),
    ["Conversation", <Id key="conversation" id={conversation} label="conversation" />],
    ...(session === null
      ? []
      : [
          [
            "Session",
            <Link key="session" className="mono" href={addressOf.session(session)}>
              {session.slice(0, 12)}
            </Link>,
          ] as const,
        ]),
    ...(transition ? [["Run", <Id key="run" id={transition.id} label="run" />] as const] : []),
  ];
}

interface ToolSum {
  readonly tool: string;
  readonly calls: number;
  readonly failed: number;
  readonly ms: number;
}

function ToolTable({ tools }: { readonly tools: NonNullable<Api.StateDetail["transition"]>["tools"] }): ReactNode {
  const sums = useMemo(() => {
    const byName = new Map<string, ToolSum>();
    for (const { tool, is_error: isError, is_denied: isDenied, duration_ms: ms } of tools) {
      const sum = byName.get(tool) ?? { tool, calls: 0, failed: 0, ms: 0 };
      byName.set(tool, {
        tool,
        calls: sum.calls + 1,
        failed: sum.failed + (isError || isDenied ? 1 : 0),
        ms: sum.ms + ms,
      });
    }
    return [...byName.values()].toSorted((left, right) => right.ms - left.ms);
  }, [tools]);
  return (
    <table className={styles["table"]}>
      <thead>
        <tr>
          <th scope="col">Tool</th>
          <th scope="col">Calls</th>
          <th scope="col">Failed</th>
          <th scope="col">Time</th>
        </tr>
      </thead>
      <tbody>
        {sums.map(({ tool, calls, failed, ms }) => (
          <tr key={tool}>
            <td title={countText(calls, "call")}>{visibleText(tool)}</td>
            <td className="number">{calls}</td>
            <td className="number" data-bad={failed > 0}>
              {failed === 0 ? "–" : failed}
            </td>
            <td className="number">{durationText(ms)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
