import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeWith } from "../../test/support/require-package.ts";
import { teamItem } from "../../test/support/scripted-team.ts";
import { followTeam, useTeamBench } from "../../test/support/team-bench.ts";
import { SANDBOX_PACKAGES } from "../../test/support/two-turns.ts";
import { IsolationConfig } from "../isolation/index.ts";

const bench = useTeamBench();

test("changes that do not touch each other are merged, with what a person changed meanwhile", async () => {
  await bench.play({
    plans: [{ items: [teamItem("a"), teamItem("b")] }],
    work: { a: [["sed -i s/one/ONE/ base.txt"]], b: [["sed -i s/three/THREE/ base.txt"]] },
  });
  const running = bench.team({ workers: 2 }).run("Make it good");
  let merged = 0;
  const seen: string[] = [];
  for await (const event of running) {
    // The directory is as it was until an item is accepted.
    if (event.type === "worker-finished" && merged === 0) seen.push(await bench.read("base.txt"));
    if (event.type === "item-merged" && (merged += 1) === 1) await bench.write("mine.txt", "by hand\n");
  }
  expect(new Set(seen)).toEqual(new Set(["one\ntwo\nthree\n"]));
  expect([await bench.read("base.txt"), await bench.read("mine.txt")]).toEqual(["ONE\ntwo\nTHREE\n", "by hand\n"]);
});

test("a budget that runs out in the middle ends it, and says what is merged and what is left; more money goes on from there", async () => {
  const script = {
    plans: [{ items: [teamItem("a"), teamItem("b", { dependencies: ["a"] }), teamItem("c", { dependencies: ["b"] })] }],
    work: { a: [["echo a > a.txt"]], b: [["echo b > b.txt"]], c: [["echo c > c.txt"]] },
  };
  const { result } = await bench.run(script, { budget: { maxTurns: 4 } });
  expect(result).toMatchObject({ outcome: "budget", merged: ["a"], left: ["b", "c"] });
  expect(result.budgetEnd).toMatchObject({ dimension: "turns", limit: 4 });
  const asked = bench.agent?.requests.length ?? 0;
  const again = await followTeam(bench.team({ budget: { maxTurns: 40 } }).resume());
  expect(again.result).toMatchObject({ outcome: "completed", merged: ["a", "b", "c"], team: result.team });
  const plans = (bench.agent?.requests ?? [])
    .slice(asked)
    .filter((each) => JSON.stringify(each.messages.at(-1)).includes("Plan the work"));
  expect(plans).toEqual([]);
});

