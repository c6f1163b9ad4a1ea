import { systemClock } from "../../core/internal.ts";
import type { CommandContext } from "../define-command.ts";
import {
  formatCard,
  type CardRow,
  formatBytes,
  formatCount,
  formatDuration,
  formatNumberOf,
  formatUsd,
  formatAgo,
  formatMoment,
  modelName,
  fitLine,
  plainLine,
  plainText,
  wrapText,
  type Terminal,
  toolTitle,
} from "../../terminal/index.ts";
import { changeLines } from "../turn/file-lines.ts";
import { costLine, tokensLine } from "../turn/turn-summary.ts";
import { shortId } from "./short-id.ts";
import type { ShownState } from "./shown-state.ts";
import { KIND_WORDS, stateMark, stateNames } from "./state-lines.ts";

type Turn = NonNullable<ShownState["turn"]>;

export function formatShownState(state: ShownState, { terminal }: CommandContext, cwd: string): string {
  const { turn } = state;
  const texts = turn ? [prompt(turn, terminal), response(turn, terminal)] : [];
  const rows = formatCard(
    [...fileRows(state, terminal), ...turnRows(turn, terminal, cwd), ...stateRows(state, terminal)],
    terminal,
  );
  return [heading(state, terminal), ...texts.filter((text) => text !== ""), rows].join("\n");
}

function heading(state: ShownState, terminal: Terminal): string {
  const { bold, dim, yellow } = terminal.colors;
  const atMs = Date.parse(state.recorded_at);
  const names = stateNames(state, terminal);
  const what = state.turn?.outcome ?? KIND_WORDS[state.kind];
  const ago = terminal.isLive ? ` · ${formatAgo(atMs, systemClock.now())}` : "";
  const when = `${formatMoment(atMs)}${ago}`;
  const first = [bold("State"), yellow(state.state_id), names].filter((part) => part !== "").join(" ");
  return `${first}\n${stateMark({ kind: state.kind, outcome: state.turn?.outcome }, terminal)} ${what} ${dim(`· ${when}`)}\n`;
}

function prompt(turn: Turn, { colors, columns }: Terminal): string {
  const [first = "", ...rest] = wrapText(plainText(turn.prompt).trim(), columns - 2);
  return `${colors.cyan("❯")} ${[colors.bold(first), ...rest.map(indented)].join("\n")}\n`;
}

function response(turn: Turn, { columns }: Terminal): string {
  const text = plainText(turn.response).trim();
  return text === ""
    ? ""
    : `${wrapText(text, columns - 2)
        .map(indented)
        .join("\n")}\n`;
}

function indented(line: string): string {
  return line === "" ? "" : `  ${line}`;
}

function fileRows(state: ShownState, terminal: Terminal): readonly CardRow[] {
  return [
    ["Files", ...changeLines(state.files, terminal)],
    [
      "Left out",
      ...state.left_out.map((left) => `${plainLine(left.path)} (${left.reason}, ${formatBytes(left.size_bytes)})`),
    ],
    ["Moved", ...state.moved.map((path) => `${plainLine(path)} changed while it was captured`)],
  ];
}

function turnRows(turn: Turn | null, terminal: Terminal, cwd: string): readonly CardRow[] {
  if (!turn) return [];
  const { red, yellow } = terminal.colors;
  const { ledger } = turn;
  const bound = ledger.is_lower_bound
    ? ` at least, according to the ${ledger.source}: ${ledger.source === "result" ? "a response broke off" : "the turn was cut off"}`
    : "";
  return [
    ["Error", ...(turn.error ? [red(`${turn.error.kind}: ${plainLine(turn.error.message)}`)] : [])],
    ["Attached", ...turn.attachments.map(({ type, name }) => `${plainLine(name)} (${type})`)],
    ["Tools", ...(turn.tools.length === 0 ? ["none"] : turn.tools.map((call) => toolRow(call, terminal, cwd)))],
    [
      "Tokens",
      ...Object.entries(turn.usage_by_model).map(
        ([model, usage]) => `${tokensLine(usage)}  ${plainLine(modelName(model, turn.scenario))}`,
      ),
    ],
    ["Cost", turn.offline ? costLine(turn.cost_usd, true) : `${formatUsd(turn.cost_usd)}${bound}`],
    ["Mismatch", ...ledger.mismatches.map((each) => yellow(mismatch(each)))],
    ["Time", `${formatDuration(turn.duration_ms)} · ${formatNumberOf(turn.responses, "response")}`],
  ];
}

function stateRows(state: ShownState, terminal: Terminal): readonly CardRow[] {
  const rewards = Object.entries(state.rewards).map(([name, value]) => `${plainLine(name)} ${value}`);
  return [
    ["Rewards", ...(rewards.length === 0 ? [] : [rewards.join(" · ")])],
    ["Note", ...(state.note_problem === null ? [] : [plainLine(state.note_problem)])],
    ["Settings", ...settingLines(state, terminal)],
    ["Session", ...(state.session_id === null ? [] : [state.session_id])],
    ["Conversation", state.conversation_id],
    ["Transition", ...(state.turn ? [state.turn.transition_id] : [])],
    ["Before", ...(state.parent_id === null ? [] : [terminal.colors.yellow(shortId(state.parent_id))])],
  ];
}

function toolRow(call: Turn["tools"][number], { colors, columns }: Terminal, cwd: string): string {
  const failed = call.is_error ? colors.red("✗") : colors.green("✓");
  const mark = call.is_open ? colors.yellow("!") : call.is_denied ? colors.yellow("⊘") : failed;
  const outcome = call.is_open ? "cut off" : call.is_denied ? "denied" : formatDuration(call.duration_ms);
  const name = plainLine(call.tool);
  const title = fitLine(toolTitle(call.input, cwd), Math.max(columns - name.length - outcome.length - 24, 16));
  return `${mark} ${colors.bold(name)} ${title}  ${colors.dim(outcome)}`;
}

function mismatch({ model, field, source, result, found }: Turn["ledger"]["mismatches"][number]): string {
  return `${plainLine(model)} ${field}: ${formatCount(result)} by the result, ${formatCount(found)} by the ${source}`;
}

function settingLines({ settings, turn }: ShownState, terminal: Terminal): string[] {
  const given = Object.entries(settings).filter(
    // The offline model is named with the tokens; the model that it stands for did nothing.
    ([name, value]) => !(Array.isArray(value) && value.length === 0) && !(name === "model" && turn?.offline),
  );
  return given.map(([name, value]) => {
    const text = typeof value === "string" ? value : Array.isArray(value) ? value.join(", ") : JSON.stringify(value);
    return fitLine(`${plainLine(name)} ${plainLine(text)}`, Math.max(terminal.columns - 18, 20));
  });
}
