import { mainReward, KIND_WORDS } from "./state-lines.ts";
import { formatReward, formatUsd, fitLine, plainLine, promptLine } from "../../terminal/index.ts";
import { shortId } from "./short-id.ts";
import type { StateData } from "./state-data.ts";

/** A state of a drawn tree, below the nearest one before it that is drawn too. */
export interface TreeState {
  readonly state: StateData;
  readonly drawnParentId: string | undefined;
}

const LONGEST_PROMPT = 40;

export function formatDot(tree: readonly TreeState[]): string {
  const nodes = tree.map(
    ({ state }) => `  "${shortId(state.state_id)}" [label="${dotLabel(state)}"${dotStyle(state)}];`,
  );
  const edges = edgesOf(tree).map(([from, to]) => `  "${from}" -> "${to}";`);
  return [
    "digraph skein {",
    '  node [shape=box, style=rounded, fontname="sans-serif"];',
    ...nodes,
    ...edges,
    "}",
    "",
  ].join("\n");
}

export function formatMermaid(tree: readonly TreeState[]): string {
  const nodes = tree.map(({ state }) => `  s${shortId(state.state_id)}["${mermaidLabel(state)}"]`);
  const edges = edgesOf(tree).map(([from, to]) => `  s${from} --> s${to}`);
  const here = tree
    .filter(({ state }) => state.is_here)
    .map(({ state }) => `  style s${shortId(state.state_id)} stroke-width:3px`);
  return ["graph TD", ...nodes, ...edges, ...here, ""].join("\n");
}

function edgesOf(tree: readonly TreeState[]): readonly (readonly [from: string, to: string])[] {
  return tree.flatMap(({ state, drawnParentId }) =>
    drawnParentId === undefined ? [] : [[shortId(drawnParentId), shortId(state.state_id)] as const],
  );
}

/** What is told of a state: its prompt or its kind; its id and names; its reward and cost. */
function labelLines({ state_id: id, kind, turn, checkpoints, is_here: isHere, rewards }: StateData): readonly string[] {
  const names = [...(isHere ? ["@"] : []), ...checkpoints].join(", ");
  const reward = mainReward(rewards);
  const told = reward === undefined ? [] : [`reward ${formatReward(reward)}`];
  const last = [...told, ...(turn ? [turn.offline ? "offline" : formatUsd(turn.cost_usd)] : [])].join(" · ");
  const lines = [
    fitLine(turn ? promptLine(turn.prompt) : KIND_WORDS[kind], LONGEST_PROMPT),
    names === "" ? shortId(id) : `${shortId(id)} (${names})`,
    last,
  ];
  return lines.filter((line) => line !== "").map(plainLine);
}

function dotLabel(state: StateData): string {
  return labelLines(state)
    .map((line) => line.replace(/["\\]/gu, String.raw`\$&`))
    .join(String.raw`\n`);
}

function dotStyle({ is_here: isHere, turn }: StateData): string {
  const color = turn && turn.outcome !== "completed" ? ", color=red" : "";
  return `${isHere ? ", penwidth=2" : ""}${color}`;
}

/** Mermaid reads HTML and entities in labels, which begin with # there. */
function mermaidLabel(state: StateData): string {
  const codes: Readonly<Record<string, string>> = { "#": "#35;", '"': "#quot;", "<": "#lt;", ">": "#gt;", "`": "#96;" };
  return labelLines(state)
    .map((line) => line.replace(/[#"<>`]/gu, (character) => codes[character] ?? character))
    .join("<br>");
}
