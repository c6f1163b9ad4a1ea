import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runSkeinJson } from "./support/skein.ts";
import { tracedWorkspace } from "./support/traced-workspace.ts";

interface Team {
  readonly team: string;
  readonly outcome: string;
  readonly merged: readonly string[];
  readonly left: readonly string[];
  readonly iterations: number;
  readonly offline: boolean;
  readonly items: readonly { readonly id: string; readonly status: string; readonly rounds: number }[];
}

const SLOW = { timeout: 240_000 } as const;

const OFFLINE = ["--offline", "team"] as const;

const TEST = `
import assert from "node:assert/strict";
import { existsSync, rmSync } from "node:fs";
import { test } from "node:test";
test("the first task is number 1", { skip: !existsSync("add.mjs") }, async () => {
  const { add } = await import("./add.mjs");
  assert.equal(add("Buy milk").number, 1);
  rmSync("tasks.json");
});
`;

it(
  "brings a goal about, tells each handoff as a line, and goes on with more turns where it had too few",
  SLOW,
  async () => {
    const { cwd, home, data, skein } = await tracedWorkspace();
    await writeFile(join(cwd, "tasks.test.mjs"), TEST);
    const args = ["Build a list of tasks", "--gate", "node --test", "--workers", "2", ...OFFLINE];

    const short = await runSkeinJson(["team", ...args, "--max-iterations", "2"], { cwd, env: { SKEIN_HOME: home } });
    expect(short.code).toBe(1);
    const { error } = short.envelope as { readonly error: { readonly kind: string; readonly team: Team } };
    expect(error).toMatchObject({ kind: "budget", team: { outcome: "iterations" } });
    expect(error.team.merged).toContain("store");
    expect(error.team.left.length).toBeGreaterThan(0);

    const again = ["--resume", "--max-iterations", "20", "--output-format", "stream-json"];
    const { stdout, code } = await skein("team", ...again, ...OFFLINE);
    expect(code).toBe(0);
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const finished = lines.filter(({ type }) => type === "worker-finished");
    expect(finished.filter((line) => line["is_reused"] === true)).toHaveLength(2);
    expect(lines.at(-1)).toMatchObject({
      command: "team",
      exit_code: 0,
      data: { team: error.team.team, outcome: "completed", offline: true, iterations: 4, left: [] },
    });
    expect(await readFile(join(cwd, "add.mjs"), "utf8")).toContain("tasks.length + 1");
    const { states } = await data<{ states: readonly { readonly turn: { readonly prompt: string } | null }[] }>(
      "log",
      "-n",
      "50",
    );
    const prompts = states.map(({ turn }) => turn?.prompt.split("\n")[0]);
    expect(prompts).toContain("Plan the work of a team: Build a list of tasks");
    expect(prompts).toContain("Not approved yet: Add tasks");
  },
);

it.each<[string, readonly string[], Record<string, unknown>]>([
  ["no goal", [], { kind: "usage", target: "goal" }],
  ["an empty goal", [" "], { kind: "usage", target: "goal" }],
  ["zero workers", ["x", "--workers", "0"], { kind: "usage" }],
  ["a gate that is not on PATH", ["x", "--gate", "no-such-program"], { kind: "usage", target: "gates" }],
  ["a plan in a circle", ["x", "--plan", "plan.json"], { kind: "plan_invalid", target: "plan.json" }],
  ["a plan that is not there", ["x", "--plan", "none.json"], { kind: "filesystem", target: "none.json" }],
  ["nobody to approve the plan", ["x", "--approve-plan"], { kind: "usage", target: "--approve-plan" }],
  ["a mount", ["x", "--mount", "."], { kind: "usage", target: "--mount" }],
  ["a shape for answers", ["x", "--json-schema", "{}"], { kind: "usage", target: "--json-schema" }],
  ["a goal beside --resume", ["x", "--resume"], { kind: "usage", target: "--resume" }],
  ["a gate beside --resume", ["--resume", "--gate", "true"], { kind: "usage", target: "--gate" }],
  ["no team to go on with", ["--resume"], { kind: "state_not_found" }],
])("%s is refused before anything is started", async (_, args, expected) => {
  const { cwd, error } = await tracedWorkspace();
  const items = ["a", "b"].map((id) => ({ id, title: id, description: id, dependencies: [id === "a" ? "b" : "a"] }));
  await writeFile(join(cwd, "plan.json"), JSON.stringify({ items }));
  expect(await error("team", ...args, ...OFFLINE)).toMatchObject(expected);
});
