import { ChevronsDownUp } from "lucide-react";
import { useCallback, useMemo, useState, type ReactNode } from "react";
import { Link } from "wouter";
import type { TreeData } from "../../../../src/monitor/api-types.ts";
import { useTree, useWorkspace, useWorkspaces } from "../../data/queries.ts";
import { addressOf, useGo, useParam, useSetParams } from "../../data/url.ts";
import { useKeys } from "../../frame/keys.ts";
import { View } from "../../frame/view.tsx";
import { Button } from "../../parts/button.tsx";
import { baseName, countText } from "../../parts/format.ts";
import { Answered, Empty } from "../../parts/note.tsx";
import { Select } from "../../parts/select.tsx";
import { Switcher } from "../../parts/switcher.tsx";
import { Compare } from "./compare.tsx";
import type { Pill } from "./fold.ts";
import { Graph } from "./graph.tsx";
import { neighbour, type Direction } from "./neighbours.ts";
import { NodeInspector } from "./node-inspector.tsx";
import { ShownContext } from "./shown.ts";
import { nodeTitle, type SkeinNode } from "./skein.ts";
import { TreeList } from "./tree-list.tsx";
import styles from "./tree.module.css";
import { useTreeModel, type TreeModel } from "./use-tree-model.ts";

/** The tree of a workspace's states. */
export function TreeView({ workspace }: { readonly workspace: string }): ReactNode {
  const tree = useTree(workspace);
  const path = useWorkspace(workspace).data?.path;
  const name = path === undefined ? "Tree" : baseName(path);
  if (tree.data && tree.data.nodes.length > 0) {
    return <Loaded key={workspace} workspace={workspace} path={path} name={name} data={tree.data} />;
  }
  return (
    <View title={name} crumbs={<Link href={addressOf.trees()}>Tree</Link>}>
      <Answered query={tree} what="the tree">
        {() => (
          <Empty title="Nothing is recorded here yet" command={`skein run -C '${path ?? "."}' "Explain this project"`}>
            Each turn of an agent becomes a node, with what it cost and what it was worth.
          </Empty>
        )}
      </Answered>
    </View>
  );
}

interface LoadedProps {
  readonly workspace: string;
  readonly path: string | undefined;
  readonly name: string;
  readonly data: TreeData;
}

function Loaded({ workspace, path, name, data }: LoadedProps): ReactNode {
  const set = useSetParams();
  const [selected, compared, reward, words = "", kind] = [
    useParam("select"),
    useParam("compare"),
    useParam("reward"),
    useParam("q"),
    useParam("as"),
  ];
  const model = useTreeModel(data, { path, selected, compared, reward, words });
  const { skein, shown } = model;
  const node = skein.byId.get(selected ?? "");
  const other = skein.byId.get(compared ?? "");
  const choose = useChoose(model, selected);
  const openTurn = useOpenTurn(workspace);
  useTreeKeys(model, choose, openTurn, node);
  const close = (): void => set({ select: undefined, compare: undefined });
  return (
    <ShownContext value={shown}>
      <View
        title={name}
        crumbs={<Link href={addressOf.trees()}>Tree</Link>}
        actions={<WorkspaceChooser workspace={workspace} />}
        toolbar={<Toolbar model={model} choose={choose} words={words} kind={kind} isCut={data.is_cut} />}
        inspector={node && !other && <NodeInspector workspace={workspace} skein={skein} node={node} onClose={close} />}
      >
        <div className={styles["split"]}>
          <div className={styles["tree"]}>
            {kind === "list" ? (
              <TreeList
                skein={skein}
                onSelect={(id, isCompared) => choose(id, isCompared)}
                onOpen={(id) => openTurn(skein.byId.get(id))}
              />
            ) : (
              <Graph
                layout={model.layout}
                at={model.pills.byNode.get(node?.id ?? data.head ?? "")?.id}
                onSelect={(pill, isCompared) => selectPill(pill, isCompared, model, choose)}
                onOpen={(pill) => openTurn(pill.node)}
              />
            )}
          </div>
          {node && other && (
            <Compare workspace={workspace} left={node} right={other} onClose={() => set({ compare: undefined })} />
          )}
        </div>
        <p className="said" role="status">
          {node ? `${nodeTitle(node)}${node.isHead ? ", where the directory is" : ""}` : ""}
        </p>
      </View>
    </ShownContext>
  );
}

type Choose = (id: string | undefined, isCompared?: boolean) => void;

/** Selects a node, or the one to compare it with. */
function useChoose({ skein }: TreeModel, selected: string | undefined): Choose {
  const set = useSetParams();
  return useCallback(
    (id, isCompared = false) => {
      const isSecond = isCompared && selected !== undefined && skein.byId.has(selected) && id !== selected;
      const isState = id !== undefined && skein.byId.get(id)?.item !== undefined;
      set(isSecond && isState ? { compare: id } : { select: id, compare: undefined });
    },
    [set, selected, skein],
  );
}

function selectPill(pill: Pill, isCompared: boolean, model: TreeModel, choose: Choose): void {
  if (pill.folded.length > 0) model.open(pill);
  else choose(pill.node.id, isCompared);
}

