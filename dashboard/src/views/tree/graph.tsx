import {
  Handle,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStore,
  useStoreApi,
  type Edge,
  type EdgeProps,
  type Node,
  type NodeProps,
  type Viewport,
} from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { Maximize, Minus, Plus } from "lucide-react";
import { memo, useContext, useEffect, useLayoutEffect, useMemo, useRef, type MouseEvent, type ReactNode } from "react";
import { IconButton } from "../../parts/button.tsx";
import { rewardText } from "../../parts/format.ts";
import { useKeys } from "../../frame/keys.ts";
import type { Pill } from "./fold.ts";
import styles from "./graph.module.css";
import { PILL, type Layout, type Placed } from "./layout.ts";
import { isFar, Minimap, Overview, PAINTED_BELOW } from "./overview.tsx";
import { PillBlock } from "./pill.tsx";
import { ShownContext } from "./shown.ts";

type PillNode = Node<{ pill: Pill }>;

interface GraphProps {
  readonly layout: Layout;
  /** The pill to look at: what is selected, else where the directory is. */
  readonly at: string | undefined;
  readonly onSelect: (pill: Pill, isCompared: boolean) => void;
  readonly onOpen: (pill: Pill) => void;
}

/** The tree as a drawing: wheel zooms, drag pans, a click selects. */
export function Graph(props: GraphProps): ReactNode {
  return (
    <ReactFlowProvider>
      <Drawing {...props} />
    </ReactFlowProvider>
  );
}

const MINIMAP_FROM = 60;
const LARGEST_ZOOM = 1.5;

const nodeTypes = { pill: memo(PillInFlow) };
const edgeTypes = { line: memo(Line) };

