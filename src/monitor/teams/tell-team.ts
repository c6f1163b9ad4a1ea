import { defined } from "../../core/internal.ts";
import type { LineOf, TeamLine } from "./team-line.ts";
import type { Handoff, StoryItem, StoryReview, StoryRound, TeamStory } from "./team-story.ts";

type Mutable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

/** What is known of a team while its lines are gone through. */
interface Telling {
  phase: string | undefined;
  outcome: string | undefined;
  protect: readonly string[];
  readonly items: Map<string, Mutable<StoryItem>>;
  readonly rounds: Mutable<StoryRound>[];
  readonly reviews: Mutable<StoryReview>[];
  readonly handoffs: Handoff[];
  /** The round that each item is in. */
  readonly current: Map<string, Mutable<StoryRound>>;
  readonly questions: Map<string, string | undefined>;
}

/** Makes a team's story of its lines in their order. What is told again, when a team was resumed, is in it once. */
export function tellTeam(lines: Iterable<TeamLine>): TeamStory {
  const telling: Telling = {
    phase: undefined,
    outcome: undefined,
    protect: [],
    items: new Map(),
    rounds: [],
    reviews: [],
    handoffs: [],
    current: new Map(),
    questions: new Map(),
  };
  for (const line of lines) take(telling, line);
  const { phase, outcome, protect, items, rounds, reviews, handoffs } = telling;
  return { ...defined({ phase, outcome }), protect, items: [...items.values()], rounds, reviews, handoffs };
}

function take(telling: Telling, line: TeamLine): void {
  switch (line.type) {
    case "team-start":
      return start(telling);
    case "phase-changed":
      return changePhase(telling, line);
    case "plan-made":
      return takePlan(telling, line);
    case "plan-refused":
      return hand(telling, line, { type: "plan-refused", from: "team", to: "manager", text: line.problem });
    case "item-started":
      return startItem(telling, line);
    case "worker-finished":
      return finishRound(telling, line);
    case "evidence-gathered":
      return takeEvidence(telling, line);
    case "verdict":
      return takeVerdict(telling, line);
    case "item-stuck":
      return stick(telling, line);
    case "remedy-chosen":
      return takeRemedy(telling, line);
    case "item-conflict":
      return takeConflict(telling, line);
    case "item-merged":
      return merge(telling, line);
    case "item-ended":
      return endItem(telling, line);
    case "escalated":
      return escalate(telling, line);
    case "answered":
      return takeAnswer(telling, line);
    case "team-end":
      return end(telling, line);
  }
}

type Given = Pick<Handoff, "type" | "from" | "to" | "text"> & {
  readonly item?: string | undefined;
  readonly stateId?: string | undefined;
};

function hand({ handoffs }: Telling, { timestamp }: { readonly timestamp: string }, given: Given): void {
  const { type, from, to, text, ...about } = given;
  handoffs.push({ at: timestamp, type, from, to, text, ...defined(about) });
}

/** What was going on when a team was cut off came to nothing: it is begun again. */
function start(telling: Telling): void {
  telling.outcome = undefined;
  dropOpen(telling);
  for (const item of telling.items.values()) {
    delete item.lane;
    if (["merged", "skipped", "replaced"].includes(item.status)) continue;
    item.status = "waiting";
    delete item.reason;
  }
}

function dropOpen({ rounds, reviews, current }: Telling): void {
  drop(rounds, ({ finishedAt }) => finishedAt === undefined);
  drop(reviews, ({ endedAt }) => endedAt === undefined);
  current.clear();
}

function drop<Value>(values: Value[], isWanted: (value: Value) => boolean): void {
  values.splice(0, values.length, ...values.filter((value) => !isWanted(value)));
}

function changePhase(telling: Telling, { phase, timestamp }: LineOf<"phase-changed">): void {
  telling.phase = phase;
  const { items, reviews } = telling;
  if (phase === "plan" && items.size === 0) reviews.push({ kind: "plan", startedAt: timestamp });
}

