import { describe, expect, it } from "vitest";
import {
  createMemoryEnvironment,
  type MemoryEnvironment,
  type MemoryState,
  type MemoryStep,
} from "../../testing/index.ts";
import type { SearchEvent } from "../search-result.ts";
import { htn, type CompoundTask, type LeafTask, type Task } from "./htn.ts";

/*
 * Blocks: what each block stands on. `move a to b` works where both are free. The gripper cannot lift the heavy block onto another
 * one: that leaf fails in every attempt, and only the other method, building the tower the other way round, is left.
 */
type Blocks = Readonly<Record<string, string>>;
type State = MemoryState<Blocks>;
type Move = LeafTask<State, MemoryStep>;

const START: Blocks = { small: "table", lid: "heavy", heavy: "table" };

function createBlocks(): MemoryEnvironment<Blocks> {
  return createMemoryEnvironment<Blocks>({
    start: START,
    step(blocks, prompt, attempt) {
      const [, block = "", place = ""] = /^move (\w+) to (\w+)$/.exec(prompt) ?? [];
      if (block === "small" && attempt === 1) throw new Error("The gripper slipped");
      return block === "heavy" && place !== "table" ? { ...blocks, small: "floor" } : { ...blocks, [block]: place };
    },
    isError: (_, prompt) => prompt.startsWith("move heavy to small"),
  });
}

const isFree = (blocks: Blocks, block: string): boolean => block === "table" || !Object.values(blocks).includes(block);

function move(block: string, place: string): Move {
  return {
    type: "leaf",
    name: `${block} to ${place}`,
    prompt: `move ${block} to ${place}`,
    when: ({ state: { world } }) => isFree(world, block) && isFree(world, place),
    isDone: ({ state: { world }, transition }) => world[block] === place && !transition?.execution.isError,
  };
}

const clear: CompoundTask<State, MemoryStep> = {
  type: "compound",
  name: "clear heavy",
  methods: [
    { name: "it is clear", when: ({ state }) => isFree(state.world, "heavy"), tasks: [] },
    { name: "take the lid off", tasks: [move("lid", "table")] },
  ],
};

const tower: CompoundTask<State, MemoryStep> = {
  type: "compound",
  name: "tower",
  methods: [
    { name: "never", when: () => false, tasks: [] },
    { name: "heavy on small", tasks: [clear, move("heavy", "small")] },
    { name: "small on heavy", tasks: [clear, move("small", "heavy")] },
  ],
};

type Events = readonly SearchEvent<State, MemoryStep>[];

async function run(task: Task<State, MemoryStep>): Promise<{ events: Events; environment: MemoryEnvironment<Blocks> }> {
  const environment = createBlocks();
  const events: SearchEvent<State, MemoryStep>[] = [];
  for await (const event of htn(environment, { from: await environment.checkpoint(), task })) events.push(event);
  return { events, environment };
}

function story(events: Events): readonly string[] {
  return events.flatMap((event) => {
    if (event.type === "task-changed") return [`${event.path.join("/")}: ${event.status}`];
    if (event.type === "method-selected")
      return [`${event.isReplan ? "again" : "first"} by ${event.method} from ${event.nodeId}`];
    return event.type === "branch-start" ? [`#${event.id} ${event.prompt}`] : [];
  });
}

describe("htn", () => {
  it("builds the tower, by another method from before the leaf that failed", async () => {
    const { events } = await run(tower);
    expect(story(events)).toEqual([
      "tower: in_progress",
      "first by heavy on small from 0",
      "tower/clear heavy: pending",
      "tower/heavy to small: pending",
      "tower/clear heavy: in_progress",
      "first by take the lid off from 0",
      "tower/clear heavy/lid to table: pending",
      "tower/clear heavy/lid to table: in_progress",
      "#1 move lid to table",
      "tower/clear heavy/lid to table: completed",
      "tower/clear heavy: completed",
      "tower/heavy to small: in_progress",
      "#2 move heavy to small",
      "#3 move heavy to small",
      "#4 move heavy to small",
      "tower/heavy to small: failed",
      "again by small on heavy from 1",
      "tower/clear heavy: pending",
      "tower/small to heavy: pending",
      "tower/clear heavy: in_progress",
      "first by it is clear from 1",
      "tower/clear heavy: completed",
      "tower/small to heavy: in_progress",
      "#5 move small to heavy",
      "#6 move small to heavy",
      "tower/small to heavy: completed",
      "tower: completed",
    ]);
    const end = events.at(-1);
    expect(end).toMatchObject({ result: { stopped: "solved", best: { id: 6, parentId: 1 }, expansions: 6 } });
    expect(end?.type === "search-end" && end.result.best?.state.world).toEqual({
      small: "heavy",
      lid: "table",
      heavy: "table",
    });
  });

  it("tells a task that is blocked from one that failed, and runs nothing for it", async () => {
    const blocked = await run(move("heavy", "table"));
    expect(story(blocked.events)).toEqual(["heavy to table: blocked"]);
    expect(blocked.environment.explored).toEqual([]);
    const without = await run({
      type: "compound",
      name: "wish",
      methods: [{ name: "no", when: () => false, tasks: [] }],
    });
    expect(story(without.events)).toEqual(["wish: in_progress", "wish: blocked"]);
    expect(without.events.at(-1)).toMatchObject({ result: { stopped: "exhausted" } });
  });

  it("does not go deeper than five tasks", async () => {
    const endless: CompoundTask<State, MemoryStep> = {
      type: "compound",
      name: "t",
      methods: [{ name: "again", tasks: () => [endless] }],
    };
    const { events } = await run(endless);
    expect(story(events).filter((line) => line.endsWith("failed"))).toEqual([
      "t/t/t/t/t/t: failed",
      "t/t/t/t/t: failed",
      "t/t/t/t: failed",
      "t/t/t: failed",
      "t/t: failed",
      "t: failed",
    ]);
  });

  it("gives equal events each time", async () => {
    expect(JSON.stringify((await run(tower)).events)).toBe(JSON.stringify((await run(tower)).events));
  });
});
