import type { TeamAnswer } from "../../../../src/monitor/api-types.ts";

export type Team = TeamAnswer["team"];
export type Round = Team["rounds"][number];
export type Review = Team["reviews"][number];

const LANE_PX = 48;
const AXIS_PX = 28;
const BAR_PX = 26;
/** So wide is a bar at least: it can be seen and hit. */
const LEAST_BAR_PX = 20;
/** From so many bars on the picture is wider than the screen, and scrolls. */
const ROOM_PX = 80;
const END_PX = 16;

export type Tone = "good" | "bad" | "running" | "neutral" | "attention";

/** One that works: a lane from left to right. */
export interface Lane {
  readonly name: string;
  readonly label: string;
  readonly top: number;
}

/** A turn of somebody's, from its beginning to its end. */
export interface Bar {
  /** What the address calls it. */
  readonly key: string;
  readonly lane: string;
  readonly left: number;
  readonly width: number;
  readonly top: number;
  readonly label: string;
  /** What it is, for those who do not see it. */
  readonly said: string;
  readonly tone: Tone;
  readonly isGoing: boolean;
}

/** Gates that ran after a turn. */
export interface GateSpan {
  readonly key: string;
  readonly left: number;
  readonly width: number;
  readonly top: number;
  readonly isPassed: boolean;
}

/** Something given from one lane to another. */
export interface Arrow {
  readonly key: string;
  readonly tone: Tone;
  readonly path: string;
  readonly said: string;
}

/** An item that came into the directory. */
export interface Mark {
  readonly key: string;
  readonly item: string;
  readonly left: number;
  readonly top: number;
}

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly lanes: readonly Lane[];
  readonly bars: readonly Bar[];
  readonly gates: readonly GateSpan[];
  readonly arrows: readonly Arrow[];
  readonly marks: readonly Mark[];
  readonly ticks: readonly { readonly left: number; readonly ms: number }[];
}

/** Lays out what a team did: a lane for each, time to the right, as wide as there is room and no bar too small. */
export function layOut(team: Team, { widthPx, nowMs }: { readonly widthPx: number; readonly nowMs: number }): Picture {
  const lanes = lanesOf(team);
  const topOf = (name: string): number => lanes.find((lane) => lane.name === name)?.top ?? AXIS_PX;
  const startMs = Date.parse(team.started_at);
  const isGoing = team.state === "running";
  const endMs = Math.max(startMs + 1000, isGoing ? nowMs : Date.parse(team.updated_at));
  const width = Math.max(widthPx, (team.rounds.length + team.reviews.length) * ROOM_PX);
  const scale = (at: string | number | null): number => {
    const ms = at === null ? endMs : typeof at === "number" ? at : Date.parse(at);
    return Math.round((Math.min(Math.max(ms - startMs, 0), endMs - startMs) / (endMs - startMs)) * (width - END_PX));
  };
  const place = (lane: string, from: string, to: string | null) => {
    const left = scale(from);
    return { lane, left, width: Math.max(LEAST_BAR_PX, scale(to) - left), top: topOf(lane) + (LANE_PX - BAR_PX) / 2 };
  };
  const bars = [
    ...team.reviews.map((review, index) => reviewBar(review, index, place)),
    ...team.rounds.map((round, index) => roundBar(round, index, place)),
  ].toSorted((left, right) => left.left - right.left);
  return {
    width,
    height: AXIS_PX + lanes.length * LANE_PX,
    lanes,
    bars,
    gates: team.rounds.flatMap((round, index) => gateSpan(round, index, { scale, topOf })),
    arrows: team.handoffs.flatMap((handoff, index) => arrowOf(handoff, index, { scale, topOf, lanes })),
    marks: marksOf(team, { scale, topOf }),
    ticks: ticksOf(endMs - startMs, width).map((ms) => ({ ms, left: scale(startMs + ms) })),
  };
}

/** What the address calls the turns, in the order in which they began. */
export function keysInOrder({ rounds, reviews }: Team): readonly string[] {
  const turns = [
    ...reviews.map(({ started_at: at }, index) => ({ at, key: `m${index}` })),
    ...rounds.map(({ started_at: at }, index) => ({ at, key: `w${index}` })),
  ];
  return turns.toSorted((left, right) => Date.parse(left.at) - Date.parse(right.at)).map(({ key }) => key);
}

function lanesOf({ rounds, handoffs, settings }: Team): readonly Lane[] {
  const workers = Math.max(1, ...rounds.map(({ lane }) => lane), Math.min(settings.workers, 4));
  const isAsked = handoffs.some(({ to }) => to === "person");
  const names = [
    ...(isAsked ? [["person", "Person"]] : []),
    ["manager", "Manager"],
    ...Array.from({ length: workers }, (_, place) => [`worker-${place + 1}`, `Worker ${place + 1}`]),
    ["directory", "Directory"],
  ];
  return names.map(([name = "", label = ""], place) => ({ name, label, top: AXIS_PX + place * LANE_PX }));
}

