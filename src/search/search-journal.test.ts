import { appendFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BudgetTracker } from "../core/index.ts";
import { createMemoryEnvironment, type MemoryEnvironment } from "../testing/index.ts";
import { createFileJournal, type JournalEntry } from "./search-journal.ts";
import { bestOfN } from "./strategies/best-of-n.ts";
import { mcts } from "./strategies/mcts.ts";

type World = readonly string[];

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "skein-journal-"));
  path = join(folder, "deep/search.jsonl");
});
afterEach(async () => await rm(folder, { recursive: true }));

const ENTRY: JournalEntry = {
  from: "a",
  prompt: "line\nbreak",
  attempt: 1,
  to: "b",
  reward: { value: 1, parts: {}, notes: {} },
};

async function load(): Promise<readonly JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for await (const entry of createFileJournal(path).load()) entries.push(entry);
  return entries;
}

describe("a journal in a file", () => {
  it("gives back what was added, and nothing before", async () => {
    expect(await load()).toEqual([]);
    const journal = createFileJournal(path);
    await Promise.all([journal.append(ENTRY), journal.append({ ...ENTRY, attempt: 2 })]);
    await createFileJournal(path).append({ from: "a", prompt: "p", attempt: 1, to: "c" });
    expect(await load()).toEqual([ENTRY, { ...ENTRY, attempt: 2 }, { from: "a", prompt: "p", attempt: 1, to: "c" }]);
    expect((await readFile(path, "utf8")).split("\n")[2]).toBe(
      '{"version":1,"from":"a","prompt":"p","attempt":1,"to":"c"}',
    );
  });

  it("passes over half a last line, and writes the next entry in its place", async () => {
    await createFileJournal(path).append(ENTRY);
    await appendFile(path, '{"version":1,"from":"a","pro');
    expect(await load()).toEqual([ENTRY]);
    await createFileJournal(path).append({ ...ENTRY, attempt: 2 });
    expect(await load()).toEqual([ENTRY, { ...ENTRY, attempt: 2 }]);
  });

  it("says which line it cannot read", async () => {
    await createFileJournal(path).append(ENTRY);
    await appendFile(path, '{"version":2}\n');
    await expect(load()).rejects.toMatchObject({
      kind: "parse",
      target: path,
      message: expect.stringContaining("Line 2"),
    });
  });
});

function createWords(): MemoryEnvironment<World> {
  return createMemoryEnvironment<World>({
    start: [],
    step: (world, prompt) => [...world, prompt],
    reward: (world) => (world.join("").length * 7) % 5,
  });
}

describe("a search with a journal", () => {
  const options = { expand: () => ["a", "bb", "ccc"], depth: 3, rolloutDepth: 1, iterations: 10, seed: 3 };

  it("is continued after its reader left: what was explored is not run again, and the result is the same", async () => {
    const first = createWords();
    const from = await first.checkpoint();
    let ends = 0;
    for await (const event of mcts(first, { ...options, from, journal: createFileJournal(path) })) {
      if (event.type === "branch-end" && (ends += 1) === 7) break;
    }
    const done = (await load()).length;
    expect(done).toBeGreaterThanOrEqual(7);

    const second = createWords();
    const result = await mcts(second, { ...options, from, journal: createFileJournal(path) });
    const whole = await mcts(createWords(), { ...options, from });
    expect(second.explored.length).toBe(whole.expansions - done);
    expect(result).toMatchObject({ expansions: whole.expansions - done, reusedCostUsd: done });
    const story = ({ nodes }: typeof whole): unknown =>
      nodes.map(({ id, parentId, prompt, state }) => [id, parentId, prompt, state]);
    expect(story(result)).toEqual(story(whole));
    expect(result.best?.id).toBe(whole.best?.id);

    const third = createWords();
    await mcts(third, { ...options, from, journal: createFileJournal(path) });
    expect(third.explored).toEqual([]);
  });

  it("counts what was spent before against the budget", async () => {
    const environment = createWords();
    const from = await environment.checkpoint();
    const search = { from, prompts: ["a", "bb", "ccc", "dddd"], journal: createFileJournal(path) };
    const run = async (maxCostUsd: number): Promise<unknown> => {
      const { expansions, stopped } = await bestOfN(environment, {
        ...search,
        budget: new BudgetTracker({ maxCostUsd }),
      });
      return [expansions, stopped];
    };
    expect(await run(2)).toEqual([2, "budget"]);
    expect(await run(2)).toEqual([0, "budget"]);
    expect(await run(3)).toEqual([1, "budget"]);
  });

  it("runs again what failed", async () => {
    let isLucky = false;
    const environment = createMemoryEnvironment<World>({
      start: [],
      step: (world, prompt) => [...world, prompt],
      isError: () => !isLucky,
    });
    const search = { from: await environment.checkpoint(), prompts: ["a"], journal: createFileJournal(path) };
    await bestOfN(environment, search);
    isLucky = true;
    expect(await bestOfN(environment, search)).toMatchObject({ expansions: 1 });
    expect(await bestOfN(environment, search)).toMatchObject({ expansions: 0 });
  });

  it("refuses an environment that cannot recall", async () => {
    const { recall: _, ...environment } = createWords();
    const search = { from: await environment.checkpoint(), prompts: ["a"], journal: createFileJournal(path) };
    await expect(Promise.resolve(bestOfN(environment, search))).rejects.toMatchObject({ kind: "usage" });
  });
});
