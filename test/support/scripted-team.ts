import { defineScenario, type Scenario, type Step } from "../../src/offline/index.ts";

/** What a worker does in a round: commands, and then a claim; a function sees the whole prompt. */
type Work = readonly string[];

/** What the manager and the workers of a team do, by the ids of the items. */
export interface TeamScript {
  /** The plans that the manager makes, one after another; the last one again and again. */
  readonly plans: readonly unknown[];
  /** The shell commands of each round of an item, by its id; the last one again and again. What begins with `say ` is said at the end. */
  readonly work: Readonly<Record<string, readonly Work[]>>;
  /** Verdicts of the manager, by the id of the item; approved where none is left. */
  readonly verdicts?: Readonly<Record<string, readonly unknown[]>>;
  readonly remedies?: Readonly<Record<string, unknown>>;
  /** Commands that settle a conflict, by the id of the item. */
  readonly settle?: Readonly<Record<string, Work>>;
}

/** A scenario that plays a manager and its workers. Which round it is, the model counts by what it did in this item before. */
export function scriptedTeam(script: TeamScript): Scenario {
  const rounds = new Map<string, number>();
  const next = <Item>(key: string, items: readonly Item[]): Item | undefined => {
    const count = rounds.get(key) ?? 0;
    rounds.set(key, count + 1);
    return items[Math.min(count, items.length - 1)];
  };
  // A prompt is asked about once for each response to it: the same prompt gets the same steps.
  const known = new Map<string, readonly Step[]>();
  const once = (prompt: string, count: number, make: () => readonly Step[]) => {
    const key = `${count} ${prompt}`;
    const found = known.get(key) ?? make();
    known.set(key, found);
    return found;
  };
  return defineScenario({
    name: "team",
    rules: [
      {
        when: { prompt: /^Plan the work|^The plan cannot be followed|^The plan was not approved/u },
        steps: ({ prompt }) => once(prompt, 0, () => [{ output: next("plan", script.plans) }]),
      },
      {
        when: { prompt: /^Decide what becomes/u },
        steps: ({ prompt }) => {
          const id = idIn(prompt);
          return [{ output: script.remedies?.[id] ?? { action: "escalate", reason: "nothing helps" } }];
        },
      },
      {
        when: { prompt: /^Review the work on an item/u },
        steps: ({ prompt }) => {
          const verdicts = script.verdicts?.[idIn(prompt)] ?? [{ approved: true }];
          return once(prompt, 1, () => [{ output: next(`verdict ${idIn(prompt)}`, verdicts) }]);
        },
      },
      {
        when: { prompt: /^Settle a conflict/u },
        steps: ({ prompt }) => stepsOf(script.settle?.[byTitle(prompt)] ?? []),
      },
      {
        when: { prompt: /^Do one item of a plan/u },
        steps: ({ prompt }) =>
          once(prompt, 2, () => stepsOf(next(`work ${idIn(prompt)}`, script.work[idIn(prompt)] ?? []) ?? [])),
      },
      {
        when: { prompt: /^Not approved yet/u },
        steps: ({ prompt }) =>
          once(prompt, 3, () => stepsOf(next(`work ${byTitle(prompt)}`, script.work[byTitle(prompt)] ?? []) ?? [])),
      },
    ],
  });
}

function idIn(prompt: string): string {
  return /^[^\n]* \(([\w.-]+)\)$/mu.exec(prompt)?.[1] ?? "";
}

/** In the tests an item's title is its id in capitals. */
function byTitle(prompt: string): string {
  return (/^[^:\n]*: ([^\n]+)/u.exec(prompt)?.[1] ?? "").toLowerCase();
}

function stepsOf(work: Work): readonly Step[] {
  const commands = work.filter((line) => !line.startsWith("say "));
  const said = work.filter((line) => line.startsWith("say ")).map((line) => line.slice("say ".length));
  return [
    ...commands.map((command) => ({ call: { tool: "Bash", input: { command } } })),
    { say: said.join("\n") || "Done." },
  ];
}

/** An item whose title is its id in capitals. */
export function teamItem(id: string, more: Readonly<Record<string, unknown>> = {}) {
  return { id, title: id.toUpperCase(), description: `Do ${id}.`, ...more };
}
