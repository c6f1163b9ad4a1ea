import {
  formatCard,
  type CardRow,
  formatCount,
  formatDuration,
  formatNumberOf,
  formatUsd,
  fitLine,
  plainLine,
  type Terminal,
  toolTitle,
} from "../../terminal/index.ts";
import { gitLeftOutLines, unheldLine } from "../states/left-out.ts";
import { shortId } from "../states/short-id.ts";
import { changeLines } from "./file-lines.ts";
import { nextStepLines, stepsAfterTurn, type StepPlace } from "./next-steps.ts";
import type { TurnData } from "./turn-data.ts";

interface SummaryOptions {
  readonly terminal: Terminal;
  readonly cwd: string;
  readonly isOffline: boolean;
  /** Where the next commands would be typed; none are told where it is left out. */
  readonly next?: StepPlace;
}

/** What a turn did and cost, for people: files, tools, denials, tokens, money, time, session, state; and what can be done now. */
export function turnSummary(data: TurnData, { terminal, cwd, isOffline, next }: SummaryOptions): string {
  const rows: readonly CardRow[] = [
    ["Files", ...changeLines(data.files, terminal)],
    ["Not held", ...data.unheld.map((each) => terminal.colors.yellow(unheldLine(each)))],
    // The others are no news: they are told once, and by skein status.
    ["Git", ...(data.git_left_out?.reason === "gone" ? gitLeftOutLines(data.git_left_out) : [])],
    ["Tools", data.tools.map(toolCount).join(" · ") || "none"],
    ["Denied", ...deniedLines(data, terminal, cwd)],
    ["Tokens", tokensLine(data.usage)],
    ["Cost", costLine(data.cost_usd, isOffline || data.offline)],
    ["Time", `${formatDuration(data.duration_ms)} · ${formatNumberOf(data.responses, "response")}`],
    ["Session", data.session_id || "none"],
    ["State", ...(data.state_id === null ? [] : [shortId(data.state_id)])],
    ["Next", ...(next ? nextStepLines(stepsAfterTurn(hasOf(data)), next, terminal) : [])],
  ];
  return `\n${formatCard(rows, terminal)}`;
}

function hasOf({ files, state_id: state }: TurnData): Parameters<typeof stepsAfterTurn>[0] {
  return { hasChanges: Object.values(files).some((paths) => paths.length > 0), isRecorded: state !== null };
}

function toolCount({ tool, calls, errors }: TurnData["tools"][number]): string {
  const times = calls === 1 ? "" : ` ×${calls}`;
  return `${plainLine(tool)}${times}${errors === 0 ? "" : ` (${errors} failed)`}`;
}

function deniedLines(data: TurnData, { colors, columns }: Terminal, cwd: string): string[] {
  return data.permission_denials.map(({ tool, input }) =>
    colors.yellow(fitLine(`${plainLine(tool)} ${toolTitle(input, cwd)}`.trim(), Math.max(columns - 14, 20))),
  );
}

/** Tokens for people, those of the cache among those that went in. */
export function tokensLine(usage: TurnData["usage"]): string {
  const read = usage.cache_read_tokens + usage.cache_write_tokens + usage.input_tokens;
  return `${formatCount(read)} in (${formatCount(usage.cache_read_tokens)} cached) · ${formatCount(usage.output_tokens)} out`;
}

/** Money for people. The embedded model costs nothing; the CLI counts all the same. */
export function costLine(costUsd: number, isOffline: boolean): string {
  return isOffline ? `nothing: offline (${formatUsd(costUsd)} by price list)` : formatUsd(costUsd);
}
