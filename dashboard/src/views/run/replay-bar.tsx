import { Pause, Play } from "lucide-react";
import { useEffect, useState, type ReactNode } from "react";
import { useKeys } from "../../frame/keys.ts";
import { useSetting } from "../../data/drafts.ts";
import { IconButton } from "../../parts/button.tsx";
import { Select } from "../../parts/select.tsx";
import { numberOf, placeAt, replayLength, type ReplayPlace, type ReplayTurn } from "./replay.ts";
import styles from "./run.module.css";

const STEP_MS = 1200;

const SPEEDS = [
  { value: "1", label: "1×" },
  { value: "4", label: "4×" },
  { value: "16", label: "16×" },
] as const;

/** A slider through the conversation: each turn, and within it each call. Space plays. */
export function ReplayBar({
  turns,
  place,
  isReady,
  onMove,
}: {
  readonly turns: readonly ReplayTurn[];
  readonly place: ReplayPlace;
  /** Whether what stands at the place is shown: it goes on when it is. */
  readonly isReady: boolean;
  readonly onMove: (place: ReplayPlace) => void;
}): ReactNode {
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useSetting<string>("replay-speed", "1");
  const length = replayLength(turns);
  const number = numberOf(turns, place);
  const isAtEnd = number >= length - 1;
  const move = (to: number): void => {
    const next = placeAt(turns, Math.min(length - 1, Math.max(0, to)));
    if (next) onMove(next);
  };
  const toggle = (): void => {
    if (!isPlaying && isAtEnd) move(0);
    setPlaying(!isPlaying);
  };
  const turn = turns.findIndex(({ stateId }) => stateId === place.stateId);
  useKeys([
    { key: " ", label: "Play or pause the replay", run: toggle, isDisabled: length < 2 },
    { key: ".", label: "One step on", run: () => move(number + 1), isDisabled: isAtEnd },
    { key: ",", label: "One step back", run: () => move(number - 1), isDisabled: number === 0 },
  ]);
  useEffect(() => {
    if (!isPlaying || !isReady) return undefined;
    const timer = window.setTimeout(() => (isAtEnd ? setPlaying(false) : move(number + 1)), STEP_MS / Number(speed));
    return () => window.clearTimeout(timer);
  });
  if (length < 2) return null;
  const words = `Turn ${turn + 1} of ${turns.length}${place.step === undefined ? ", at its end" : `, after ${place.step} of ${turns[turn]?.calls ?? 0} calls`}`;
  return (
    <div className={styles["replay"]}>
      <IconButton
        label={isPlaying ? "Pause" : "Play the conversation"}
        shortcut="Space"
        icon={isPlaying ? <Pause /> : <Play />}
        onClick={toggle}
      />
      <div className={styles["track"]}>
        <input
          type="range"
          className={styles["slider"]}
          aria-label="Place in the conversation"
          aria-valuetext={words}
          min={0}
          max={length - 1}
          value={number}
          onChange={(event) => {
            setPlaying(false);
            move(Number(event.target.value));
          }}
          onKeyDown={(event) => {
            if (event.key !== " ") return;
            event.preventDefault();
            toggle();
          }}
        />
        <Ticks turns={turns} length={length} />
      </div>
      <span className={`number ${styles["where"]}`} title={words}>
        {turn + 1}/{turns.length}
        <span className="quiet">{place.step === undefined ? "" : ` · ${place.step}`}</span>
      </span>
      <Select label="Speed" isLabelShown={false} value={speed} choices={SPEEDS} onChange={setSpeed} />
    </div>
  );
}

/** Where turns end. */
function Ticks({ turns, length }: { readonly turns: readonly ReplayTurn[]; readonly length: number }): ReactNode {
  if (turns.length > 60) return null;
  return (
    <div className={styles["ticks"]} aria-hidden>
      {turns.map(({ stateId }) => (
        <span
          key={stateId}
          style={{ left: `${(numberOf(turns, { stateId, step: undefined }) / (length - 1)) * 100}%` }}
        />
      ))}
    </div>
  );
}
