import { Bookmark, Flag, Layers, LoaderCircle, MapPin, Pencil, Play, X, Ban, Zap, TriangleAlert } from "lucide-react";
import { memo, useContext, type ComponentType, type ReactNode } from "react";
import { rewardLevel } from "../../parts/badge.tsx";
import { Elapsed } from "../../parts/elapsed.tsx";
import { countText, moneyText, rewardText } from "../../parts/format.ts";
import type { Pill } from "./fold.ts";
import styles from "./pill.module.css";
import { rewardOf } from "./rewards.ts";
import { nodeTitle, type SkeinNode } from "./skein.ts";
import { ShownContext, type Shown } from "./shown.ts";

/** A node of the tree: the prompt that led to it, what came of it, and the names that it has. */
export const PillBlock = memo(function PillBlock({ pill }: { readonly pill: Pill }): ReactNode {
  const shown = useContext(ShownContext);
  const { node, folded } = pill;
  if (folded.length > 0) return <FoldedPill folded={folded} shown={shown} />;
  const { item, run, id } = node;
  const isFaint = shown.found !== undefined && !shown.found.has(id);
  return (
    <div className={styles["block"]} data-faint={isFaint || undefined} title={titleOf(node)}>
      <div className={styles["label"]}>{item?.kind === "turn" || run ? <span>{labelText(node)}</span> : null}</div>
      <div
        className={styles["pill"]}
        data-level={levelOf(node, shown)}
        data-outcome={outcomeOf(node)}
        data-selected={shown.selected === id || undefined}
        data-compared={shown.compared === id || undefined}
        data-best={shown.best === id || undefined}
        data-found={shown.found?.has(id) || undefined}
      >
        <Inside node={node} shown={shown} />
      </div>
      <Names node={node} mark={shown.selected === id ? "A" : shown.compared === id ? "B" : undefined} shown={shown} />
    </div>
  );
});

/** Enough of a prompt for two lines; all of it is on hover. */
const LABEL_LETTERS = 80;

function labelText(node: SkeinNode): string {
  return nodeTitle(node).replaceAll(/\s+/gu, " ").slice(0, LABEL_LETTERS);
}

function titleOf(node: SkeinNode): string {
  return [
    nodeTitle(node),
    ...Object.entries(node.item?.rewards ?? {}).map(([name, value]) => `${name}: ${value}`),
  ].join("\n");
}

/** The colour of a pill: its reward on the scale; none where it has no reward. */
export function levelOf({ item }: SkeinNode, { rewardName, range }: Shown): number | undefined {
  const reward = rewardOf(item, rewardName);
  return reward === undefined ? undefined : rewardLevel(reward, range.lowest, range.highest);
}

/** What the shape of a pill says. */
export function outcomeOf({ item, run }: SkeinNode): string {
  if (run) return run.state === "running" ? "running" : "completed";
  if (item?.kind === "turn") return item.outcome ?? "completed";
  return item?.kind ?? "start";
}

const OUTCOMES: Readonly<Record<string, readonly [word: string, Icon: ComponentType<{ "aria-hidden"?: boolean }>]>> = {
  failed: ["failed", X],
  cancelled: ["cancelled", Ban],
  interrupted: ["cut off", Zap],
  start: ["start", Play],
  edit: ["your edits", Pencil],
  unreadable: ["unreadable", TriangleAlert],
};

function Inside({ node, shown }: { readonly node: SkeinNode; readonly shown: Shown }): ReactNode {
  const { item, run } = node;
  if (run) {
    return (
      <>
        <LoaderCircle aria-hidden />
        <span>{run.tool ?? "running"}</span>
        <Elapsed since={run.started_at} />
      </>
    );
  }
  const reward = rewardOf(item, shown.rewardName);
  const [word, Icon] = OUTCOMES[outcomeOf(node)] ?? [];
  return (
    <>
      {Icon && <Icon aria-hidden />}
      {word !== undefined && <span>{word}</span>}
      {reward !== undefined && <b>{rewardText(reward)}</b>}
      {item?.kind === "turn" && <span className={styles["cost"]}>{moneyText(item.cost_usd, item.offline)}</span>}
      {(item?.files_changed ?? 0) > 0 && (
        <span className={styles["files"]}>{countText(item?.files_changed ?? 0, "file")}</span>
      )}
    </>
  );
}

function Names({
  node: { item, checkpoints, isHead },
  mark,
  shown,
}: {
  readonly node: SkeinNode;
  readonly mark: "A" | "B" | undefined;
  readonly shown: Shown;
}): ReactNode {
  const bookmark = item?.bookmark;
  return (
    <div className={styles["names"]}>
      {mark !== undefined && shown.compared !== undefined && <b className={styles["mark"]}>{mark}</b>}
      {isHead && (
        <span className={styles["here"]}>
          <MapPin aria-hidden /> you are here
        </span>
      )}
      {checkpoints.map((name) => (
        <span key={name} className="cut" title={`Checkpoint ${name}`}>
          <Flag aria-hidden /> {name}
        </span>
      ))}
      {typeof bookmark === "string" && (
        <span className="cut" title={`Bookmark ${bookmark}`}>
          <Bookmark aria-hidden /> {bookmark}
        </span>
      )}
    </div>
  );
}

function FoldedPill({ folded, shown }: { readonly folded: readonly SkeinNode[]; readonly shown: Shown }): ReactNode {
  const found = folded.filter(({ id }) => shown.found?.has(id)).length;
  const title = `${countText(folded.length, "state")} without a fork: click to open them\n${folded
    .slice(0, 12)
    .map((node) => `· ${labelText(node)}`)
    .join("\n")}${folded.length > 12 ? "\n…" : ""}`;
  return (
    <div className={styles["block"]} data-faint={(shown.found !== undefined && found === 0) || undefined} title={title}>
      <div className={styles["label"]} />
      <div className={styles["pill"]} data-outcome="folded" data-found={found > 0 || undefined}>
        <Layers aria-hidden />
        <span>{countText(folded.length, "turn")}</span>
        {found > 0 && <b>{countText(found, "match", "matches")}</b>}
      </div>
    </div>
  );
}
