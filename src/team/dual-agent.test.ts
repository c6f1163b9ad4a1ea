import { expect, test } from "vitest";
import { teamItem } from "../../test/support/scripted-team.ts";
import { followTeam, useTeamBench, verdictsOf } from "../../test/support/team-bench.ts";
import { undoLastTurn } from "../trace/internal.ts";
import { Workspace } from "../workspace/index.ts";

const bench = useTeamBench();

test("an item whose first try fails its gate is sent back with what it printed, and passes; undo takes an accepted item back", async () => {
  const { result, events } = await bench.run(
    {
      plans: [
        { items: [teamItem("a"), teamItem("b", { dependencies: ["a"] }), teamItem("c", { dependencies: ["b"] })] },
      ],
      work: { a: [["echo a > a.txt"]], b: [["echo bad > b.txt"], ["echo good > b.txt"]], c: [["echo c > c.txt"]] },
    },
    { gates: ["! grep -q bad *.txt || { echo found something bad; exit 1; }"] },
  );
  expect(result).toMatchObject({ outcome: "completed", merged: ["a", "b", "c"], left: [], iterations: 4 });
  expect(verdictsOf(events)).toEqual([
    "a 1 manager approved",
    "b 1 gates sent back",
    "b 2 manager approved",
    "c 1 manager approved",
  ]);
  const asked = JSON.stringify(bench.agent?.requests.map(({ messages }) => messages.at(-1)));
  expect(asked).toContain("found something bad");
  expect([await bench.read("a.txt"), await bench.read("b.txt"), await bench.read("c.txt")]).toEqual([
    "a\n",
    "good\n",
    "c\n",
  ]);
  expect(result.costUsd).toBeCloseTo(result.managerCostUsd + result.workerCostUsd, 6);

  await using workspace = await Workspace.open(bench.directory, { home: bench.home });
  await undoLastTurn(workspace);
  await expect(bench.read("c.txt")).rejects.toMatchObject({ code: "ENOENT" });
  expect(await bench.read("b.txt")).toBe("good\n");
  await undoLastTurn(workspace);
  await expect(bench.read("b.txt")).rejects.toMatchObject({ code: "ENOENT" });
  expect(await bench.read("a.txt")).toBe("a\n");
});

test("a worker that only says that it is done is caught by the evidence, and one that does not get on is escalated", async () => {
  const { result, events } = await bench.run(
    {
      plans: [{ items: [teamItem("liar"), teamItem("next", { dependencies: ["liar"] }), teamItem("free")] }],
      work: { liar: [["say All done, every test passes!"]], free: [["echo free > free.txt"]] },
    },
    { maxAttempts: 1 },
  );
  expect(verdictsOf(events)).toEqual([
    "liar 1 evidence sent back",
    "liar 2 evidence sent back",
    "free 1 manager approved",
  ]);
  const stuck = events.find((event) => event.type === "item-stuck");
  expect(stuck).toMatchObject({ item: "liar", round: 2 });
  expect(events.filter(({ type }) => type === "escalated")).toHaveLength(1);
  expect(result).toMatchObject({ outcome: "partial", merged: ["free"], left: ["liar", "next"] });
  expect(result.items.map(({ id, status }) => `${id} ${status}`)).toEqual([
    "liar escalated",
    "next blocked",
    "free merged",
  ]);
});

test("a worker that edits the tests to pass is caught, by what the caller protects and by what the plan adds", async () => {
  await bench.write("app.test.js", "process.exit(1)\n");
  const { result, events } = await bench.run(
    {
      plans: [{ items: [teamItem("fix")], protect: ["base.txt"] }],
      work: {
        fix: [
          ["echo 'process.exit(0)' > app.test.js", "echo x > work.txt"],
          ["echo 'process.exit(1)' > app.test.js", "echo changed > base.txt"],
          ["printf 'one\\ntwo\\nthree\\n' > base.txt", "echo right > work.txt"],
        ],
      },
    },
    { protect: ["*.test.js"] },
  );
  expect(verdictsOf(events)).toEqual([
    "fix 1 evidence sent back",
    "fix 2 evidence sent back",
    "fix 3 manager approved",
  ]);
  const violations = events.filter((event) => event.type === "evidence-gathered").map((event) => event.violations);
  expect(violations).toEqual([["app.test.js"], ["base.txt"], []]);
  expect(result.outcome).toBe("completed");
  expect(await bench.read("app.test.js")).toBe("process.exit(1)\n");
});

test("two workers change the same lines: the conflict is work for the second, and the gates run on what is merged", async () => {
  const { result, events } = await bench.run(
    {
      plans: [{ items: [teamItem("left"), teamItem("right")] }],
      work: { left: [["sed -i s/two/left/ base.txt"]], right: [["sleep 0.1; sed -i s/two/right/ base.txt"]] },
      settle: {
        left: ["printf 'one\\nleft and right\\nthree\\n' > base.txt"],
        right: ["printf 'one\\nleft and right\\nthree\\n' > base.txt"],
      },
    },
    { workers: 2, gates: ["! grep -q '<<<<' base.txt"] },
  );
  expect(result).toMatchObject({ outcome: "completed" });
  expect(result.merged.toSorted()).toEqual(["left", "right"]);
  expect(events.filter(({ type }) => type === "item-conflict")).toEqual([
    { type: "item-conflict", item: result.merged[1], paths: ["base.txt"] },
  ]);
  expect(await bench.read("base.txt")).toBe("one\nleft and right\nthree\n");
});

test.each([
  ["an empty goal", " ", {}, "goal"],
  ["no workers", "x", { workers: 0 }, "workers"],
  ["a gate that is not on PATH", "x", { gates: ["no-such-program --all"] }, "gates"],
  ["nobody to approve a plan", "x", { approvePlan: true }, "approvePlan"],
])("%s is refused before anything is started", async (_, goal, options, target) => {
  const running = bench.team(options).run(goal);
  await expect(running.next()).rejects.toMatchObject({ kind: "usage", target });
});

test("a given plan with a circle is refused before anything is started", async () => {
  const plan = { items: [teamItem("a", { dependencies: ["a"] })] };
  await expect(bench.team({ plan }).run("x").next()).rejects.toMatchObject({ kind: "plan_invalid" });
});

test("a team that works is not gone on with from elsewhere", async () => {
  await bench.play({ plans: [{ items: [teamItem("a")] }], work: { a: [["echo a > a.txt"]] } });
  const running = bench.team({}).run("Make it good");
  await running.next();
  await expect(bench.team({}).resume().next()).rejects.toMatchObject({ kind: "workspace_busy" });
  await running.return(undefined as never);
  expect((await followTeam(bench.team({}).resume())).result.outcome).toBe("completed");
});