function Drawing({ layout, at, onSelect, onOpen }: GraphProps): ReactNode {
  const { nodes, edges } = useMemo(() => toFlow(layout), [layout]);
  const flow = useReactFlow();
  const isPainted = useStore(isFar);
  const fit = (): void => void flow.setViewport(fitted(layout, sizeOf()), { duration: 120 });
  const store = useStoreApi();
  const sizeOf = (): Size => store.getState();
  useSteadyView(layout, at);
  useKeys([
    { key: "f", label: "Fit the tree into the window", run: fit },
    { key: "+", label: "Zoom in", run: () => void flow.zoomIn({ duration: 120 }) },
    { key: "-", label: "Zoom out", run: () => void flow.zoomOut({ duration: 120 }) },
  ]);

  const clickPainted = (event: MouseEvent): void => {
    if (!isPainted) return;
    const { x, y } = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    const hit = nearest(layout, x, y, 12 / flow.getZoom());
    if (hit) onSelect(hit.pill, event.shiftKey);
  };
  return (
    <div className={styles["graph"]}>
      <ReactFlow
        nodes={isPainted ? NO_NODES : nodes}
        edges={isPainted ? NO_EDGES : edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        onlyRenderVisibleElements
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        disableKeyboardA11y
        zoomOnDoubleClick={false}
        selectionKeyCode={null}
        multiSelectionKeyCode={null}
        deleteKeyCode={null}
        panActivationKeyCode={null}
        minZoom={Math.min(PAINTED_BELOW / 2, fitted(layout, { width: 800, height: 500 }).zoom / 2)}
        maxZoom={LARGEST_ZOOM}
        proOptions={{ hideAttribution: true }}
        onNodeClick={(event, node) => onSelect(node.data.pill, event.shiftKey)}
        onNodeDoubleClick={(_, node) => onOpen(node.data.pill)}
        onPaneClick={clickPainted}
      >
        <Overview layout={layout} />
      </ReactFlow>
      <Legend />
      <div className={styles["zoom"]}>
        <IconButton label="Zoom in" shortcut="+" icon={<Plus />} onClick={() => void flow.zoomIn({ duration: 120 })} />
        <IconButton
          label="Zoom out"
          shortcut="-"
          icon={<Minus />}
          onClick={() => void flow.zoomOut({ duration: 120 })}
        />
        <IconButton label="Fit the tree into the window" shortcut="f" icon={<Maximize />} onClick={fit} />
      </div>
      {layout.placed.length >= MINIMAP_FROM && (
        <Minimap layout={layout} onGo={(x, y) => void flow.setCenter(x, y, { zoom: flow.getZoom() })} />
      )}
    </div>
  );
}

const NO_NODES: PillNode[] = [];
const NO_EDGES: Edge[] = [];

const HANDLES = [
  { type: "target" as const, position: Position.Top, x: PILL.width / 2, y: PILL.top, width: 1, height: 1 },
  { type: "source" as const, position: Position.Bottom, x: PILL.width / 2, y: PILL.bottom, width: 1, height: 1 },
];

/** Sizes are known before anything is drawn: nothing has to be measured. */
function toFlow({ placed }: Layout): { readonly nodes: PillNode[]; readonly edges: Edge[] } {
  const { width, height } = PILL;
  return {
    nodes: placed.map(({ pill, x, y }) => ({
      id: pill.id,
      type: "pill",
      position: { x, y },
      data: { pill },
      width,
      height,
      measured: { width, height },
      handles: HANDLES,
    })),
    edges: placed.flatMap(({ pill }) =>
      pill.parent ? [{ id: pill.id, type: "line", source: pill.parent.id, target: pill.id, data: { pill } }] : [],
    ),
  };
}

function PillInFlow({ data }: NodeProps<PillNode>): ReactNode {
  return (
    <>
      <Handle type="target" position={Position.Top} isConnectable={false} className={styles["top"] ?? ""} />
      <PillBlock pill={data.pill} />
      <Handle type="source" position={Position.Bottom} isConnectable={false} className={styles["bottom"] ?? ""} />
    </>
  );
}

function Line({ sourceX, targetX, sourceY, targetY, data }: EdgeProps<Edge<{ pill: Pill }>>): ReactNode {
  const { bestPath } = useContext(ShownContext);
  // It bends between the rows and comes to the prompt from straight above.
  const end = targetY - PILL.top;
  const middle = (sourceY + end) / 2;
  const { node, folded } = data?.pill ?? {};
  return (
    <path
      className={styles["edge"]}
      data-best={(node !== undefined && bestPath.has((folded?.at(-1) ?? node).id)) || undefined}
      data-running={node?.run?.state === "running" || undefined}
      d={`M${sourceX} ${sourceY}C${sourceX} ${middle} ${targetX} ${middle} ${targetX} ${end}V${targetY}`}
    />
  );
}

/** What the colours say. */
function Legend(): ReactNode {
  const { rewardName, range } = useContext(ShownContext);
  if (rewardName === undefined) return null;
  return (
    <div className={styles["legend"]}>
      <span>{rewardName}</span>
      <span className="number">{rewardText(range.lowest)}</span>
      <span className={styles["scale"]}>
        {[0, 1, 2, 3, 4, 5, 6].map((level) => (
          <i key={level} className={styles["ink"]} data-ink={level} />
        ))}
      </span>
      <span className="number">{rewardText(range.highest)}</span>
    </div>
  );
}

interface Size {
  readonly width: number;
  readonly height: number;
}

const AROUND = 40;

function fitted(layout: Layout, { width, height }: Size): Viewport {
  const zoom = Math.min(
    1,
    (width - 2 * AROUND) / Math.max(layout.width, 1),
    (height - 2 * AROUND) / Math.max(layout.height, 1),
  );
  // A small tree hangs from the top, as it grows downwards.
  return { x: (width - layout.width * zoom) / 2, y: AROUND, zoom: Math.max(zoom, 0.005) };
}

/** A place in the middle of the window, or as near to it as leaves no window empty beside the tree. */
function centred({ x, y }: Placed, layout: Layout, { width, height }: Size, zoom: number): Viewport {
  return {
    x: keepIn(width / 2 - (x + PILL.width / 2) * zoom, width, layout.width * zoom),
    y: keepIn(height / 2 - (y + PILL.height / 2) * zoom, height, layout.height * zoom),
    zoom,
  };
}

function keepIn(start: number, room: number, length: number): number {
  if (length + 2 * AROUND <= room) return start;
  return Math.min(AROUND, Math.max(room - length - AROUND, start));
}

/** Begins with all of a small tree, or with what is looked at of a large one; and keeps things where they are on the screen when the tree grows. */
function useSteadyView(layout: Layout, at: string | undefined): void {
  const store = useStoreApi();
  const flow = useReactFlow();
  const isMeasured = useStore(({ width }) => width > 0);
  // A panel that opens takes room: what is selected is not left behind it.
  const room = useStore(({ width, height }) => `${width} ${height}`);
  const before = useRef<Layout>(undefined);
  const shownAt = useRef<string>(undefined);

  useLayoutEffect(() => {
    if (!isMeasured) return;
    const { width, height, transform } = store.getState();
    const earlier = before.current;
    before.current = layout;
    const wanted = at === undefined ? undefined : layout.byId.get(at);
    if (!earlier) {
      const whole = fitted(layout, { width, height });
      shownAt.current = `${at} ${width} ${height}`;
      void flow.setViewport(whole.zoom >= 0.6 || !wanted ? whole : centred(wanted, layout, { width, height }, 0.9));
      return;
    }
    if (earlier === layout) return;
    const [x, y, zoom] = transform;
    const middle = nearest(earlier, (width / 2 - x) / zoom, (height / 2 - y) / zoom, Infinity, layout);
    const old = (at === undefined ? undefined : earlier.byId.get(at)) ?? middle;
    const now = old && layout.byId.get(old.pill.id);
    if (!now || !old) return;
    void flow.setViewport({ x: x + (old.x - now.x) * zoom, y: y + (old.y - now.y) * zoom, zoom });
  }, [layout, at, isMeasured, store, flow]);

  useEffect(() => {
    const place = at === undefined ? undefined : layout.byId.get(at);
    if (!isMeasured || !place || shownAt.current === `${at} ${room}`) return;
    shownAt.current = `${at} ${room}`;
    const { width, height, transform } = store.getState();
    const [x, y, zoom] = transform;
    const left = place.x * zoom + x;
    const top = place.y * zoom + y;
    const isSeen = left >= 0 && top >= 0 && left + PILL.width * zoom <= width && top + PILL.height * zoom <= height;
    if (!isSeen) void flow.setViewport(centred(place, layout, { width, height }, zoom), { duration: 120 });
  }, [at, layout, isMeasured, room, store, flow]);
}

/** The pill nearest to a place; with another layout, the nearest that is there too. */
function nearest({ placed }: Layout, x: number, y: number, within: number, also?: Layout): Placed | undefined {
  let best: Placed | undefined;
  let least = Infinity;
  for (const place of placed) {
    const dx = Math.max(0, place.x - x, x - place.x - PILL.width);
    const dy = Math.max(0, place.y + PILL.top - y, y - place.y - PILL.bottom);
    const distance = Math.hypot(dx, dy);
    if (distance >= least || distance > within || (also && !also.byId.has(place.pill.id))) continue;
    best = place;
    least = distance;
  }
  return best;
}