type Place = (lane: string, from: string, to: string | null) => Pick<Bar, "lane" | "left" | "width" | "top">;

/** What was said of a round, in two words. */
export function verdictText({ verdict, by, finished_at: finished }: Round): string {
  if (verdict) return verdict.approved ? `approved by the ${by ?? "manager"}` : `sent back by the ${by ?? "manager"}`;
  return finished === null ? "works" : "in review";
}

export function toneOf({ verdict, finished_at: finished }: Round): Tone {
  if (verdict) return verdict.approved ? "good" : "bad";
  return finished === null ? "running" : "neutral";
}

function roundBar(round: Round, index: number, place: Place): Bar {
  const { item, attempt, round: number, lane, started_at: from, finished_at: to } = round;
  const count = `${attempt}.${number}`;
  return {
    key: `w${index}`,
    ...place(`worker-${lane}`, from, to),
    label: `${item} ${count}`,
    said: `Worker ${lane}: ${item} ${count}, ${verdictText(round)}`,
    tone: toneOf(round),
    isGoing: to === null,
  };
}

const REVIEW_WORDS = { plan: "plan", review: "review", remedy: "what now" } as const;

function reviewBar({ kind, item, started_at: from, ended_at: to }: Review, index: number, place: Place): Bar {
  const label = item === null ? REVIEW_WORDS[kind] : `${REVIEW_WORDS[kind]} ${item}`;
  const said = `Manager: ${label}${to === null ? ", goes on" : ""}`;
  const tone = to === null ? "running" : "neutral";
  return { key: `m${index}`, ...place("manager", from, to), label, said, tone, isGoing: to === null };
}

interface Placing {
  readonly scale: (at: string | number | null) => number;
  readonly topOf: (lane: string) => number;
}

function gateSpan(round: Round, index: number, { scale, topOf }: Placing): readonly GateSpan[] {
  const { finished_at: from, evidence_at: to, gates, lane } = round;
  if (from === null || to === null || gates.length === 0) return [];
  const left = scale(from);
  const top = topOf(`worker-${lane}`) + (LANE_PX + BAR_PX) / 2 - 4;
  return [
    { key: `g${index}`, left, width: Math.max(4, scale(to) - left), top, isPassed: gates.every((gate) => gate.passed) },
  ];
}

function marksOf({ handoffs }: Team, { scale, topOf }: Placing): readonly Mark[] {
  const merged = handoffs.filter(({ type }) => type === "merged");
  const top = topOf("directory") + LANE_PX / 2;
  return merged.map(({ item, at }) => ({ key: `i:${item ?? ""}`, item: item ?? "", left: scale(at), top }));
}

const TONES: Readonly<Record<string, Tone>> = {
  assigned: "neutral",
  evidence: "neutral",
  merged: "good",
  conflict: "bad",
  escalated: "attention",
  answered: "attention",
};

/** A curve from lane to lane. What approves leads nowhere by itself: the merge that follows is drawn. */
function arrowOf(
  { type, from, to, at, item, text }: Team["handoffs"][number],
  index: number,
  { scale, topOf, lanes }: Placing & { readonly lanes: readonly Lane[] },
): readonly Arrow[] {
  const tone = TONES[type] ?? (type === "verdict" && from === "manager" && to !== "directory" ? "bad" : undefined);
  const isDrawn = tone !== undefined && [from, to].every((name) => lanes.some((lane) => lane.name === name));
  if (!isDrawn) return [];
  const x = scale(at);
  const isDown = topOf(to) > topOf(from);
  const middle = LANE_PX / 2;
  const [start, end] = [
    topOf(from) + middle + (isDown ? BAR_PX / 2 : -BAR_PX / 2),
    topOf(to) + middle + (to === "directory" ? -7 : isDown ? -BAR_PX / 2 - 1 : BAR_PX / 2 + 1),
  ];
  const said = `${type}: ${from} to ${to}${item === null ? "" : `, ${item}`}: ${text}`;
  return [{ key: `a${index}`, tone, path: `M ${x} ${start} L ${x} ${end}`, said }];
}

const STEPS_S = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400];
const TICK_PX = 96;

function ticksOf(spanMs: number, width: number): readonly number[] {
  const most = Math.max(1, Math.floor(width / TICK_PX));
  const step = (STEPS_S.find((seconds) => seconds * 1000 * most >= spanMs) ?? 86_400) * 1000;
  return Array.from({ length: Math.min(200, Math.floor(spanMs / step) + 1) }, (_, place) => place * step);
}
