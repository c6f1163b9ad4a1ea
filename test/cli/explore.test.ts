import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { describeWith } from "../support/require-package.ts";
import { SANDBOX_PACKAGES } from "../support/two-turns.ts";
import { onTerminal, TERMINAL_PACKAGES } from "./support/pseudo-terminal.ts";
import { runSkein, temporaryDirectory } from "./support/skein.ts";
import { tracedWorkspace, type TracedWorkspace } from "./support/traced-workspace.ts";

interface Branch {
  readonly id: number;
  readonly prompt: string;
  readonly outcome: string;
  readonly state_id: string;
  readonly is_reused: boolean;
  readonly reward: { readonly value: number } | null;
}

interface Explored {
  readonly from: string;
  readonly stopped: string;
  readonly best: number | null;
  readonly branches: readonly Branch[];
  readonly expansions: number;
  readonly journal: string;
  readonly adopted: { readonly way_back: string } | null;
}

/** A prompt that makes the scenario `direct` run a command. */
const bash = (command: string): string => `Bash ${JSON.stringify({ command })}`;

const OFFLINE = ["--offline", "direct", "--allowed-tools", "Bash"] as const;
const SLOW = { timeout: 240_000 } as const;

const prompts = (...texts: readonly string[]): readonly string[] => texts.flatMap((text) => ["--prompt", text]);

/** The user's files: Claude Code may leave a folder of its own. */
async function filesIn(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => name !== ".claude").toSorted();
}

async function turnsIn({ data }: TracedWorkspace): Promise<number> {
  const { totals } = await data<{ totals: { turns: number } }>("log");
  return totals.turns;
}

it("tries prompts on branches, draws and compares them, and adopts one whose conversation goes on", SLOW, async () => {
  const workspace = await tracedWorkspace();
  const { cwd, data, skein, turn } = workspace;
  await turn(bash("echo base > base.txt"));
  const [one, two] = [bash("echo 1 > a.txt"), bash("echo 2 > a.txt; echo 2 > b.txt")];

  const found = await data<Explored>("explore", ...prompts(one, two), "--reward", "test -e b.txt", ...OFFLINE);
  expect(found).toMatchObject({
    strategy: "best-of-n",
    stopped: "exhausted",
    best: 2,
    expansions: 2,
    reused_cost_usd: 0,
    adopted: null,
  });
  expect(found.branches).toMatchObject([
    { id: 1, parent_id: 0, depth: 1, prompt: one, outcome: "completed", reward: { value: 0 }, error: null },
    {
      id: 2,
      prompt: two,
      reward: { value: 1, notes: { command: "test -e b.txt", ending: "exit code 0" } },
      files: { created: ["a.txt", "b.txt"], modified: [], deleted: [], renamed: [] },
    },
  ]);
  expect(await filesIn(cwd)).toEqual(["base.txt"]);
  const [first, second] = found.branches.map(({ state_id: id }) => id.slice(0, 12));

  const tree = await skein("tree");
  expect(tree.stdout).toMatch(new RegExp(`★ .*✓ ${second} +1\\.00 `, "u"));
  expect(tree.stdout).toMatch(new RegExp(`╰─ ✓ ${first} +0\\.00 `, "u"));
  expect(tree.stdout).toContain("offline");
  expect((await skein("tree", "--include-offline")).stdout).toMatch(new RegExp(`✓ ${second} +1\\.00  \\$\\d`, "u"));
  expect((await skein("tree", "--format", "dot")).stdout).toContain(`-> "${first}";`);
  expect((await skein("tree", "--format", "mermaid")).stdout).toContain(`--> s${second}`);
  expect(JSON.parse((await skein("tree", "--format", "json")).stdout)).toMatchObject({ count: 4 });

  expect(await data("compare", String(first), String(second))).toMatchObject({
    common: found.from,
    left: { turns: 1, state: { rewards: { reward: 0 } }, files: { created: ["a.txt"] }, lines_added: 1 },
    right: { turns: 1, state: { rewards: { reward: 1 } }, tools: [{ tool: "Bash", calls: 1, errors: 0 }] },
    better: { rewards: { reward: "right" }, tool_errors: null },
    files: { created: ["b.txt"], modified: ["a.txt"], deleted: [], renamed: [] },
  });
  const compared = (await skein("compare", String(first), String(second))).stdout;
  expect(compared).toMatch(/Reward +0\.00 +1\.00 ★\n/u);
  expect(compared).toMatch(/Cost +nothing: offline \(\$[\d.]+ by price list\)/u);

  const adopted = await skein("adopt", String(second));
  expect(adopted.stdout).toContain(`Adopted ${second}`);
  expect(await filesIn(cwd)).toEqual(["a.txt", "b.txt", "base.txt"]);
  const next = await turn(bash("cat a.txt"), "--continue");
  expect(await data("show", "@")).toMatchObject({ parent_id: found.branches[1]?.state_id });
  const { session_id: branchSession } = await data<{ session_id: string }>("show", String(second));
  expect(next.session_id).toBe(branchSession);
  await countsAsTheLogDoes(workspace);
});

