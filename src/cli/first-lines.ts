import { padLine, wrapText, type Terminal } from "../terminal/index.ts";

const STEPS = [
  ["skein demo", "see it work, without a key"],
  ["skein init", "set up this folder"],
  ['skein run "Fix the failing test"', "run an agent and record the turn"],
  ["skein status", "what changed, what runs, what it cost"],
  ["skein diff @~1", "what the last turn did"],
  ["skein undo", "take it back"],
  ['skein run "…" --continue', "go on where it ended"],
  ['skein explore --prompt "…" --n 3', "try several ways at once, keep the best"],
  ["skein help", "all commands; skein help run has the flags of one"],
] as const;

/** What `skein` alone shows: what to do first. */
export function firstLines({ colors: { bold, cyan }, columns }: Pick<Terminal, "colors" | "columns">): string {
  const width = Math.max(...STEPS.map(([typed]) => typed.length));
  const room = Math.max(columns - width - 4, LEAST_ROOM);
  const lines = STEPS.map(([typed, does]) => {
    const [first = "", ...rest] = wrapText(does, room);
    const more = rest.map((line) => `${" ".repeat(width + 4)}${line}\n`).join("");
    return `  ${cyan(padLine(typed, width))}  ${first}\n${more}`;
  });
  return `${bold("Skein runs coding agents as experiments. To begin:")}\n${lines.join("")}`;
}

/** A narrower column is no easier to read. */
const LEAST_ROOM = 12;
