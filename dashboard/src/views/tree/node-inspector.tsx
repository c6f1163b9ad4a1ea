import { X } from "lucide-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { Link } from "wouter";
import type { StateDetail } from "../../../../src/monitor/api-types.ts";
import { api } from "../../data/api.ts";
import { useDiff, useStateDetail } from "../../data/queries.ts";
import { addressOf } from "../../data/url.ts";
import { Inspector } from "../../frame/view.tsx";
import { Reward, StateBadge } from "../../parts/badge.tsx";
import { IconButton } from "../../parts/button.tsx";
import { Diff } from "../../parts/diff.tsx";
import { Elapsed } from "../../parts/elapsed.tsx";
import { Facts, Id, Money, Time } from "../../parts/facts.tsx";
import { countText, durationText, tokensText } from "../../parts/format.ts";
import { Answered, ErrorLine } from "../../parts/note.tsx";
import styles from "./inspector.module.css";
import { NodeActions } from "./node-actions.tsx";
import { nodeTitle, type Skein, type SkeinNode } from "./skein.ts";
import { usageOf } from "./usage-of.ts";

/** What is known of a selected node: its facts, what can be done with it, and what it changed. */
export function NodeInspector({
  workspace,
  skein,
  node,
  onClose,
}: {
  readonly workspace: string;
  readonly skein: Skein;
  readonly node: SkeinNode;
  readonly onClose: () => void;
}): ReactNode {
  const { run } = node;
  if (run) {
    return (
      <Inspector title="A turn that goes on" onClose={onClose}>
        <Prompt text={nodeTitle(node)} />
        <Facts
          facts={[
            ["State", <StateBadge key="state" state={run.state === "running" ? run.activity : run.state} />],
            ["For", <Elapsed key="for" since={run.started_at} />],
            ["Tool", run.tool ?? "–"],
            ["Model", run.model ?? "–"],
          ]}
        />
        <Link href={addressOf.run(run.run)}>Watch it</Link>
      </Inspector>
    );
  }
  return <StateInspector key={node.id} workspace={workspace} skein={skein} node={node} onClose={onClose} />;
}

function StateInspector({
  workspace,
  skein,
  node,
  onClose,
}: {
  readonly workspace: string;
  readonly skein: Skein;
  readonly node: SkeinNode;
  readonly onClose: () => void;
}): ReactNode {
  const detail = useStateDetail(workspace, node.id);
  const title = nodeTitle(node);
  return (
    <Inspector title={KINDS[node.item?.kind ?? "turn"]} onClose={onClose}>
      <NodeActions workspace={workspace} skein={skein} node={node} remark={detail.data?.remark} />
      {node.item?.kind === "turn" && <Prompt text={detail.data?.transition?.prompt.text ?? title} />}
      {typeof detail.data?.remark === "string" && <p className={styles["remark"]}>{detail.data.remark}</p>}
      <NodeFacts workspace={workspace} node={node} detail={detail.data} />
      <ErrorLine error={detail.error} />
      <Answer detail={detail.data} />
      <Changes workspace={workspace} state={node.id} />
    </Inspector>
  );
}

const KINDS = {
  turn: "Turn",
  start: "Start of a conversation",
  edit: "Changes outside of any turn",
  unreadable: "A state that cannot be read",
} as const;

const LONG_PROMPT = 400;

function Prompt({ text }: { readonly text: string }): ReactNode {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > LONG_PROMPT;
  return (
    <p className={styles["prompt"]}>
      {isLong && !isWhole ? `${text.slice(0, LONG_PROMPT)}…` : text}
      {isLong && (
        <button type="button" className={styles["more"]} onClick={() => setWhole(!isWhole)}>
          {isWhole ? "less" : "all of it"}
        </button>
      )}
    </p>
  );
}

/** Facts of a state in two columns; what is not known yet has its line already, so that nothing jumps. */
function NodeFacts({
  workspace,
  node: { id, item, checkpoints, isHead },
  detail,
}: {
  readonly workspace: string;
  readonly node: SkeinNode;
  readonly detail: StateDetail | undefined;
}): ReactNode {
  const rewards = Object.entries(item?.rewards ?? {});
  const { tokens, durationMs, model, tools } = usageOf(detail);
  const isTurn = item?.kind === "turn";
  return (
    <Facts
      facts={[
        ...(rewards.length > 0
          ? ([
              [
                "Rewards",
                <span key="rewards" className={styles["rewards"]}>
                  {rewards.map(([name, value]) => (
                    <span key={name}>
                      {name} <Reward value={value} name={name} />
                    </span>
                  ))}
                </span>,
              ],
            ] as const)
          : []),
        ...(isTurn
          ? ([
              ["Outcome", <StateBadge key="outcome" state={item?.outcome ?? "completed"} />],
              ["Cost", <Money key="cost" costUsd={item?.cost_usd} isOffline={item?.offline ?? null} />],
              [
                "Tokens",
                <span key="tokens" className="number">
                  {tokensText(tokens)}
                </span>,
              ],
              [
                "Took",
                <span key="took" className="number">
                  {durationText(durationMs)}
                </span>,
              ],
              [
                "Model",
                <span key="model" className="mono">
                  {model ?? "–"}
                </span>,
              ],
              ["Tools", tools === "" ? "–" : tools],
            ] as const)
          : []),
        ["Recorded", <Time key="at" at={item?.recorded_at ?? ""} />],
        [
          "State",
          <span key="id">
            <Id id={id} label="the state" />
            {isHead ? " · you are here" : ""}
          </span>,
        ],
        ...(checkpoints.length > 0
          ? ([["Names", <Checkpoints key="names" workspace={workspace} names={checkpoints} />]] as const)
          : []),
      ]}
    />
  );
}

function Checkpoints({
  workspace,
  names,
}: {
  readonly workspace: string;
  readonly names: readonly string[];
}): ReactNode {
  const cache = useQueryClient();
  const remove = useMutation({
    mutationFn: async (name: string) => await api.removeCheckpoint(workspace, name),
    onSuccess: async () => await cache.invalidateQueries({ queryKey: ["workspaces"] }),
  });
  return (
    <>
      {names.map((name) => (
        <span key={name} className={styles["name"]}>
          {name}
          <IconButton
            label={`Take the name ${name} away; the state stays`}
            icon={<X />}
            onClick={() => remove.mutate(name)}
          />
        </span>
      ))}
      <ErrorLine error={remove.error} />
    </>
  );
}

function Answer({ detail }: { readonly detail: StateDetail | undefined }): ReactNode {
  const response = detail?.transition?.execution["response"];
  if (typeof response !== "string" || response.trim() === "") return null;
  return (
    <section>
      <h3>Answer</h3>
      <p className={styles["answer"]}>{response}</p>
    </section>
  );
}

/** What is different from the state before. */
function Changes({ workspace, state }: { readonly workspace: string; readonly state: string }): ReactNode {
  const diff = useDiff(workspace, state);
  return (
    <section className={styles["changes"]}>
      <h3>
        Changes {diff.data && diff.data.changes.length > 0 ? `in ${countText(diff.data.changes.length, "file")}` : ""}
      </h3>
      <Answered query={diff} what="the changes">
        {({ changes, patch, is_cut: isCut }) =>
          changes.length === 0 ? (
            <p className="quiet">Nothing was changed.</p>
          ) : (
            <>
              <div className={styles["diff"]}>
                <Diff patch={patch} mostRows={300} />
              </div>
              {isCut && <p className="quiet small">The patch is longer: open the turn to see each file.</p>}
            </>
          )
        }
      </Answered>
    </section>
  );
}