type OpenTurn = (node: SkeinNode | undefined) => void;

function useOpenTurn(workspace: string): OpenTurn {
  const go = useGo();
  return useCallback(
    (node) => {
      if (node?.run) go(addressOf.run(node.run.run));
      else if (node) go(addressOf.state(workspace, node.id));
    },
    [workspace, go],
  );
}

function useTreeKeys(model: TreeModel, choose: Choose, openTurn: OpenTurn, node: SkeinNode | undefined): void {
  const set = useSetParams();
  const [isComparing, setComparing] = useState(false);
  const kind = useParam("as");
  const at = model.pills.byNode.get(model.shown.compared ?? node?.id ?? "");
  const move = (direction: Direction) => (): void => {
    const next = neighbour(at, direction, model);
    if (next === undefined) return;
    if (next.folded.length > 0) model.open(next);
    choose((direction === "up" ? (next.folded.at(-1) ?? next.node) : next.node).id, isComparing);
  };
  const isDisabled = kind === "list";
  useKeys([
    { key: "ArrowUp", label: "Select the state before", run: move("up"), isDisabled },
    { key: "ArrowDown", label: "Select the state after", run: move("down"), isDisabled },
    { key: "ArrowLeft", label: "Select the state to the left", run: move("left"), isDisabled },
    { key: "ArrowRight", label: "Select the state to the right", run: move("right"), isDisabled },
    { key: "Enter", label: "Open the turn", run: () => openTurn(node), isDisabled: node === undefined },
    {
      key: "c",
      label: isComparing ? "Compare no more" : "Compare with the state that is selected next",
      run: () => {
        if (isComparing) set({ compare: undefined });
        setComparing(!isComparing);
      },
      isDisabled: node === undefined,
    },
    {
      key: "h",
      label: "Select where the directory is",
      run: () => choose(model.skein.nodes.find(({ isHead }) => isHead)?.id),
    },
    { key: "b", label: "Select the best state", run: () => choose(model.shown.best) },
    { key: "l", label: "Show the tree as a list", run: () => set({ as: kind === "list" ? undefined : "list" }) },
  ]);
}

/** The node after the selected one, or before it, that holds the words that are looked for; round and round. */
function nextFound({ skein, shown }: TreeModel, by: 1 | -1): string | undefined {
  const found = skein.nodes.filter(({ id }) => shown.found?.has(id));
  const at = found.findIndex(({ id }) => id === shown.selected);
  const place = at === -1 ? (by === 1 ? 0 : found.length - 1) : (at + by + found.length) % found.length;
  return found[place]?.id ?? shown.selected;
}

function Toolbar({
  model,
  choose,
  words,
  kind,
  isCut,
}: {
  readonly model: TreeModel;
  readonly choose: Choose;
  readonly words: string;
  readonly kind: string | undefined;
  readonly isCut: boolean;
}): ReactNode {
  const set = useSetParams();
  const { rewards, shown, skein } = model;
  return (
    <>
      <input
        className={styles["words"]}
        type="search"
        placeholder="Find in prompts and names"
        aria-label="Find in prompts and names; Enter selects the next one"
        value={words}
        onChange={(event) => set({ q: event.target.value })}
        onKeyDown={(event) => {
          if (event.key === "Enter") choose(nextFound(model, event.shiftKey ? -1 : 1));
        }}
      />
      {rewards.length > 0 && (
        <Select
          label="Reward"
          value={shown.rewardName ?? ""}
          choices={rewards.map((name) => ({ value: name, label: name }))}
          onChange={(name) => set({ reward: name })}
        />
      )}
      <Switcher
        label="Show as"
        value={kind === "list" ? "list" : "graph"}
        choices={[
          { value: "graph", label: "Tree" },
          { value: "list", label: "List" },
        ]}
        onChange={(next) => set({ as: next === "list" ? "list" : undefined })}
      />
      {model.hasOpened && kind !== "list" && (
        <Button size="small" look="quiet" icon={<ChevronsDownUp />} onClick={model.closeAll}>
          Fold chains
        </Button>
      )}
      <span className={`${styles["count"]} quiet small number`}>
        {shown.found === undefined
          ? countText(skein.nodes.length, "state")
          : `${shown.found.size} of ${countText(skein.nodes.length, "state")}`}
        {isCut ? ", the newest" : ""}
      </span>
    </>
  );
}

function WorkspaceChooser({ workspace }: { readonly workspace: string }): ReactNode {
  const toGo = useGo();
  const workspaces = useWorkspaces().data?.workspaces;
  const choices = useMemo(
    () => (workspaces ?? []).map(({ id, path }) => ({ value: id, label: baseName(path) })),
    [workspaces],
  );
  return (
    <>
      <Link href={addressOf.files(workspace)}>Files</Link>
      {choices.length > 1 && (
        <Select
          label="Workspace"
          isLabelShown={false}
          value={workspace}
          choices={choices}
          onChange={(id) => toGo(addressOf.tree(id))}
        />
      )}
    </>
  );
}
