import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { scriptedTeam, teamItem, type TeamScript } from "../../test/support/scripted-team.ts";
import { startOfflineAgent, type OfflineAgent } from "../testing/index.ts";
import { detectSandbox, IsolationConfig } from "../isolation/index.ts";
import { undoLastTurn } from "../trace/internal.ts";
import { Workspace } from "../workspace/index.ts";
import { DualAgent } from "./dual-agent.ts";
import type { TeamEvent, TeamResult } from "./team-events.ts";
import type { DualAgentOptions } from "./team-options.ts";

let root: string;
let home: string;
let directory: string;
let agent: OfflineAgent | undefined;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "skein-team-"));
  [home, directory] = [join(root, "home"), join(root, "app")];
  await mkdir(directory);
  await writeFile(join(directory, "base.txt"), "one\ntwo\nthree\n");
});

afterEach(async () => {
  await agent?.close();
  agent = undefined;
  await rm(root, { recursive: true, force: true, maxRetries: 9 });
});

interface Ran {
  readonly result: TeamResult;
  readonly events: readonly TeamEvent[];
}

/** Runs a team to its end on a script. */
async function run(script: TeamScript, options: Partial<DualAgentOptions> = {}): Promise<Ran> {
  agent ??= await startOfflineAgent(scriptedTeam(script));
  return await follow(team(options).run("Make it good"));
}

function team(options: Partial<DualAgentOptions>): DualAgent {
  return new DualAgent({
    workspace: directory,
    workspaceOptions: { home },
    ...(agent ? { engine: agent.engine } : {}),
    worker: { allowedTools: ["Bash"] },
    ...options,
  });
}

async function follow(running: AsyncGenerator<TeamEvent, TeamResult, void>): Promise<Ran> {
  const events: TeamEvent[] = [];
  for (;;) {
    const { done, value } = await running.next();
    if (done) return { result: value, events };
    events.push(value);
  }
}

const read = async (name: string): Promise<string> => await readFile(join(directory, name), "utf8");

/** What was said of each item, round by round. */
function verdictsOf(events: readonly TeamEvent[]): readonly string[] {
  return events
    .filter((event) => event.type === "verdict")
    .map(({ item, round, by, verdict }) => `${item} ${round} ${by} ${verdict.approved ? "approved" : "sent back"}`);
}

