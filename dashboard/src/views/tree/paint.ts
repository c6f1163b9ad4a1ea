import { PILL, type Layout, type Placed } from "./layout.ts";
import { levelOf, outcomeOf } from "./pill.tsx";
import type { Shown } from "./shown.ts";

/** The colours of the theme as a canvas takes them, read from an element of each. */
export type Inks = Readonly<Record<string, string>>;

/** How the tree lies on a canvas. */
export interface Lie {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

/** A pill is at least so large on a canvas: it stays to be seen. */
const LEAST = { width: 3, height: 3 } as const;

/** Paints a whole tree as seen from afar: thousands of pills in a few milliseconds, where as many elements would take seconds. */
export function paintTree(
  context: CanvasRenderingContext2D,
  { placed, byId }: Layout,
  { x: left, y: top, zoom }: Lie,
  shown: Shown,
  inks: Inks,
): void {
  const { width, height } = context.canvas.getBoundingClientRect();
  context.clearRect(0, 0, width, height);
  const isSeen = (at: Placed): boolean => {
    const x = at.x * zoom + left;
    const y = at.y * zoom + top;
    return x < width && y < height && x + PILL.width * zoom > 0 && y + PILL.height * zoom > 0;
  };
  paintLines(context, placed, byId, { left, top, zoom, width, height }, shown, inks);
  for (const at of placed) {
    if (isSeen(at)) paintPill(context, at, { x: left, y: top, zoom }, shown, inks);
  }
}

function paintLines(
  context: CanvasRenderingContext2D,
  placed: readonly Placed[],
  byId: Layout["byId"],
  { left, top, zoom, width, height }: { left: number; top: number; zoom: number; width: number; height: number },
  shown: Shown,
  inks: Inks,
): void {
  const [common, best] = [new Path2D(), new Path2D()];
  for (const { pill, x, y } of placed) {
    const parent = pill.parent && byId.get(pill.parent.id);
    if (!parent) continue;
    const from = { x: (parent.x + PILL.width / 2) * zoom + left, y: (parent.y + PILL.bottom) * zoom + top };
    const to = { x: (x + PILL.width / 2) * zoom + left, y: y * zoom + top };
    if (to.y < 0 || from.y > height || Math.max(from.x, to.x) < 0 || Math.min(from.x, to.x) > width) continue;
    const path = shown.bestPath.has(pill.node.id) ? best : common;
    const middle = (from.y + to.y) / 2;
    path.moveTo(from.x, from.y);
    path.bezierCurveTo(from.x, middle, to.x, middle, to.x, to.y);
    path.lineTo(to.x, to.y + PILL.top * zoom);
  }
  context.lineWidth = Math.max(0.5, 1.5 * zoom);
  context.strokeStyle = inks["line"] ?? "";
  context.stroke(common);
  context.lineWidth = Math.max(2, 4 * zoom);
  context.strokeStyle = inks["accent"] ?? "";
  context.stroke(best);
}

function paintPill(
  context: CanvasRenderingContext2D,
  { pill, x, y }: Placed,
  lie: Lie,
  shown: Shown,
  inks: Inks,
): void {
  const { node, folded } = pill;
  const middle = (x + PILL.width / 2) * lie.zoom + lie.x;
  const width = Math.max(LEAST.width, 112 * lie.zoom);
  const height = Math.max(LEAST.height, (PILL.bottom - PILL.top) * lie.zoom);
  const top = (y + PILL.top) * lie.zoom + lie.y;
  const level = levelOf(node, shown);
  const outcome = outcomeOf(node);
  const isFound = folded.length > 0 ? folded.some(({ id }) => shown.found?.has(id)) : shown.found?.has(node.id);
  context.globalAlpha = shown.found && !isFound ? 0.3 : 1;
  const isBad = outcome === "failed" || outcome === "interrupted";
  context.fillStyle =
    inks[
      folded.length > 0
        ? "line"
        : outcome === "running"
          ? "running"
          : level === undefined
            ? isBad
              ? "bad"
              : "line"
            : String(level)
    ] ?? "";
  context.beginPath();
  context.roundRect(middle - width / 2, top, width, height, isBad || folded.length > 0 ? 1 : height / 2);
  context.fill();
  context.globalAlpha = 1;
  const isChosen = shown.selected === node.id || shown.compared === node.id;
  if (!isChosen && !isFound && !node.isHead) return;
  // What is looked for is seen from afar too.
  const around = isChosen ? 4 : 3;
  context.lineWidth = isChosen ? 2 : 1.5;
  context.strokeStyle = inks[isFound && !isChosen ? "attention" : "accent"] ?? "";
  context.beginPath();
  context.roundRect(middle - width / 2 - around, top - around, width + 2 * around, height + 2 * around, around + 2);
  context.stroke();
}

/** Makes a canvas as fine as the screen. */
export function prepareCanvas(canvas: HTMLCanvasElement): CanvasRenderingContext2D | undefined {
  const { width, height } = canvas.getBoundingClientRect();
  const scale = window.devicePixelRatio;
  if (canvas.width !== Math.round(width * scale)) canvas.width = Math.round(width * scale);
  if (canvas.height !== Math.round(height * scale)) canvas.height = Math.round(height * scale);
  const context = canvas.getContext("2d") ?? undefined;
  context?.setTransform(scale, 0, 0, scale, 0, 0);
  return context;
}
