import { memo, useMemo, type ReactNode } from "react";
import { Link } from "wouter";
import type { RunData } from "../../../../src/monitor/api-types.ts";
import { useWorkspaceId } from "../../data/queries.ts";
import { addressOf } from "../../data/url.ts";
import { useLive } from "../../data/use-live.ts";
import { useRunLog } from "../../data/use-run-log.ts";
import { Reward } from "../../parts/badge.tsx";
import { countText } from "../../parts/format.ts";
import { plainLine } from "../../parts/plain.ts";
import styles from "./now.module.css";
import { glanceAtSearch, type SearchGlance } from "./run-glance.ts";
import { RunHead } from "./run-head.tsx";

/** A search that goes on: how far it is, its best branch, and the turns that run for it now. */
export const SearchCard = memo(function SearchCard({ run }: { readonly run: RunData }): ReactNode {
  const { lines } = useRunLog(run.run);
  const glance = useMemo(() => glanceAtSearch(lines), [lines]);
  const { ended, failed, started, prompts, best } = glance;
  const tree = useWorkspaceId(run.workspace);
  const shownPrompts = prompts.map((prompt) => plainLine(prompt, 300)).join(" · ");
  return (
    <article className={styles["card"]} data-run-card={run.run}>
      <RunHead run={run} costUsd={run.cost_usd ?? (glance.costUsd > 0 ? glance.costUsd : null)} />
      <Link href={addressOf.run(run.run)} className={styles["prompt"] ?? ""} title={shownPrompts}>
        {`Search: ${shownPrompts || (run.strategy ?? "it begins")}`}
      </Link>
      <p className={styles["call"]}>
        <span className="cut">
          {run.strategy}: {countText(Math.max(started, ended + failed), "branch", "branches")}, {ended} done
          {failed > 0 && `, ${failed} failed`}
        </span>
        {best && (
          <span className={styles["best"]}>
            best <Reward value={best.reward} />
            {tree !== undefined && best.stateId !== "" && (
              <Link href={addressOf.tree(tree, best.stateId)}>in the tree</Link>
            )}
          </span>
        )}
      </p>
      <Branches run={run} glance={glance} />
    </article>
  );
});

const MOST_DRAWN = 120;

/** A mark for each branch that ended, by its reward, and a line for each turn that runs. */
function Branches({ run, glance }: { readonly run: RunData; readonly glance: SearchGlance }): ReactNode {
  const runs = useLive((live) => live.runs);
  const turns = useMemo(
    () =>
      [...runs.values()].filter(
        ({ process_id: id, kind, state, directory }) =>
          state === "running" && kind === "turn" && id === run.process_id && directory !== run.workspace,
      ),
    [runs, run.process_id, run.workspace],
  );
  return (
    <div className={styles["branches"]}>
      <div className={styles["marks"]} aria-hidden>
        {glance.rewards.slice(-MOST_DRAWN).map((reward, place) => (
          <Reward key={place} value={reward} />
        ))}
      </div>
      <ul>
        {turns.slice(0, 2).map(({ run: id, prompt, tool }) => (
          <li key={id}>
            <Link href={addressOf.run(id)} className="cut">
              {plainLine(prompt ?? id, 200)}
            </Link>
            <span className="cut quiet small">{tool ?? "writes"}</span>
          </li>
        ))}
        {turns.length > 2 && <li className="quiet small">and {turns.length - 2} more turns now</li>}
      </ul>
    </div>
  );
}