/** What was recorded is in the sums over all sessions, each response once: turns, those of another process, and of branches. */
async function countsAsTheLogDoes({ cwd, data, home }: TracedWorkspace): Promise<void> {
  const { totals } = await data<{ totals: { turns: number; cost_usd: number; offline_cost_usd: number } }>("log");
  expect(totals).toMatchObject({ turns: 4, cost_usd: 0 });
  expect((await data<{ totals: object }>("log", "--include-offline")).totals).toEqual({
    ...totals,
    cost_usd: totals.offline_cost_usd,
    includes_offline: true,
  });
  // The log keeps each turn to a millionth of a dollar, the others round once at the end.
  const cost = { cost_usd: 0, offline_cost_usd: expect.closeTo(totals.offline_cost_usd, 5) as number };
  // Beside what the CLI has written itself, and without it.
  for (const flags of [[], ["--claude-home", join(home, "offline", "claude")]]) {
    expect(await data("sessions", ...flags)).toMatchObject({
      count: 1,
      totals: cost,
      skipped: [],
      sessions: [{ project: cwd }],
    });
    expect(await data("stats", "--by", "project", ...flags)).toMatchObject({
      total: cost,
      rows: [{ key: cwd, usage: cost }],
    });
    expect(await data("search", "b.txt", "--role", "prompt", ...flags)).toMatchObject({
      hits: [{ role: "prompt", project: cwd }],
    });
  }
}

it(
  "prints a line as each branch ends, adopts the best when told to, and knows it all when run again",
  SLOW,
  async () => {
    const workspace = await tracedWorkspace();
    const { cwd, skein, data } = workspace;
    await data("checkpoint", "start");
    const search = [
      "explore",
      "--from",
      "start",
      ...prompts(bash("touch a"), bash("touch b")),
      "--reward",
      "test -e b",
    ];

    const text = await skein(...search, "--adopt", ...OFFLINE);
    expect(text.code).toBe(0);
    for (const part of ["best-of-n · from", "Reward", "0.00", "1.00", "Best ", "everything was tried", "Adopted"]) {
      expect(text.stdout).toContain(part);
    }
    expect(text.stdout).not.toContain("\u001b");
    expect(await filesIn(cwd)).toEqual(["b"]);

    const again = await data<Explored>(...search, ...OFFLINE);
    expect([again.expansions, again.best, again.branches.map(({ is_reused: known }) => known)]).toEqual([
      0,
      2,
      [true, true],
    ]);
    expect(await turnsIn(workspace)).toBe(2);
    const fresh = await data<Explored>(...search, ...OFFLINE, "--fresh", "--concurrency", "2");
    expect([fresh.expansions, await turnsIn(workspace)]).toEqual([2, 4]);
  },
);

describe("strategies", () => {
  it("beam goes on from the best, with the prompts as its moves", SLOW, async () => {
    const { data } = await tracedWorkspace();
    const moves = [bash("echo x >> a"), bash("echo x >> b")];
    const reward = ["--reward", "test -s b"];
    const found = await data<Explored>(
      "explore",
      "--strategy",
      "beam",
      "--width",
      "1",
      ...prompts(...moves),
      ...reward,
      ...OFFLINE,
    );
    expect(found.branches).toMatchObject([
      { id: 1, depth: 1, parent_id: 0 },
      { id: 2, depth: 1, parent_id: 0, reward: { value: 1 } },
      { id: 3, depth: 2, parent_id: 2 },
      { id: 4, depth: 2, parent_id: 2 },
    ]);
  });

  it("mcts ends at the threshold", SLOW, async () => {
    const { data } = await tracedWorkspace();
    const moves = [bash("echo x >> a"), bash("echo x >> b")];
    const rest = ["--reward", "test -s a && test -s b", "--threshold", "1", "--concurrency", "1", "--seed", "7"];
    const found = await data<Explored>(
      "explore",
      "--strategy",
      "mcts",
      "--iterations",
      "8",
      ...prompts(...moves),
      ...rest,
      ...OFFLINE,
    );
    expect(found.stopped).toBe("threshold");
    expect(found.branches.find(({ id }) => id === found.best)).toMatchObject({ depth: 2, reward: { value: 1 } });
  });

  it("refine says what the check printed until it passes", SLOW, async () => {
    const { data } = await tracedWorkspace();
    const feedback = `Echo {output}\n${bash("touch ok")}`;
    const reward = ["--reward", "echo not yet; test -e ok", "--feedback", feedback];
    const found = await data<Explored>(
      "explore",
      "--strategy",
      "refine",
      ...prompts(bash("touch a")),
      ...reward,
      ...OFFLINE,
    );
    expect(found).toMatchObject({ stopped: "solved", best: 2 });
    expect(found.branches[1]?.prompt).toContain("not yet");
  });

  it("htn takes a task apart by a file, and asks its commands in branches", SLOW, async () => {
    const { cwd, data } = await tracedWorkspace();
    const tasks = join(await temporaryDirectory(), "tasks.json");
    const leaf = (name: string, command: string, done: string) => ({ name, prompt: bash(command), done });
    const methods = [
      { name: "never", when: "false", tasks: [] },
      { name: "badly", tasks: [leaf("first", "touch a", "test -e a"), leaf("second", "true", "test -e b")] },
      { name: "well", when: "test -e a", tasks: [leaf("second", "touch b", "test -e b")] },
    ];
    await writeFile(tasks, JSON.stringify({ name: "both", methods }));
    const found = await data<Explored>(
      "explore",
      "--strategy",
      "htn",
      "--tasks",
      tasks,
      "--attempts",
      "1",
      "--adopt",
      ...OFFLINE,
    );
    expect(found).toMatchObject({ stopped: "solved", best: 3, expansions: 3 });
    expect(await filesIn(cwd)).toEqual(["a", "b"]);
  });
});