function takePlan(telling: Telling, line: LineOf<"plan-made">): void {
  const { items, protect, timestamp } = line;
  telling.protect = protect;
  if (telling.items.size > 0) return;
  for (const item of items) telling.items.set(item.id, { ...item, status: "waiting", attempts: 0 });
  endReview(telling, ({ kind }) => kind === "plan", timestamp);
  hand(telling, line, { type: "plan", from: "manager", to: "team", text: items.map(({ id }) => id).join(", ") });
}

/** An item that took another's place is in no plan: what is known of it is its title. */
function itemOf({ items }: Telling, id: string, title = id): Mutable<StoryItem> {
  const known = items.get(id);
  if (known) return known;
  const item: Mutable<StoryItem> = {
    id,
    title,
    description: "",
    acceptanceCriteria: [],
    dependencies: [],
    priority: 3,
    estimatedEffort: "medium",
    status: "waiting",
    attempts: 0,
  };
  items.set(id, item);
  return item;
}

function startItem(telling: Telling, line: LineOf<"item-started">): void {
  const { item: id, title, attempt, stateId: baseStateId } = line;
  const item = itemOf(telling, id, title);
  item.lane ??= freeLane(telling);
  const isKnown = attempt <= item.attempts;
  item.attempts = Math.max(item.attempts, attempt);
  beginRound(telling, line, { baseStateId });
  if (!isKnown)
    hand(telling, line, { type: "assigned", from: "manager", to: laneName(item.lane), item: id, text: title });
}

function freeLane({ items }: Telling): number {
  const taken = new Set([...items.values()].map(({ lane }) => lane));
  let lane = 1;
  while (taken.has(lane)) lane += 1;
  return lane;
}

function laneName(lane = 1): string {
  return `worker-${lane}`;
}

interface Beginning {
  readonly item: string;
  readonly worker: number;
  readonly attempt: number;
  readonly round: number;
  readonly timestamp: string;
}

function beginRound(
  telling: Telling,
  { item: id, worker, attempt, round, timestamp }: Beginning,
  { baseStateId }: { readonly baseStateId: string | undefined },
): void {
  const item = itemOf(telling, id);
  item.status = "working";
  const { lane = 1 } = item;
  const begun = { item: id, lane, worker, attempt, round, startedAt: timestamp, ...defined({ baseStateId }) };
  const whole = { ...begun, costUsd: 0, offline: false, gates: [], violations: [], toolErrors: 0 };
  telling.rounds.push(whole);
  telling.current.set(id, whole);
}

/** A round that never came about: its item went another way. */
function dropBegun({ rounds, current }: Telling, item: string): void {
  drop(rounds, (each) => each.item === item && each.finishedAt === undefined);
  if (current.get(item)?.finishedAt === undefined) current.delete(item);
}

function finishRound(telling: Telling, line: LineOf<"worker-finished">): void {
  const { item, stateId, conversationId, costUsd, offline, timestamp } = line;
  itemOf(telling, item).status = "reviewing";
  const known = telling.rounds.find((each) => each.item === item && each.stateId === stateId);
  if (known) {
    dropBegun(telling, item);
    telling.current.set(item, known);
    return;
  }
  if (!telling.current.has(item)) beginRound(telling, line, { baseStateId: undefined });
  const round = telling.current.get(item);
  if (!round) return;
  const { worker, attempt, round: number } = line;
  Object.assign(round, { worker, attempt, round: number, stateId, conversationId, costUsd, offline });
  round.finishedAt = timestamp;
}

