import fc from "fast-check";
import { expect, it } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { microUsd } from "../../core/internal.ts";
import { addFigures, figuresOfTurn, NO_FIGURES, type Figures, type FiguresQuery } from "./figures.ts";
import { openTemporaryIndex } from "./open-state-index.ts";
import { addShares, divideTurn, type AgentFigures } from "./agent-shares.ts";
import type { IndexedState, StateIndex, WrittenState } from "./state-index.ts";

const START_MS = 1_700_000_000_000;
const IDS = 12;

/** Few values of each kind, so that histories meet: the same state twice, several turns from one, the same moment. */
const idOf = (number: number): string => number.toString(16).padStart(40, "0");
const count = fc.nat({ max: 1000 });
/** SQLite writes the last digits of the very smallest numbers otherwise than JavaScript. */
const real = (max: number): fc.Arbitrary<number> =>
  fc.oneof(fc.constant(0), fc.double({ min: 1e-9, max, noNaN: true }));
const turn = fc.record({
  model: fc.constantFrom("opus", "haiku"),
  outcome: fc.constantFrom("completed", "failed", "cancelled", "interrupted"),
  errorKind: fc.option(fc.constantFrom("timeout", "rate_limit"), { nil: undefined }),
  scenario: fc.option(fc.constant("demo"), { nil: undefined }),
  costUsd: fc.nat({ max: 5_000_000 }).map((micro) => micro / 1_000_000),
  durationMs: real(1e7),
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count,
  cacheWriteTokens: count,
  tools: fc.uniqueArray(
    fc.record({ tool: fc.constantFrom("Bash", "Edit", "__proto__"), calls: count, errors: count }),
    { selector: ({ tool }) => tool },
  ),
});
const reward = fc.tuple(real(5), fc.boolean()).map(([value, isBelow]) => (isBelow && value > 0 ? -value : value));
const shares = fc.record({
  role: fc.constantFrom(undefined, "manager", "someone"),
  agents: fc.dictionary(
    fc.constantFrom("", "Explore", "__proto__"),
    fc.record({
      inputTokens: count,
      outputTokens: count,
      cacheReadTokens: count,
      cacheWriteTokens: count,
      costUsd: fc.nat({ max: 3_000_000 }).map((micro) => micro / 1_000_000),
    }),
  ),
});
const rewards = fc.dictionary(fc.constantFrom("tests", "speed"), reward);

interface Known {
  readonly id: number;
  readonly parent: number | undefined;
  readonly minute: number;
  readonly turn: Record<string, unknown> | undefined;
  readonly shares: Parameters<typeof divideTurn>[1];
  readonly rewards: Readonly<Record<string, number>>;
}

const state: fc.Arbitrary<Known> = fc.record({
  id: fc.nat({ max: IDS }),
  parent: fc.option(fc.nat({ max: 3 }), { nil: undefined }),
  minute: fc.nat({ max: 6 }),
  turn: fc.option(turn, { nil: undefined }),
  shares,
  rewards,
});

const change = fc.oneof(
  { weight: 6, arbitrary: fc.array(state, { maxLength: 5 }).map((states) => ({ type: "record", states }) as const) },
  { weight: 1, arbitrary: fc.nat({ max: IDS }).map((id) => ({ type: "remove", id }) as const) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.nat({ max: IDS }), rewards).map(([id, given]) => ({ type: "reward", id, given }) as const),
  },
  { weight: 1, arbitrary: fc.constant({ type: "clear" } as const) },
);

const query: fc.Arbitrary<FiguresQuery> = fc.record({
  spans: fc.array(
    fc.tuple(fc.nat({ max: 7 }), fc.nat({ max: 7 })).map(([from, to]) => [minuteMs(from), minuteMs(to)] as const),
    { minLength: 1, maxLength: 3 },
  ),
  model: fc.option(fc.constantFrom("opus", "haiku"), { nil: undefined }),
  isByModel: fc.boolean(),
  without: fc.array(fc.nat({ max: IDS }).map(idOf), { maxLength: 2 }),
});

function minuteMs(minute: number): number {
  return START_MS + minute * 60_000;
}

function toState({ id, parent, minute, turn: of, shares: told, rewards: given }: Known): WrittenState {
  return {
    id: idOf(id),
    ...(parent === undefined ? {} : { parentId: idOf(parent) }),
    kind: of ? "turn" : "edit",
    conversationId: "c",
    recordedAtMs: minuteMs(minute),
    depth: 0,
    rewards: given,
    ...(of ? { turn: turnOf(id, of), shares: divideTurn(turnOf(id, of), told) } : {}),
  };
}

function turnOf(id: number, of: Record<string, unknown>): NonNullable<IndexedState["turn"]> {
  const texts = { transitionId: `t${id}`, prompt: "p", response: "r", sessionId: "s" };
  const files = { filesCreated: 0, filesModified: 0, filesDeleted: 0 };
  const known = Object.entries(of).filter(([, value]) => value !== undefined);
  return { ...texts, ...files, ...Object.fromEntries(known) } as unknown as NonNullable<IndexedState["turn"]>;
}