describe("a search that does not work", () => {
  it("says which flag is missing or of no use", SLOW, async () => {
    const { error } = await tracedWorkspace();
    const cases = [
      [["explore"], "--prompt"],
      [["explore", "--prompt", "x", "--adopt"], "--adopt"],
      [["explore", "--prompt", "x", "--width", "2"], "--width"],
      [["explore", "--prompt", "x", "--strategy", "beam"], "--reward"],
      [["explore", "--prompt", "x", "--strategy", "htn"], "--tasks"],
    ] as const;
    for (const [args, target] of cases) expect(await error(...args)).toMatchObject({ kind: "usage", target });
    expect(await error("explore", "--prompt", "x", "--from", "nowhere")).toMatchObject({ kind: "state_not_found" });
    expect(await error("explore", "--strategy", "htn", "--tasks", "/no/file")).toMatchObject({ kind: "filesystem" });
    expect(await error("compare", "a")).toMatchObject({ kind: "usage", target: "right" });
    expect(await error("adopt", "nowhere")).toMatchObject({ kind: "state_not_found" });
  });

  it("fails with the first branch's error where none was completed, and tells of all", SLOW, async () => {
    const { error } = await tracedWorkspace();
    const scenario = join(await temporaryDirectory(), "scenario.json");
    const steps = [{ fail: { type: "http", status: 400, message: "Your credit balance is too low" } }];
    await writeFile(scenario, JSON.stringify({ name: "broke", rules: [{ steps }] }));
    expect(await error("explore", "--prompt", "x", "--offline", scenario)).toMatchObject({
      kind: "quota",
      search: { stopped: "exhausted", branches: [{ outcome: "failed", error: { kind: "quota" } }] },
    });
  });

  it("stops within its budget, with what it has", SLOW, async () => {
    const { data, error } = await tracedWorkspace();
    const four = prompts(bash("touch a"), bash("touch b"), bash("touch c"), bash("touch d"));
    const found = await data<Explored & { cost_usd: number }>("explore", ...four, "--max-cost-usd", "0.15", ...OFFLINE);
    expect(found.stopped).toBe("budget");
    expect(found.expansions).toBeLessThan(4);
    const one = ["explore", ...prompts(bash("true")), ...OFFLINE, "--max-responses", "1"];
    expect(await error(...one)).toMatchObject({ kind: "budget", search: { branches: [{ outcome: "failed" }] } });
  });
});

describeWith(SANDBOX_PACKAGES, "an agent that nobody answers", () => {
  it("runs what the sandbox confines, and what it was denied is counted for its branch", SLOW, async () => {
    const { data, skein } = await tracedWorkspace();
    const write = (path: string): string => `Write ${JSON.stringify({ file_path: path, content: "" })}`;
    const words = [
      "explore",
      ...prompts(bash("for i in 1 2; do touch $i; done"), write("/nowhere/a")),
      "--offline",
      "direct",
    ];
    const { branches } = await data<Explored>(...words);
    expect(branches).toMatchObject([{ denials: 0, files: { created: ["1", "2"] } }, { denials: 1 }]);
    expect((await skein(...words)).stdout).toMatch(/Write .* 1 call denied /u);
  });
});

describeWith(TERMINAL_PACKAGES, "on a terminal", () => {
  it("draws a table over itself, and leaves it with the best marked", SLOW, async () => {
    const { cwd, home } = await tracedWorkspace();
    const words = [
      "explore",
      ...prompts('Bash {"command":"touch a"}', 'Bash {"command":"touch b"}'),
      "--reward",
      "test -e b",
      ...OFFLINE,
    ];
    const terminal = await onTerminal(words, { cwd, env: { SKEIN_HOME: home } });
    await terminal.shown("2 running");
    const { code, screen } = await terminal.finished;
    expect(code).toBe(0);
    expect(screen).toContain("\u001b[0J");
    expect(screen).toContain("command succeeded");
    const last = screen.slice(screen.lastIndexOf("\u001b[0J"));
    expect(last).toMatch(/★.*Bash.*command succeeded .* 1\.00/u);
    expect(last).toMatch(/Bash.*command failed.* 0\.00/u);
    expect(last).toContain("everything was tried");
  });
});

it("has its flags in its help", async () => {
  const { stdout } = await runSkein(["help", "explore"]);
  for (const flag of ["--from <state>", "--prompt <prompt...>", "--reward <command>", "--fresh", "--adopt"]) {
    expect(stdout).toContain(flag);
  }
});
