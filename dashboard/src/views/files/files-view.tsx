import { ChevronLeft, ChevronRight } from "lucide-react";
import { useMemo, type ReactNode } from "react";
import { Link } from "wouter";
import type { TreeData } from "../../../../src/monitor/api-types.ts";
import { useDiff, useTree, useWorkspace } from "../../data/queries.ts";
import { addressOf, useParam, useSetParams } from "../../data/url.ts";
import { useKeys } from "../../frame/keys.ts";
import { View } from "../../frame/view.tsx";
import { IconButton } from "../../parts/button.tsx";
import { Time } from "../../parts/facts.tsx";
import { baseName, countText, shortId } from "../../parts/format.ts";
import { Answered, Empty, Loading } from "../../parts/note.tsx";
import { Switcher } from "../../parts/switcher.tsx";
import { FileContent } from "./file-content.tsx";
import { FileList } from "./file-list.tsx";
import type { Changes } from "./file-tree.ts";
import styles from "./files.module.css";
import { History } from "./history.tsx";
import { useAllFiles } from "./use-files.ts";

/** The files of a state. */
export function FilesView({ workspace }: { readonly workspace: string }): ReactNode {
  const tree = useTree(workspace);
  const path = useWorkspace(workspace).data?.path;
  if (tree.data && tree.data.nodes.length > 0) return <Loaded workspace={workspace} path={path} tree={tree.data} />;
  return (
    <View title="Files">
      <Answered query={tree} what="the states">
        {() => (
          <Empty title="No state is recorded here yet" command={`skein run -C '${path ?? "."}' "Explain this project"`}>
            The files of every recorded state can be read here, whatever is on the disk now.
          </Empty>
        )}
      </Answered>
    </View>
  );
}

interface LoadedProps {
  readonly workspace: string;
  readonly path: string | undefined;
  readonly tree: TreeData;
}

function Loaded({ workspace, path, tree }: LoadedProps): ReactNode {
  const set = useSetParams();
  const state = resolveState(useParam("state"), tree);
  const pane = useParam("pane") ?? "files";
  useStateKeys(state, tree);
  return (
    <View
      title="Files"
      crumbs={<Link href={addressOf.tree(workspace)}>{path === undefined ? "Tree" : baseName(path)}</Link>}
      actions={<StateSteps state={state} tree={tree} />}
      toolbar={
        <>
          <StateLine workspace={workspace} state={state} tree={tree} />
          <div className={styles["panes"]}>
            <Switcher
              label="Part of the view"
              value={pane === "content" || pane === "history" ? pane : "files"}
              choices={[
                { value: "files", label: "Files" },
                { value: "content", label: "Content" },
                { value: "history", label: "States" },
              ]}
              onChange={(next) => set({ pane: next === "files" ? undefined : next })}
            />
          </div>
        </>
      }
    >
      <div className={styles["view"]} data-pane={pane}>
        <Contents key={workspace} workspace={workspace} state={state} />
        <aside className={styles["history"]} aria-label="States and commits">
          <History workspace={workspace} state={state} tree={tree} />
        </aside>
      </div>
    </View>
  );
}

/** The file tree, and the file that is chosen in it. */
function Contents({ workspace, state }: { readonly workspace: string; readonly state: string }): ReactNode {
  const set = useSetParams();
  const chosen = useParam("path");
  const files = useAllFiles(workspace, state);
  const diff = useDiff(workspace, state);
  const changes = diff.data?.changes ?? NO_CHANGES;
  const item = useMemo(() => files.data?.files.find(({ path }) => path === chosen), [files.data, chosen]);
  const change = changes.find(({ path }) => path === chosen)?.type;
  return (
    <>
      <section className={styles["files"]} aria-label="Files">
        <Answered query={files} what="the files">
          {(all) => (
            <>
              <FileList
                files={all.files}
                changes={changes}
                selected={chosen}
                onSelect={(path) => set({ path, pane: "content" })}
              />
              <p className={styles["count"]}>
                {countText(all.files.length, "file")}
                {all.isCut ? ", the first ones" : ""}
                {changes.length > 0 ? `, ${changes.length} different from the state before` : ""}
              </p>
            </>
          )}
        </Answered>
      </section>
      <section className={styles["content"]} aria-label="Content">
        {chosen === undefined ? (
          <Empty title="No file is chosen">
            Files that the turn changed have a letter: A for added, M for modified, D for deleted, R for renamed.
          </Empty>
        ) : item === undefined && change === undefined ? (
          files.isPending || diff.isPending ? (
            <Loading what="the file" />
          ) : (
            <Empty title="This state has no such file">{chosen}</Empty>
          )
        ) : (
          <FileContent workspace={workspace} state={state} path={chosen} item={item} change={change} />
        )}
      </section>
    </>
  );
}

const NO_CHANGES: Changes = [];

/** The state that is looked at: by any of its names, else where the directory is, else the newest. */
function resolveState(name: string | undefined, { nodes, head, checkpoints }: TreeData): string {
  const here = head ?? nodes.at(-1)?.state_id ?? "@";
  if (name === undefined || name === "@") return here;
  const named = Object.hasOwn(checkpoints, name) ? checkpoints[name] : undefined;
  return named ?? nodes.find(({ state_id: id }) => name.length >= 4 && id.startsWith(name))?.state_id ?? name;
}

function StateLine({
  workspace,
  state,
  tree,
}: {
  readonly workspace: string;
  readonly state: string;
  readonly tree: TreeData;
}): ReactNode {
  const node = tree.nodes.find(({ state_id: id }) => id === state);
  return (
    <div className={styles["line"]}>
      <span className="quiet">at</span>
      <Link className="cut" href={addressOf.state(workspace, state)} title={node?.prompt ?? undefined}>
        {node?.prompt ?? (node ? "a state without a turn" : shortId(state))}
      </Link>
      <Link className="mono" href={addressOf.tree(workspace, state)}>
        {shortId(state)}
      </Link>
      {node && (
        <span className="quiet small">
          <Time at={node.recorded_at} />
        </span>
      )}
    </div>
  );
}

/** The states before and after, along the path that was recorded. */
function neighboursOf(state: string, { nodes }: TreeData): { readonly older?: string; readonly newer?: string } {
  const older = nodes.find(({ state_id: id }) => id === state)?.parent_id;
  const newer = nodes.findLast(({ parent_id: parent }) => parent === state)?.state_id;
  return { ...(typeof older === "string" && { older }), ...(newer !== undefined && { newer }) };
}

function useStateKeys(state: string, tree: TreeData): void {
  const set = useSetParams();
  const { older, newer } = neighboursOf(state, tree);
  useKeys([
    { key: "[", label: "The state before", run: () => set({ state: older }), isDisabled: older === undefined },
    { key: "]", label: "The state after", run: () => set({ state: newer }), isDisabled: newer === undefined },
  ]);
}

function StateSteps({ state, tree }: { readonly state: string; readonly tree: TreeData }): ReactNode {
  const set = useSetParams();
  const { older, newer } = neighboursOf(state, tree);
  return (
    <>
      <IconButton
        label="The state before"
        shortcut="["
        icon={<ChevronLeft />}
        disabled={older === undefined}
        onClick={() => set({ state: older })}
      />
      <IconButton
        label="The state after"
        shortcut="]"
        icon={<ChevronRight />}
        disabled={newer === undefined}
        onClick={() => set({ state: newer })}
      />
    </>
  );
}