test("an item whose first try fails its gate is sent back with what it printed, and passes; undo takes an accepted item back", async () => {
  const { result, events } = await run(
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
  const asked = JSON.stringify(agent?.requests.map(({ messages }) => messages.at(-1)));
  expect(asked).toContain("found something bad");
  expect([await read("a.txt"), await read("b.txt"), await read("c.txt")]).toEqual(["a\n", "good\n", "c\n"]);
  expect(result.costUsd).toBeCloseTo(result.managerCostUsd + result.workerCostUsd, 6);

  await using workspace = await Workspace.open(directory, { home });
  await undoLastTurn(workspace);
  await expect(read("c.txt")).rejects.toMatchObject({ code: "ENOENT" });
  expect(await read("b.txt")).toBe("good\n");
  await undoLastTurn(workspace);
  await expect(read("b.txt")).rejects.toMatchObject({ code: "ENOENT" });
  expect(await read("a.txt")).toBe("a\n");
});

test("a worker that only says that it is done is caught by the evidence, and one that does not get on is escalated", async () => {
  const { result, events } = await run(
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
  await writeFile(join(directory, "app.test.js"), "process.exit(1)\n");
  const { result, events } = await run(
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
  expect(await read("app.test.js")).toBe("process.exit(1)\n");
});

test("two workers change the same lines: the conflict is work for the second, and the gates run on what is merged", async () => {
  const { result, events } = await run(
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
  expect(await read("base.txt")).toBe("one\nleft and right\nthree\n");
});

test("changes that do not touch each other are merged, with what a person changed meanwhile", async () => {
  agent = await startOfflineAgent(
    scriptedTeam({
      plans: [{ items: [teamItem("a"), teamItem("b")] }],
      work: { a: [["sed -i s/one/ONE/ base.txt"]], b: [["sed -i s/three/THREE/ base.txt"]] },
    }),
  );
  const running = team({ workers: 2 }).run("Make it good");
  let merged = 0;
  const seen: string[] = [];
  for await (const event of running) {
    // The directory is as it was until an item is accepted.
    if (event.type === "worker-finished" && merged === 0) seen.push(await read("base.txt"));
    if (event.type === "item-merged" && (merged += 1) === 1) await writeFile(join(directory, "mine.txt"), "by hand\n");
  }
  expect(new Set(seen)).toEqual(new Set(["one\ntwo\nthree\n"]));
  expect([await read("base.txt"), await read("mine.txt")]).toEqual(["ONE\ntwo\nTHREE\n", "by hand\n"]);
});

test("a budget that runs out in the middle ends it, and says what is merged and what is left; more money goes on from there", async () => {
  const script = {
    plans: [{ items: [teamItem("a"), teamItem("b", { dependencies: ["a"] }), teamItem("c", { dependencies: ["b"] })] }],
    work: { a: [["echo a > a.txt"]], b: [["echo b > b.txt"]], c: [["echo c > c.txt"]] },
  };
  const { result } = await run(script, { budget: { maxTurns: 4 } });
  expect(result).toMatchObject({ outcome: "budget", merged: ["a"], left: ["b", "c"] });
  expect(result.budgetEnd).toMatchObject({ dimension: "turns", limit: 4 });
  const asked = agent?.requests.length ?? 0;
  const again = await follow(team({ budget: { maxTurns: 40 } }).resume());
  expect(again.result).toMatchObject({ outcome: "completed", merged: ["a", "b", "c"], team: result.team });
  const plans = (agent?.requests ?? [])
    .slice(asked)
    .filter((each) => JSON.stringify(each.messages.at(-1)).includes("Plan the work"));
  expect(plans).toEqual([]);
});

test("a plan in a circle goes back to the manager, and in the end is invalid; a person may want another one", async () => {
  const circle = { items: [teamItem("a", { dependencies: ["b"] }), teamItem("b", { dependencies: ["a"] })] };
  const { result, events } = await run({ plans: [circle], work: {} });
  expect(events.filter(({ type }) => type === "plan-refused")).toHaveLength(3);
  expect(result).toMatchObject({ outcome: "failed", error: { kind: "plan_invalid" } });

  await agent?.close();
  agent = await startOfflineAgent(
    scriptedTeam({
      plans: [{ items: [teamItem("a")] }, { items: [teamItem("b")] }],
      work: { b: [["echo b > b.txt"]] },
    }),
  );
  const asked: string[] = [];
  const second = await run(
    { plans: [], work: {} },
    {
      approvePlan: true,
      ask: async ({ text }) => {
        asked.push(text);
        return asked.length === 1 ? { choice: "retry", message: "call it b" } : { choice: "approve" };
      },
    },
  );
  expect(asked.map((text) => /## (\w+)/u.exec(text)?.[1])).toEqual(["a", "b"]);
  expect(second.result).toMatchObject({ outcome: "completed", merged: ["b"] });
});

test.each([
  ["an empty goal", " ", {}, "goal"],
  ["no workers", "x", { workers: 0 }, "workers"],
  ["a gate that is not on PATH", "x", { gates: ["no-such-program --all"] }, "gates"],
  ["nobody to approve a plan", "x", { approvePlan: true }, "approvePlan"],
])("%s is refused before anything is started", async (_, goal, options, target) => {
  const running = team(options).run(goal);
  await expect(running.next()).rejects.toMatchObject({ kind: "usage", target });
});

test("a given plan with a circle is refused before anything is started", async () => {
  const plan = { items: [teamItem("a", { dependencies: ["a"] })] };
  await expect(team({ plan }).run("x").next()).rejects.toMatchObject({ kind: "plan_invalid" });
});

test("gates are held to the workers' bounds: what a worker wrote reaches neither the network nor the user's files", async (context) => {
  if (!(await detectSandbox()).available) return context.skip("no sandbox here");
  const secret = join(root, "secret.txt");
  await writeFile(secret, "mine");
  const check = "cat $1; echo x > $1; tail -n +3 /proc/net/dev | cut -d: -f1; echo made > made.txt && echo written";
  agent = await startOfflineAgent(
    scriptedTeam({ plans: [{ items: [teamItem("check")] }], work: { check: [[`echo '${check}' > check.sh`]] } }),
  );
  const { HOME: _, CLAUDE_CONFIG_DIR: __, ...env } = agent.options.env ?? {};
  const { apiKey, ...rest } = { apiKey: env["ANTHROPIC_API_KEY"] ?? "", ...env };
  const isolation = IsolationConfig({ apiKey, env: rest });
  const { result, events } = await follow(
    team({ isolation, gates: [`sh ./check.sh ${secret}`], worker: {} }).run("Make it good"),
  );
  expect(result).toMatchObject({ outcome: "completed", merged: ["check"] });
  const [gathered] = events.filter((event) => event.type === "evidence-gathered");
  const output = gathered?.gates[0]?.output ?? "";
  expect(output).toContain("No such file");
  expect(
    output
      .split("\n")
      .slice(-2)
      .map((line) => line.trim()),
  ).toEqual(["lo", "written"]);
  expect(await readFile(secret, "utf8")).toBe("mine");
});
