import { Check, X } from "lucide-react";
import { useEffect, useLayoutEffect, useMemo, useRef, useState, type ReactNode, type RefObject } from "react";
import { durationText } from "../../parts/format.ts";
import { plainLine } from "../../parts/plain.ts";
import { layOut, type Picture, type Team } from "./lanes.ts";
import styles from "./team-lanes.module.css";

/** What everybody in the team did: time to the right, turns as bars, what was handed over as arrows. */
export function TeamLanes({
  team,
  selected,
  onSelect,
}: {
  readonly team: Team;
  readonly selected: string | undefined;
  readonly onSelect: (key: string) => void;
}): ReactNode {
  const track = useRef<HTMLDivElement>(null);
  const widthPx = useWidth(track);
  const nowMs = useTick(team.state === "running");
  const picture = useMemo(() => layOut(team, { widthPx, nowMs }), [team, widthPx, nowMs]);
  const { lanes, height, width } = picture;
  const isAtEnd = useRef(true);
  const isGoing = team.state === "running";
  // Who looks at the end sees what comes; who scrolled back stays there.
  useLayoutEffect(() => {
    if (isGoing && isAtEnd.current) track.current?.scrollTo({ left: width });
  }, [isGoing, width]);
  return (
    <section className={styles["lanes"]} aria-label="Who did what">
      <div className={styles["names"]} style={{ height }} aria-hidden>
        {lanes.map(({ name, label, top }) => (
          <span key={name} style={{ top }}>
            {label}
          </span>
        ))}
      </div>
      <div
        ref={track}
        className={styles["track"]}
        onScroll={({ currentTarget: { scrollLeft, clientWidth, scrollWidth } }) => {
          isAtEnd.current = scrollLeft + clientWidth > scrollWidth - 24;
        }}
      >
        <div className={styles["canvas"]} style={{ width, height }}>
          <Ground picture={picture} />
          <Bars picture={picture} selected={selected} onSelect={onSelect} />
        </div>
      </div>
    </section>
  );
}

function Ground({ picture: { lanes, ticks, arrows, gates, width, height } }: { readonly picture: Picture }): ReactNode {
  return (
    <>
      {ticks.map(({ ms, left }) => (
        <span key={ms} className={styles["tick"]} style={{ left }} aria-hidden>
          <span className="number">{ms === 0 ? "0" : durationText(ms)}</span>
        </span>
      ))}
      {lanes.map(({ name, top }) => (
        <span key={name} className={styles["line"]} data-lane={name} style={{ top }} aria-hidden />
      ))}
      <svg className={styles["arrows"]} width={width} height={height} aria-hidden>
        <defs>
          {(["neutral", "good", "bad", "attention"] as const).map((tone) => (
            <marker
              key={tone}
              id={`tip-${tone}`}
              viewBox="0 0 6 6"
              refX="5"
              refY="3"
              markerWidth="6"
              markerHeight="6"
              orient="auto"
            >
              <path d="M 0 0 L 6 3 L 0 6 z" data-tone={tone} />
            </marker>
          ))}
        </defs>
        {arrows.map(({ key, path, tone, said }) => (
          <path key={key} d={path} data-tone={tone} markerEnd={`url(#tip-${tone})`}>
            <title>{plainLine(said, 200)}</title>
          </path>
        ))}
      </svg>
      {gates.map(({ key, left, top, width: span, isPassed }) => (
        <span
          key={key}
          className={styles["gates"]}
          data-passed={isPassed}
          style={{ left, top, width: span }}
          title={isPassed ? "The gates pass" : "A gate fails"}
        />
      ))}
    </>
  );
}

function Bars({
  picture: { bars, marks },
  selected,
  onSelect,
}: {
  readonly picture: Picture;
  readonly selected: string | undefined;
  readonly onSelect: (key: string) => void;
}): ReactNode {
  return (
    <>
      {bars.map(({ key, lane, left, top, width, label, said, tone, isGoing }) => (
        <button
          key={key}
          type="button"
          className={styles["bar"]}
          data-lane={lane}
          data-tone={tone}
          data-going={isGoing}
          data-small={width < 44}
          aria-pressed={key === selected}
          aria-label={plainLine(said)}
          title={plainLine(said)}
          style={{ left, top, width }}
          onClick={() => onSelect(key)}
        >
          {tone === "good" && <Check aria-hidden />}
          {tone === "bad" && <X aria-hidden />}
          <span className="cut">{plainLine(label)}</span>
        </button>
      ))}
      {marks.map(({ key, item, left, top }) => (
        <button
          key={key}
          type="button"
          className={styles["mark"]}
          aria-pressed={key === selected}
          aria-label={`Merged: ${plainLine(item)}`}
          title={`${plainLine(item)} merged`}
          style={{ left, top }}
          onClick={() => onSelect(key)}
        >
          <Check aria-hidden />
        </button>
      ))}
    </>
  );
}

const USUAL_WIDTH_PX = 800;

function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(USUAL_WIDTH_PX);
  useLayoutEffect(() => {
    const observed = element.current;
    if (!observed) return undefined;
    const observer = new ResizeObserver(() => setWidth(observed.clientWidth));
    observer.observe(observed);
    return () => observer.disconnect();
  }, [element]);
  return width;
}

/** The time, once a second while the team works. */
function useTick(isGoing: boolean): number {
  const [nowMs, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isGoing) return undefined;
    const timer = window.setInterval(() => setNow(Date.now()), 1000);
    return () => window.clearInterval(timer);
  }, [isGoing]);
  return nowMs;
}
