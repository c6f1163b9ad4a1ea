import { Ban, Check, CircleDashed, Hand, LoaderCircle, X, Zap } from "lucide-react";
import type { ComponentType, ReactNode } from "react";
import { rewardText } from "./format.ts";
import styles from "./badge.module.css";

export type Meaning = "good" | "bad" | "attention" | "running" | "neutral";

/** How something stands: a colour, a shape and a word. */
export function Badge({
  meaning,
  icon,
  children,
}: {
  readonly meaning: Meaning;
  readonly icon?: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <span className={styles["badge"]} data-meaning={meaning}>
      {icon}
      {children}
    </span>
  );
}

interface Look {
  readonly word: string;
  readonly meaning: Meaning;
  readonly Icon: ComponentType<{ readonly "aria-hidden"?: boolean }>;
}

const LOOKS: Readonly<Record<string, Look>> = {
  completed: { word: "completed", meaning: "good", Icon: Check },
  failed: { word: "failed", meaning: "bad", Icon: X },
  cancelled: { word: "cancelled", meaning: "neutral", Icon: Ban },
  interrupted: { word: "cut off", meaning: "bad", Icon: Zap },
  starting: { word: "starting", meaning: "running", Icon: CircleDashed },
  running: { word: "running", meaning: "running", Icon: LoaderCircle },
  working: { word: "working", meaning: "running", Icon: LoaderCircle },
  waiting: { word: "waits for you", meaning: "attention", Icon: Hand },
  ended: { word: "ended", meaning: "neutral", Icon: Check },
  idle: { word: "idle", meaning: "neutral", Icon: CircleDashed },
};

/** The outcome of a turn, or what a run does. */
export function StateBadge({
  state,
  isIconOnly = false,
}: {
  readonly state: string;
  readonly isIconOnly?: boolean;
}): ReactNode {
  const { word, meaning, Icon } = LOOKS[state] ?? { word: state, meaning: "neutral", Icon: CircleDashed };
  return (
    <span
      className={`${styles["state"]} ${meaning === "running" ? styles["moving"] : ""}`}
      data-meaning={meaning}
      title={isIconOnly ? word : undefined}
    >
      <Icon aria-hidden />
      <span className={isIconOnly ? "said" : undefined}>{word}</span>
    </span>
  );
}

/** A reward as its number on a scale of one colour: from 0 to 1 unless told otherwise. */
export function Reward({
  value,
  name,
  lowest = 0,
  highest = 1,
}: {
  readonly value: number;
  readonly name?: string;
  readonly lowest?: number;
  readonly highest?: number;
}): ReactNode {
  return (
    <span
      className={styles["reward"]}
      data-level={rewardLevel(value, lowest, highest)}
      title={name === undefined ? `Reward ${value}` : `${name}: ${value}`}
    >
      {rewardText(value)}
    </span>
  );
}

/** Which of the seven colours of the scale a reward has. */
export function rewardLevel(value: number, lowest = 0, highest = 1): number {
  if (highest <= lowest) return value >= highest ? 6 : 0;
  const share = (value - lowest) / (highest - lowest);
  return Math.max(0, Math.min(6, Math.round(share * 6)));
}