/** The figures by the definition of each, from nothing but the states. */
function fromScratch(
  states: readonly IndexedState[],
  [sinceMs, untilMs]: readonly [number, number],
  { model, without = [] }: FiguresQuery,
): Figures {
  const found = states.filter(
    ({ id, recordedAtMs, turn: of }) =>
      recordedAtMs >= sinceMs && recordedAtMs < untilMs && !without.includes(id) && (model ?? of?.model) === of?.model,
  );
  const turns = found.filter(({ turn: of }) => of !== undefined);
  const sum = turns.reduce((all, { turn: of, recordedAtMs }) => {
    if (!of) return all;
    return addFigures(all, figuresOfTurn({ ...of, costMicroUsd: microUsd(of.costUsd) }, recordedAtMs));
  }, NO_FIGURES);
  const parents = turns.flatMap(({ parentId }) => parentId ?? []);
  const shared = [...new Set(parents)].filter((id) => parents.filter((other) => other === id).length > 1);
  const named = ["speed", "tests"].flatMap((name) => {
    const having = found.filter((each) => Object.hasOwn(each.rewards, name));
    const values = having.map((each) => each.rewards[name] as number);
    if (values.length === 0) return [];
    return [[name, { values, best: { value: Math.max(...values), stateId: "", store: "" } }] as const];
  });
  const branches = parents.filter((id) => shared.includes(id)).length;
  return { ...sum, rewards: new Map(named), branchPoints: shared.length, branches };
}

function sharesFromScratch(states: readonly WrittenState[], { spans, model, without = [] }: FiguresQuery) {
  return spans.flatMap(([sinceMs, untilMs], span) => {
    const found = new Map<string, AgentFigures>();
    for (const { id, recordedAtMs, turn: of, shares: parts = [] } of states) {
      const isIn = recordedAtMs >= sinceMs && recordedAtMs < untilMs && !without.includes(id);
      if (!of || !isIn || (model ?? of.model) !== of.model) continue;
      for (const { agent, costMicroUsd, usage } of parts) {
        const money = {
          paidMicroUsd: of.scenario === undefined ? costMicroUsd : microUsd(0),
          offlineMicroUsd: of.scenario === undefined ? microUsd(0) : costMicroUsd,
        };
        found.set(
          agent,
          addShares([...(found.get(agent) ? [found.get(agent)!] : []), { span, agent, turns: 1, usage, ...money }])[0]!,
        );
      }
    }
    return [...found.values()];
  });
}

function byAgent(found: readonly AgentFigures[]): readonly AgentFigures[] {
  return found.toSorted((left, right) => left.span - right.span || (left.agent < right.agent ? -1 : 1));
}

/** Without what has no order, and which of several equally good states is named as the best. */
function plain({ durationsMs, errors, tools, rewards: named, ...figures }: Figures) {
  const sorted = (values: readonly number[]): readonly number[] => values.toSorted((left, right) => left - right);
  const byName = <Value>(map: ReadonlyMap<string, Value>): readonly (readonly [string, Value])[] =>
    [...map].toSorted(([left], [right]) => (left < right ? -1 : 1));
  return {
    ...figures,
    durationsMs: sorted(durationsMs),
    errors: byName(errors),
    tools: byName(tools),
    rewards: byName(named).map(([name, { values, best }]) => [name, sorted(values), best.value]),
  };
}

async function apply(index: StateIndex, states: Map<string, WrittenState>, step: ChangeOf): Promise<void> {
  if (step.type === "clear") {
    states.clear();
    await index.clear();
  } else if (step.type === "remove") {
    states.delete(idOf(step.id));
    await index.remove([idOf(step.id)]);
  } else if (step.type === "reward") {
    const known = states.get(idOf(step.id));
    if (known) states.set(known.id, { ...known, rewards: step.given });
    await index.setNote(idOf(step.id), { rewards: step.given });
  } else {
    const given = step.states.map(toState);
    for (const each of given) states.set(each.id, each);
    await index.record(given);
  }
}

type ChangeOf = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

it("sums up the same from its indices, after any history, as from the states alone", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 8 }), query, async (changes, asked) => {
      await using index = await openTemporaryIndex();
      const states = new Map<string, WrittenState>();
      for (const step of changes) await apply(index, states, step);
      const groups = await index.figures(asked);
      const expected = asked.spans.flatMap((span, at) => {
        const models = asked.isByModel ? ["", "haiku", "opus"] : [undefined];
        return models.map((model) => {
          const own = [...states.values()].filter((each) => model === undefined || (each.turn?.model ?? "") === model);
          return { span: at, model, figures: plain(fromScratch(own, span, asked)) };
        });
      });
      const found = expected.map(({ span, model }) => {
        const group = groups.find((each) => each.span === span && each.model === model);
        return { span, model, figures: plain(group?.figures ?? NO_FIGURES) };
      });
      expect(found).toEqual(expected);
      expect(groups.length).toBe(new Set(groups.map(({ span, model }) => `${span} ${model}`)).size);
      const told = await index.shares(asked);
      expect(byAgent(told)).toEqual(byAgent(sharesFromScratch([...states.values()], asked)));
      for (const [at, [sinceMs, untilMs]] of asked.spans.entries()) {
        const all = fromScratch([...states.values()], [sinceMs, untilMs], asked);
        const own = told.filter(({ span }) => span === at);
        const sum = (value: (each: AgentFigures) => number): number =>
          own.reduce((before, each) => before + value(each), 0);
        expect([sum((each) => each.paidMicroUsd), sum((each) => each.offlineMicroUsd)]).toEqual([
          all.paidMicroUsd,
          all.offlineMicroUsd,
        ]);
        expect(sum(({ usage }) => usage.outputTokens)).toBe(all.usage.outputTokens);
      }
      for (const { figures } of groups) {
        for (const [name, { best }] of figures.rewards)
          expect(states.get(best.stateId)?.rewards[name]).toBe(best.value);
      }
    }),
    { numRuns: propertyRuns({ few: 40, all: 1000 }) },
  );
});
