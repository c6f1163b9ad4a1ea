import { z } from "zod";
import {
  GateResult,
  Plan,
  Remedy,
  Verdict,
  WORK_STEP,
  type TeamJournalLine,
  type WorkItem,
} from "../../team/internal.ts";
import type { TeamLine } from "./team-line.ts";

/** What is known of a turn by the state that it led to. */
export interface StepTurn {
  readonly structuredOutput?: unknown;
  readonly conversationId: string;
  readonly offline: boolean;
}

type Step = Extract<TeamJournalLine, { type: "step" }>;

/** The round that each item is in, as far as the steps tell. */
interface Stepping {
  readonly lines: TeamLine[];
  readonly turnOf: (state: string) => Promise<StepTurn | undefined>;
  readonly titles: Map<string, string>;
  readonly open: Map<string, { readonly attempt: number; readonly round: number }>;
}

/** A team's lines by its own journal, where its event journals are gone: what was done, without what was only told. */
export async function linesOfSteps(
  journal: readonly TeamJournalLine[],
  turnOf: Stepping["turnOf"],
): Promise<readonly TeamLine[]> {
  const stepping: Stepping = { lines: [], turnOf, titles: new Map(), open: new Map() };
  const add = (...lines: readonly TeamLine[]): unknown => stepping.lines.push(...lines);
  for (const line of journal) {
    const timestamp = line.at;
    if (line.type === "step") await addStep(stepping, line);
    else if (line.type === "end") add({ type: "team-end", timestamp, result: { outcome: line.outcome } });
    else add({ type: "team-start", timestamp, isResumed: line.type === "resume" });
    if (line.type !== "begin") continue;
    add({ type: "phase-changed", timestamp, phase: "plan" });
    const { plan, protect } = line.settings;
    if (plan) addPlan(stepping, timestamp, { ...plan, protect: [...new Set([...protect, ...plan.protect])] });
  }
  return stepping.lines;
}

function addPlan({ lines, titles }: Stepping, timestamp: string, { items, protect }: Plan): void {
  for (const { id, title } of items) titles.set(id, title);
  lines.push({ type: "plan-made", timestamp, items: [...items] as WorkItem[], protect: [...protect] });
}

async function addStep(stepping: Stepping, { name, at: timestamp, value, spent }: Step): Promise<void> {
  const { lines, turnOf, open, titles } = stepping;
  const [item = "", attempt = ""] = name.split("/");
  if (item === "plan") {
    const plan = Plan.safeParse((await turnOf(String(value)))?.structuredOutput);
    if (plan.success) addPlan(stepping, timestamp, plan.data);
    return;
  }
  const of = { timestamp, item };
  if (name === `${item}/merged`) {
    const merged = z.object({ stateId: z.string(), wayBack: z.string() }).safeParse(value);
    approve(stepping, of);
    if (merged.success) lines.push({ type: "item-merged", ...of, ...merged.data });
    lines.push({ type: "item-ended", ...of, status: "merged", reason: "approved" });
  } else if (name === `${item}/${attempt}/base`) {
    const title = titles.get(item) ?? item;
    const round = { worker: 0, attempt: Number(attempt), round: 1 };
    lines.push({ type: "item-started", ...of, ...round, title, stateId: String(value) });
  } else if (WORK_STEP.test(name)) {
    // A round that another one follows was not good enough, by what is in its files.
    if (open.has(item)) judge(stepping, of, { by: "evidence", verdict: AGAINST });
    const round = { worker: 0, attempt: Number(attempt), round: Number(name.split("/").at(-1)) };
    const turn = await turnOf(String(value));
    const { conversationId = "", offline = false } = turn ?? {};
    const told = { stateId: String(value), conversationId, offline, costUsd: spent?.costUsd ?? 0, isReused: false };
    open.set(item, round);
    lines.push({ type: "worker-finished", ...of, ...round, ...told });
  } else await addWord(stepping, { name, of, value });
}

const AGAINST: Verdict = { approved: false, issues: [], requiredChanges: [] };

interface Of {
  readonly timestamp: string;
  readonly item: string;
}

/** What gates and the manager said. */
async function addWord(
  stepping: Stepping,
  { name, of, value }: { readonly name: string; readonly of: Of; readonly value: unknown },
): Promise<void> {
  const { lines, open, turnOf } = stepping;
  const round = open.get(of.item);
  const last = name.split("/").findLast((part) => !/^\d+$/u.test(part)) ?? "";
  if (last === "gates" && round) {
    const gates = z.array(GateResult).catch([]).parse(value);
    const known = { violations: [], toolErrors: 0 };
    lines.push({ type: "evidence-gathered", ...of, worker: 0, ...round, gates, ...known });
    const failed = gates.filter(({ passed }) => !passed);
    const issues = failed.map(({ command, ending }) => `The gate "${command}" failed (${ending})`);
    if (failed.length > 0) judge(stepping, of, { by: "gates", verdict: { ...AGAINST, issues } });
  } else if (last === "review") {
    const verdict = Verdict.safeParse((await turnOf(String(value)))?.structuredOutput);
    if (verdict.success) judge(stepping, of, { by: "manager", verdict: verdict.data });
  } else if (last === "remedy") {
    const remedy = Remedy.safeParse((await turnOf(String(value)))?.structuredOutput);
    if (remedy.success) lines.push({ type: "remedy-chosen", ...of, remedy: remedy.data });
  } else if (last.startsWith("merge-")) {
    const { data } = z.object({ paths: z.array(z.string()) }).safeParse(value);
    if (data) lines.push({ type: "item-conflict", ...of, paths: data.paths });
  }
}

function judge(
  { lines, open }: Stepping,
  of: Of,
  said: Pick<Extract<TeamLine, { type: "verdict" }>, "by" | "verdict">,
): void {
  const round = open.get(of.item);
  open.delete(of.item);
  if (round) lines.push({ type: "verdict", ...of, worker: 0, ...round, ...said });
}

/** What is in the directory was approved, whoever did. */
function approve(stepping: Stepping, of: Of): void {
  judge(stepping, of, { by: "manager", verdict: { ...AGAINST, approved: true } });
}
