import { useStore, useStoreApi } from "@xyflow/react";
import { useContext, useEffect, useRef, type PointerEvent, type ReactNode, type RefObject } from "react";
import styles from "./graph.module.css";
import { PILL, type Layout } from "./layout.ts";
import { paintTree, prepareCanvas, type Inks, type Lie } from "./paint.ts";
import { ShownContext } from "./shown.ts";

/** Below this, words are too small to read: the tree is painted, not written. */
export const PAINTED_BELOW = 0.45;

/** The whole tree on a canvas, where it is looked at from afar. */
export function Overview({ layout }: { readonly layout: Layout }): ReactNode {
  const canvas = useRef<HTMLCanvasElement>(null);
  const inks = useRef<HTMLSpanElement>(null);
  const shown = useContext(ShownContext);
  const store = useStoreApi();
  const isShown = useStore(isFar);
  useEffect(() => {
    if (!isShown) return undefined;
    const paint = onceAFrame(() => {
      const context = canvas.current && prepareCanvas(canvas.current);
      const [x, y, zoom] = store.getState().transform;
      if (context) paintTree(context, layout, { x, y, zoom }, shown, readInks(inks.current));
    });
    paint();
    const stop = store.subscribe(paint);
    return () => {
      stop();
      paint.cancel();
    };
  }, [isShown, layout, shown, store, inks]);
  return (
    <>
      <InkHolder ref={inks} />
      <canvas ref={canvas} className={styles["overview"]} hidden={!isShown} aria-hidden />
    </>
  );
}

export function isFar({ transform }: { readonly transform: readonly [number, number, number] }): boolean {
  return transform[2] < PAINTED_BELOW;
}

const MARGIN = 8;

/** The whole tree in a corner, with what is on the screen in a frame; a click or a drag goes there. */
export function Minimap({
  layout,
  onGo,
}: {
  readonly layout: Layout;
  readonly onGo: (x: number, y: number) => void;
}): ReactNode {
  const canvas = useRef<HTMLCanvasElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const inks = useRef<HTMLSpanElement>(null);
  const shown = useContext(ShownContext);
  const store = useStoreApi();

  useEffect(() => {
    const context = canvas.current && prepareCanvas(canvas.current);
    if (context) paintTree(context, layout, lieIn(layout, canvas.current), shown, readInks(inks.current));
  }, [layout, shown, inks]);

  useEffect(() => {
    const move = onceAFrame(() => {
      const { transform, width, height } = store.getState();
      const [x, y, zoom] = transform;
      const lie = lieIn(layout, canvas.current);
      const scale = lie.zoom / zoom;
      const at = frame.current?.style;
      at?.setProperty("left", `${lie.x - x * scale}px`);
      at?.setProperty("top", `${lie.y - y * scale}px`);
      at?.setProperty("width", `${width * scale}px`);
      at?.setProperty("height", `${height * scale}px`);
    });
    move();
    const stop = store.subscribe(move);
    return () => {
      stop();
      move.cancel();
    };
  }, [store, layout]);

  const go = (event: PointerEvent<HTMLDivElement>): void => {
    if (event.buttons !== 1) return;
    const box = event.currentTarget.getBoundingClientRect();
    const lie = lieIn(layout, canvas.current);
    onGo((event.clientX - box.left - lie.x) / lie.zoom, (event.clientY - box.top - lie.y) / lie.zoom);
  };
  return (
    <div
      className={styles["minimap"]}
      role="presentation"
      onPointerDown={(event) => {
        event.stopPropagation();
        event.currentTarget.setPointerCapture(event.pointerId);
        go(event);
      }}
      onPointerMove={go}
    >
      <InkHolder ref={inks} />
      <canvas ref={canvas} aria-hidden />
      <div ref={frame} className={styles["frame"]} />
    </div>
  );
}

/** Where the whole tree lies in a canvas: in its middle, as large as it can be. */
function lieIn(layout: Layout, canvas: HTMLElement | null): Lie {
  const { width = 0, height = 0 } = canvas?.getBoundingClientRect() ?? {};
  const most = Math.max(layout.width, PILL.width);
  const zoom = Math.min((width - 2 * MARGIN) / most, (height - 2 * MARGIN) / Math.max(layout.height, 1), 0.2);
  return { x: (width - layout.width * zoom) / 2, y: (height - layout.height * zoom) / 2, zoom };
}

const INKS = ["0", "1", "2", "3", "4", "5", "6", "line", "accent", "bad", "running", "attention"] as const;

/** A canvas knows no tokens: elements that have them as their colour say what they are in the theme of this moment. */
function InkHolder({ ref }: { readonly ref: RefObject<HTMLSpanElement | null> }): ReactNode {
  return (
    <span ref={ref} hidden>
      {INKS.map((ink) => (
        <i key={ink} className={styles["ink"]} data-ink={ink} />
      ))}
    </span>
  );
}

function readInks(holder: HTMLElement | null): Inks {
  const elements = [...(holder?.children ?? [])];
  return Object.fromEntries(elements.map((each, place) => [INKS[place] ?? "", getComputedStyle(each).color]));
}

/** However often it is asked for, it is done once before the next picture. */
function onceAFrame(work: () => void): (() => void) & { cancel(): void } {
  let asked: number | undefined;
  const ask = (): void => {
    asked ??= requestAnimationFrame(() => {
      asked = undefined;
      work();
    });
  };
  return Object.assign(ask, { cancel: () => asked !== undefined && cancelAnimationFrame(asked) });
}