function takeEvidence(telling: Telling, line: LineOf<"evidence-gathered">): void {
  const { item, timestamp, changes, gates, violations, toolErrors } = line;
  const round = telling.current.get(item);
  if (!round || round.evidenceAt !== undefined) return;
  Object.assign(round, { evidenceAt: timestamp, gates, violations, toolErrors }, defined({ changes }));
  const isReviewed = violations.length === 0 && changes?.length !== 0 && gates.every(({ passed }) => passed);
  if (!isReviewed) return;
  const { stateId } = round;
  telling.reviews.push({ kind: "review", item, startedAt: timestamp, ...defined({ workStateId: stateId }) });
  const text = [countText(changes?.length, "file"), countText(gates.length || undefined, "gate", " passed")];
  hand(telling, line, {
    type: "evidence",
    from: laneName(round.lane),
    to: "manager",
    item,
    stateId,
    text: text.filter((part) => part !== "").join(", "),
  });
}

function countText(count: number | undefined, what: string, after = ""): string {
  return count === undefined ? "" : `${count} ${what}${count === 1 ? "" : "s"}${after}`;
}

function takeVerdict(telling: Telling, line: LineOf<"verdict">): void {
  const { item: id, by, verdict, timestamp, round: number } = line;
  const round = telling.current.get(id);
  const item = itemOf(telling, id);
  if (!round) return;
  const isKnown = round.judgedAt !== undefined;
  if (!isKnown) {
    Object.assign(round, { judgedAt: timestamp, by, verdict });
    const isOfIt = ({ item: of, kind }: StoryReview): boolean => kind === "review" && of === id;
    if (by === "manager") endReview(telling, isOfIt, timestamp);
    else drop(telling.reviews, (review) => isOfIt(review) && review.endedAt === undefined);
    const to = verdict.approved ? "directory" : laneName(round.lane);
    const text = verdict.approved ? "approved" : firstLine(verdict.issues[0] ?? "not approved");
    hand(telling, line, { type: "verdict", from: by, to, item: id, stateId: round.stateId, text });
  }
  item.status = verdict.approved ? "integrating" : "working";
  if (!verdict.approved) beginRound(telling, { ...line, round: number + 1 }, round as { baseStateId: string });
}

function firstLine(text: string): string {
  return (text.split("\n", 1)[0] ?? "").replace(/:$/u, "");
}

/** The manager does one thing at a time: what waited for it began when it was free. */
function endReview({ reviews }: Telling, isWanted: (review: StoryReview) => boolean, at: string): void {
  const review = reviews.find((each) => each.endedAt === undefined && isWanted(each));
  if (!review) return;
  review.endedAt = at;
  for (const each of reviews) if (each.endedAt === undefined && each.startedAt < at) each.startedAt = at;
}

function stick(telling: Telling, line: LineOf<"item-stuck">): void {
  const { item, reason } = line;
  dropBegun(telling, item);
  const isTold = telling.handoffs.some(
    ({ type, item: of, text }) => type === "stuck" && of === item && text === reason,
  );
  const { lane } = itemOf(telling, item);
  if (!isTold) hand(telling, line, { type: "stuck", from: laneName(lane), to: "manager", item, text: reason });
}

function takeRemedy(telling: Telling, line: LineOf<"remedy-chosen">): void {
  const { item: id, remedy, timestamp } = line;
  dropBegun(telling, id);
  const text = `${remedy.action}: ${firstLine(remedy.reason)}`;
  const isTold = telling.handoffs.some((each) => each.type === "remedy" && each.item === id && each.text === text);
  if (isTold) return;
  const item = itemOf(telling, id);
  const judged = telling.rounds.findLast((each) => each.item === id)?.judgedAt ?? timestamp;
  const free = telling.reviews.reduce((last, { endedAt = last }) => (endedAt > last ? endedAt : last), judged);
  const isAsked = remedy.action !== "escalate";
  if (isAsked && free < timestamp)
    telling.reviews.push({ kind: "remedy", item: id, startedAt: free, endedAt: timestamp });
  const to = remedy.action === "escalate" ? "person" : laneName(item.lane);
  hand(telling, line, { type: "remedy", from: "manager", to, item: id, text });
  if (remedy.action !== "replan") return;
  replace(telling, item, remedy.items);
}

