import {
  Bookmark,
  CornerDownRight,
  Ellipsis,
  FlaskConical,
  FolderTree,
  GitBranch,
  History,
  Undo2,
  Download,
  Flag,
} from "lucide-react";
import { useState, type ReactNode } from "react";
import { useWorkspace } from "../../data/queries.ts";
import { addressOf, useGo } from "../../data/url.ts";
import { useKeys } from "../../frame/keys.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { Menu } from "../../parts/menu.tsx";
import { ArrivalDialog } from "./arrival-dialog.tsx";
import styles from "./inspector.module.css";
import { MarkDialog } from "../../parts/mark-dialog.tsx";
import { BranchDialog, CheckpointDialog } from "./name-dialogs.tsx";
import type { Skein, SkeinNode } from "./skein.ts";

type Action = "restore" | "adopt" | "undo" | "branch" | "checkpoint" | "mark";

/** What can be done with a state. What changes files asks first, and says what will change. */
export function NodeActions({
  workspace,
  skein,
  node,
  remark,
}: {
  readonly workspace: string;
  readonly skein: Skein;
  readonly node: SkeinNode;
  readonly remark: string | null | undefined;
}): ReactNode {
  const [action, setAction] = useState<Action>();
  const go = useGo();
  const { id, isHead, item } = node;
  const isReadable = item?.kind !== "unreadable";
  const explore = (): void => go(startAt("search", workspace, id));
  const isTurnHere = isHead && item?.kind === "turn";
  useKeys([
    { key: "e", label: "Explore from the selected state", run: explore, isDisabled: !isReadable },
    { key: "r", label: "Restore the selected state", run: () => setAction("restore"), isDisabled: !isReadable },
    { key: "m", label: "Name the selected state", run: () => setAction("checkpoint") },
  ]);
  return (
    <div className={styles["actions"]}>
      {item?.kind === "turn" && (
        <Button size="small" look="primary" shortcut="↵" onClick={() => go(addressOf.state(workspace, id))}>
          Open the turn
        </Button>
      )}
      <Button size="small" icon={<FolderTree />} onClick={() => go(addressOf.files(workspace, id))}>
        Files
      </Button>
      <Button size="small" icon={<FlaskConical />} disabled={!isReadable} shortcut="e" onClick={explore}>
        Explore from here
      </Button>
      {isHead ? (
        <Button size="small" icon={<CornerDownRight />} onClick={() => go(startAt("run", workspace, id))}>
          Continue
        </Button>
      ) : (
        <Button
          size="small"
          icon={<History />}
          shortcut="r"
          disabled={!isReadable}
          onClick={() => setAction("restore")}
        >
          Restore…
        </Button>
      )}
      <Button size="small" icon={<Flag />} shortcut="m" onClick={() => setAction("checkpoint")}>
        Name…
      </Button>
      <Menu
        trigger={<IconButton label="More to do with this state" icon={<Ellipsis />} />}
        entries={[
          {
            label: "Bookmark and remark…",
            icon: <Bookmark />,
            onChoose: () => setAction("mark"),
          },
          {
            label: "Branch: a working copy…",
            icon: <GitBranch />,
            isDisabled: !isReadable,
            onChoose: () => setAction("branch"),
          },
          null,
          {
            label: "Adopt into the directory…",
            icon: <Download />,
            isDisabled: isHead || !isReadable,
            onChoose: () => setAction("adopt"),
          },
          { label: "Restore…", icon: <History />, isDisabled: !isReadable, onChoose: () => setAction("restore") },
          { label: "Undo this turn…", icon: <Undo2 />, isDisabled: !isTurnHere, onChoose: () => setAction("undo") },
        ]}
      />
      <Dialogs
        action={action}
        workspace={workspace}
        skein={skein}
        node={node}
        remark={remark}
        onClose={() => setAction(undefined)}
      />
    </div>
  );
}

function startAt(what: "run" | "search", workspace: string, from: string): string {
  return `/?${new URLSearchParams({ start: what, workspace, from }).toString()}`;
}

function Dialogs({
  action,
  workspace,
  skein,
  node,
  remark,
  onClose,
}: {
  readonly action: Action | undefined;
  readonly workspace: string;
  readonly skein: Skein;
  readonly node: SkeinNode;
  readonly remark: string | null | undefined;
  readonly onClose: () => void;
}): ReactNode {
  const path = useWorkspace(workspace).data?.path;
  const about = { workspace, state: node.id, onClose };
  switch (action) {
    case undefined:
      return null;
    case "restore":
    case "adopt":
    case "undo":
      return <ArrivalDialog {...about} path={path} how={action} />;
    case "branch":
      return <BranchDialog {...about} />;
    case "checkpoint":
      return <CheckpointDialog {...about} taken={takenNames(skein)} />;
    case "mark":
      return <MarkDialog {...about} bookmark={node.item?.bookmark ?? ""} remark={remark ?? ""} />;
  }
}

function takenNames({ nodes }: Skein): ReadonlyMap<string, string> {
  return new Map(nodes.flatMap(({ id, checkpoints }) => checkpoints.map((name) => [name, id] as const)));
}
