import { padLine, plainLine, widthOf, wrapText, type Terminal } from "../../terminal/index.ts";

/** A command to try next, without the program's name, and what for. */
export interface NextStep {
  readonly command: string;
  readonly why: string;
}

export interface StepPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that the command was given, where it is not the one it was called in. */
  readonly cwd?: string | undefined;
  /** What stands beside the commands in their lines; what a card has by default. */
  readonly beside?: number;
}

/** The steps as they can be typed where the command was, a line each or more where what for does not fit beside one. */
export function nextStepLines(steps: readonly NextStep[], place: StepPlace, terminal: Terminal): readonly string[] {
  const { colors } = terminal;
  // Under npx there is no `skein` on the path.
  const skein = place.env["npm_command"] === "exec" ? "npx skein" : "skein";
  const folder = place.cwd === undefined ? "" : ` --cwd ${wordOf(plainLine(place.cwd))}`;
  const lines = steps.map(({ command, why }) => ({ typed: `${skein} ${command}${folder}`, why }));
  const width = Math.max(...lines.map(({ typed }) => widthOf(typed)));
  const room = terminal.columns - (place.beside ?? BESIDE_CARD) - width;
  return lines.flatMap(({ typed, why }) => {
    if (room < LEAST_WHY) return [colors.cyan(typed)];
    return wrapText(why, room).map(
      (line, index) => `${colors.cyan(padLine(index === 0 ? typed : "", width))}  ${colors.dim(line)}`,
    );
  });
}

/** What a card has before its values, and the gap after the command. */
const BESIDE_CARD = 16;
/** A shorter reason says nothing. */
const LEAST_WHY = 10;

/** What can be done after a turn that was recorded; nothing where it was not. */
export function stepsAfterTurn({
  hasChanges,
  isRecorded,
}: {
  readonly hasChanges: boolean;
  readonly isRecorded: boolean;
}): readonly NextStep[] {
  if (!isRecorded) return [];
  return [
    ...(hasChanges ? [{ command: "diff @~1 @ --patch", why: "read the changes" }] : []),
    { command: "undo", why: "take the turn back" },
    { command: 'run "…" --continue', why: "go on from here" },
  ];
}

function wordOf(path: string): string {
  return /^[\w./~@%+=:,-]+$/u.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