/** What waited for an item waits for those that took its place; these wait for what it waited for. */
function replace({ items }: Telling, { id, dependencies }: StoryItem, others: readonly PlanItem[]): void {
  const names = new Map(others.map((other) => [other.id, `${id}.${other.id}`.slice(0, 80)]));
  for (const waiting of items.values()) {
    if (!waiting.dependencies.includes(id)) continue;
    waiting.dependencies = [...waiting.dependencies.filter((each) => each !== id), ...names.values()];
  }
  for (const other of others) {
    const own = names.get(other.id) ?? other.id;
    const needs = [...dependencies, ...other.dependencies.flatMap((each) => names.get(each) ?? [])];
    if (!items.has(own)) items.set(own, { ...other, id: own, dependencies: needs, status: "waiting", attempts: 0 });
  }
}

type PlanItem = LineOf<"plan-made">["items"][number];

function takeConflict(telling: Telling, line: LineOf<"item-conflict">): void {
  const { item: id, paths } = line;
  const round = telling.current.get(id);
  const { lane } = itemOf(telling, id);
  const text = paths.length > 0 ? paths.join(", ") : "the gates fail on both together";
  hand(telling, line, { type: "conflict", from: "directory", to: laneName(lane), item: id, text });
  const { worker = 0, attempt = 1 } = round ?? {};
  beginRound(telling, { ...line, worker, attempt, round: 1 }, { baseStateId: undefined });
}

function merge(telling: Telling, line: LineOf<"item-merged">): void {
  const { item: id, stateId, wayBack } = line;
  const item = itemOf(telling, id);
  dropBegun(telling, id);
  const isKnown = item.mergedStateId === stateId;
  Object.assign(item, { status: "merged", mergedStateId: stateId, wayBack });
  const from = laneName(item.lane);
  if (!isKnown) hand(telling, line, { type: "merged", from, to: "directory", item: id, stateId, text: "merged" });
}

function endItem(telling: Telling, line: LineOf<"item-ended">): void {
  const { item: id, status, reason } = line;
  const item = itemOf(telling, id);
  dropBegun(telling, id);
  const isKnown = item.status === status && item.reason === reason;
  Object.assign(item, { status, reason });
  const from = laneName(item.lane);
  delete item.lane;
  if (status === "merged" || isKnown) return;
  hand(telling, line, { type: "ended", from, to: "team", item: id, text: `${status}: ${firstLine(reason)}` });
}

function escalate(telling: Telling, line: LineOf<"escalated">): void {
  const { id, item, kind, text } = line.question;
  telling.questions.set(id, item);
  if (item !== undefined) dropBegun(telling, item);
  if (kind === "plan") endReview(telling, (review) => review.kind === "plan", line.timestamp);
  hand(telling, line, { type: "escalated", from: "manager", to: "person", item, text: firstLine(text) });
}

function takeAnswer(telling: Telling, line: LineOf<"answered">): void {
  const { questionId, answer } = line;
  const item = telling.questions.get(questionId);
  const text = answer.message === undefined ? answer.choice : `${answer.choice}: ${firstLine(answer.message)}`;
  hand(telling, line, { type: "answered", from: "person", to: "manager", item, text });
  if (item === undefined && answer.choice === "retry") {
    telling.reviews.push({ kind: "plan", startedAt: line.timestamp });
  }
}

/** Items that wait for what will not come are told of at the end alone. */
function end(telling: Telling, { result }: LineOf<"team-end">): void {
  telling.outcome = result.outcome;
  dropOpen(telling);
  for (const item of telling.items.values()) {
    const ended = result.items?.find(({ id }) => id === item.id);
    if (ended) Object.assign(item, { status: ended.status, ...defined({ reason: ended.reason }) });
    delete item.lane;
  }
}