test("a plan in a circle goes back to the manager, and in the end is invalid; a person may want another one", async () => {
  const circle = { items: [teamItem("a", { dependencies: ["b"] }), teamItem("b", { dependencies: ["a"] })] };
  const { result, events } = await bench.run({ plans: [circle], work: {} });
  expect(events.filter(({ type }) => type === "plan-refused")).toHaveLength(3);
  expect(result).toMatchObject({ outcome: "failed", error: { kind: "plan_invalid" } });

  await bench.play({
    plans: [{ items: [teamItem("a")] }, { items: [teamItem("b")] }],
    work: { b: [["echo b > b.txt"]] },
  });
  const asked: string[] = [];
  const approving = bench.team({
    approvePlan: true,
    ask: async ({ text }) => {
      asked.push(text);
      return asked.length === 1 ? { choice: "retry", message: "call it b" } : { choice: "approve" };
    },
  });
  const second = await followTeam(approving.run("Make it good"));
  expect(asked.map((text) => /## (\w+)/u.exec(text)?.[1])).toEqual(["a", "b"]);
  expect(second.result).toMatchObject({ outcome: "completed", merged: ["b"] });
});

describeWith(SANDBOX_PACKAGES, "a team in a sandbox", () => {
  test("gates are held to the workers' bounds: what a worker wrote reaches neither the network nor the user's files", async () => {
    const secret = join(bench.home, "../secret.txt");
    await writeFile(secret, "mine");
    const check = "cat $1; echo x > $1; tail -n +3 /proc/net/dev | cut -d: -f1; echo made > made.txt && echo written";
    await bench.play({ plans: [{ items: [teamItem("check")] }], work: { check: [[`echo '${check}' > check.sh`]] } });
    const { HOME: _, CLAUDE_CONFIG_DIR: __, ...env } = bench.agent?.options.env ?? {};
    const { apiKey, ...rest } = { apiKey: env["ANTHROPIC_API_KEY"] ?? "", ...env };
    const isolation = IsolationConfig({ apiKey, env: rest });
    const { result, events } = await followTeam(
      bench.team({ isolation, gates: [`sh ./check.sh ${secret}`], worker: {} }).run("Make it good"),
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
});

test("workers that commit in a repository of the user's are merged by their files, with no conflict about the branch", async () => {
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-C", bench.directory, ...args], { encoding: "utf8" });
  git("init", "-q");
  git("-c", "user.name=a", "-c", "user.email=a@b", "add", "-A");
  git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first");
  const commit = "git add -A && git -c user.name=w -c user.email=w@w commit -qm work";
  const { result, events } = await bench.run(
    {
      plans: [{ items: [teamItem("a"), teamItem("b")] }],
      work: { a: [[`echo a > a.txt; ${commit}`]], b: [[`echo b > b.txt; ${commit}`]] },
    },
    { workers: 2 },
  );
  expect(events.filter(({ type }) => type === "item-conflict")).toEqual([]);
  expect(result).toMatchObject({ outcome: "completed" });
  expect([await bench.read("a.txt"), await bench.read("b.txt")]).toEqual(["a\n", "b\n"]);
});

test("a person decides about an item that nobody gets on with, and is asked again when the team goes on", async () => {
  await bench.play({
    plans: [{ items: [teamItem("hard")] }],
    work: { hard: [["echo bad > hard.txt"], ["echo bad > hard.txt"], ["echo good > hard.txt"]] },
  });
  const gates = ["! grep -q bad *.txt"];
  const first = await followTeam(
    bench.team({ gates, maxAttempts: 1, maxRounds: 1, approvePlan: false }).run("Make it good"),
  );
  expect(first.result).toMatchObject({ outcome: "partial", left: ["hard"] });
  const asked: string[] = [];
  const second = await followTeam(
    bench
      .team({
        gates,
        ask: async ({ text }) => {
          asked.push(text);
          return { choice: "retry", message: `write good, I say it ${asked.length} times` };
        },
      })
      .resume(),
  );
  expect(asked.length).toBeGreaterThan(0);
  expect(second.result).toMatchObject({ outcome: "completed", merged: ["hard"] });
  expect(await bench.read("hard.txt")).toBe("good\n");
});

test("an item that is there already is done where the manager says so and the gates pass", async () => {
  await bench.write("there.txt", "there\n");
  const { result, events } = await bench.run(
    {
      plans: [{ items: [teamItem("there"), teamItem("next", { dependencies: ["there"] })] }],
      work: { there: [["say It is there already."]], next: [["cat there.txt > next.txt"]] },
      remedies: { there: { action: "done", reason: "it is there" } },
    },
    { gates: ["test -e there.txt"] },
  );
  expect(events.find((event) => event.type === "remedy-chosen")).toMatchObject({ remedy: { action: "done" } });
  expect(result).toMatchObject({ outcome: "completed", merged: ["next"] });
  expect(result.items[0]).toMatchObject({ status: "skipped", reason: "done already: it is there" });
});

test("an item that was too large is done as others that take its place, and what waited for it waits for them", async () => {
  const { result } = await bench.run(
    {
      plans: [{ items: [teamItem("big"), teamItem("after", { dependencies: ["big"] })] }],
      work: {
        big: [["say I cannot"]],
        "big.one": [["echo 1 > one.txt"]],
        "big.two": [["cat one.txt > two.txt"]],
        after: [["cat two.txt > after.txt"]],
      },
      remedies: {
        big: {
          action: "replan",
          reason: "too large",
          items: [teamItem("one"), teamItem("two", { dependencies: ["one", "after"] })],
        },
      },
    },
    { maxRounds: 2 },
  );
  expect(result).toMatchObject({ outcome: "completed", merged: ["big.one", "big.two", "after"] });
  expect(await bench.read("after.txt")).toBe("1\n");
});
