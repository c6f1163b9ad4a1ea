import { X } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useDiff, useStateDetail } from "../../data/queries.ts";
import { useKeys } from "../../frame/keys.ts";
import { Reward, StateBadge } from "../../parts/badge.tsx";
import { Button, IconButton } from "../../parts/button.tsx";
import { Diff } from "../../parts/diff.tsx";
import { Id, Money } from "../../parts/facts.tsx";
import { countText, durationText, tokensText } from "../../parts/format.ts";
import { Answered } from "../../parts/note.tsx";
import { Switcher } from "../../parts/switcher.tsx";
import { addressOf, useGo, useSetParams } from "../../data/url.ts";
import styles from "./compare.module.css";
import { nodeTitle, type SkeinNode } from "./skein.ts";
import { usageOf } from "./usage-of.ts";

type What = "changes" | "answers" | "between";

interface Pair {
  readonly workspace: string;
  readonly left: SkeinNode;
  readonly right: SkeinNode;
}

/** Two states beside each other: what they are worth, what they cost, what each changed, what each said. */
export function Compare({ workspace, left, right, onClose }: Pair & { readonly onClose: () => void }): ReactNode {
  const [what, setWhat] = useState<What>("changes");
  const set = useSetParams();
  const swap = (): void => set({ select: right.id, compare: left.id });
  useKeys([
    { key: "Escape", label: "Compare no more", run: onClose },
    { key: "s", label: "Swap the two states", run: swap },
  ]);
  return (
    <section className={styles["compare"]} aria-label="Comparison">
      <header className={styles["header"]}>
        <h2>Compare</h2>
        <Switcher
          label="What is compared"
          value={what}
          choices={[
            { value: "changes", label: "What each changed" },
            { value: "between", label: "From A to B" },
            { value: "answers", label: "Answers" },
          ]}
          onChange={setWhat}
        />
        <span className={styles["space"]} />
        <Button size="small" look="quiet" shortcut="s" onClick={swap}>
          Swap
        </Button>
        <IconButton label="Compare no more" shortcut="Esc" icon={<X />} onClick={onClose} />
      </header>
      <div className={styles["body"]}>
        <Figures workspace={workspace} left={left} right={right} />
        {what === "between" ? (
          <Between workspace={workspace} left={left} right={right} />
        ) : (
          <div className={styles["columns"]}>
            {[left, right].map((node) =>
              what === "changes" ? (
                <OwnChanges key={node.id} workspace={workspace} node={node} />
              ) : (
                <OwnAnswer key={node.id} workspace={workspace} node={node} />
              ),
            )}
          </div>
        )}
      </div>
    </section>
  );
}

/** The figures of both in one table, so that they stand in a column. */
function Figures({ workspace, left, right }: Pair): ReactNode {
  const go = useGo();
  const details = [useStateDetail(workspace, left.id).data, useStateDetail(workspace, right.id).data].map(usageOf);
  const changes = [useDiff(workspace, left.id).data, useDiff(workspace, right.id).data];
  const names = [...new Set([left, right].flatMap(({ item }) => Object.keys(item?.rewards ?? {})))];
  return (
    <div className={styles["scroll"]}>
      <table className={styles["figures"]}>
        <thead>
          <tr>
            <th scope="col">
              <span className="said">Which</span>
            </th>
            <th scope="col">Prompt</th>
            {names.map((name) => (
              <th key={name} scope="col" data-number>
                {name}
              </th>
            ))}
            {["Cost", "Tokens", "Took", "Files"].map((name) => (
              <th key={name} scope="col" data-number>
                {name}
              </th>
            ))}
            <th scope="col">Outcome</th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          {[left, right].map((node, place) => (
            <tr key={node.id}>
              <th scope="row">
                <b className={styles["mark"]} data-second={place === 1 || undefined}>
                  {place === 0 ? "A" : "B"}
                </b>
              </th>
              <td className={styles["prompt"]}>
                <button
                  type="button"
                  className="cut"
                  title={nodeTitle(node)}
                  onClick={() => go(addressOf.state(workspace, node.id))}
                >
                  {nodeTitle(node)}
                </button>
              </td>
              {names.map((name) => {
                const value = node.item?.rewards[name];
                return <td key={name}>{value === undefined ? "–" : <Reward value={value} name={name} />}</td>;
              })}
              <td>
                <Money costUsd={node.item?.cost_usd} isOffline={node.item?.offline ?? null} />
              </td>
              <td>{tokensText(details[place]?.tokens)}</td>
              <td>{durationText(details[place]?.durationMs)}</td>
              <td>{changes[place]?.changes.length ?? "–"}</td>
              <td data-words>{node.item?.outcome ? <StateBadge state={node.item.outcome} /> : node.item?.kind}</td>
              <td data-words>
                <Id id={node.id} label="the state" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function OwnChanges({ workspace, node }: { readonly workspace: string; readonly node: SkeinNode }): ReactNode {
  const diff = useDiff(workspace, node.id);
  return (
    <div className={styles["column"]}>
      <Answered query={diff} what="the changes">
        {({ patch, changes, is_cut: isCut }) =>
          changes.length === 0 ? (
            <p className="quiet">Nothing was changed.</p>
          ) : (
            <>
              <Diff patch={patch} mostRows={2000} />
              {isCut && <p className="quiet small">The patch is longer than is shown.</p>}
            </>
          )
        }
      </Answered>
    </div>
  );
}

function OwnAnswer({ workspace, node }: { readonly workspace: string; readonly node: SkeinNode }): ReactNode {
  const detail = useStateDetail(workspace, node.id);
  return (
    <div className={styles["column"]}>
      <Answered query={detail} what="the answer">
        {({ transition }) => {
          const response = transition?.execution["response"];
          return typeof response === "string" && response !== "" ? (
            <p className={styles["answer"]}>{response}</p>
          ) : (
            <p className="quiet">It ended without an answer.</p>
          );
        }}
      </Answered>
    </div>
  );
}

/** What would have to change in A to have B. */
function Between({ workspace, left, right }: Pair): ReactNode {
  const diff = useDiff(workspace, right.id, { from: left.id });
  return (
    <div className={styles["column"]}>
      <Answered query={diff} what="the changes">
        {({ patch, changes }) =>
          changes.length === 0 ? (
            <p className="quiet">Both have the same files.</p>
          ) : (
            <>
              <p className="quiet small">{countText(changes.length, "file is", "files are")} different.</p>
              <Diff patch={patch} mode="split" mostRows={2000} />
            </>
          )
        }
      </Answered>
    </div>
  );
}
