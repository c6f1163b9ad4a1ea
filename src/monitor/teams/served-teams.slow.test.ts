import { once } from "node:events";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ask, serveMonitor, type Answer, type ServedMonitor } from "../../../test/support/monitor-client.ts";
import { scriptedTeam, teamItem, type TeamScript } from "../../../test/support/scripted-team.ts";
import { DualAgent, type DualAgentOptions, type TeamResult } from "../../team/index.ts";
import { startOfflineAgent, type OfflineAgent } from "../../testing/index.ts";

const SLOW = { timeout: 240_000 } as const;

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

let root: string;
let home: string;
let monitor: ServedMonitor;
let agent: OfflineAgent | undefined;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "skein-teams-")));
  home = join(root, "home");
  monitor = await serveMonitor(home, ["--port", "0", "--allow-commands"]);
}, 60_000);

afterEach(async () => {
  await agent?.close();
  agent = undefined;
});

afterAll(async () => {
  monitor.process.kill("SIGTERM");
  if (monitor.process.exitCode === null && monitor.process.signalCode === null) await once(monitor.process, "close");
  await rm(root, { recursive: true, force: true, maxRetries: 9 });
});

async function folder(name: string, files: Readonly<Record<string, string>> = {}): Promise<string> {
  const path = join(root, name);
  await mkdir(path);
  for (const [file, content] of Object.entries(files)) await writeFile(join(path, file), content);
  return path;
}

const get = async (path: string): Promise<Answer["json"]> => (await ask(`${monitor.url}/api/${path}`, monitor)).json;

async function post(path: string, body: object, to: ServedMonitor = monitor): Promise<Answer> {
  const headers = { "content-type": "application/json" };
  return await ask(`${to.url}/api/${path}`, { ...to, method: "POST", headers, body: JSON.stringify(body) });
}

async function resultOf(run: string): Promise<Answer["json"]> {
  for (;;) {
    const json = await get(`runs/${run}/result?wait=25`);
    if (!json.is_running) return json.envelope;
  }
}

/** Waits for what the server says of a run to be so. */
async function until<Value>(look: () => Promise<Value>, isSo: (value: Value) => boolean): Promise<Value> {
  for (;;) {
    const value = await look();
    if (isSo(value)) return value;
    await new Promise((resolve) => void setTimeout(resolve, 50));
  }
}

describe("a team that is started by the server", () => {
  it(
    "tells its plan, rounds, verdicts and merges, by its own journal too where its events are gone",
    SLOW,
    async () => {
      const directory = await folder("work", { "tasks.test.mjs": TEST });
      const goal = "--cwd=/etc Build a list of tasks";
      const wanted = { directory, goal, gate: ["node --test"], workers: 2, offline: "team" };
      const started = await post("teams", wanted);
      expect(started.json.run).toMatchObject({ kind: "team", state: "running", prompt: goal, workspace: directory });
      const { run, team: id } = started.json.run;
      const { data } = await resultOf(run);

      const { team } = await get(`teams/${id}`);
      expect(team).toMatchObject({
        goal,
        state: "ended",
        outcome: "completed",
        run,
        offline: true,
        settings: { workers: 2, gates: ["node --test"], protect: ["*.test.mjs"] },
        cost_usd: data.cost_usd,
        manager_cost_usd: data.manager_cost_usd,
      });
      expect(team.items.map(pick("id", "status", "rounds", "cost_usd", "state_id", "merged_state_id"))).toEqual(
        data.items.map(pick("id", "status", "rounds", "cost_usd", "state_id", "merged_state_id")),
      );
      expect(team.efficiency).toEqual({
        rounds: 4,
        approved: 3,
        approved_per_round: 0.75,
        sent_back_by_evidence: 0,
        sent_back_by_gates: 0.25,
        sent_back_by_manager: 0,
        manager_cost_share: data.manager_cost_usd / data.cost_usd,
      });
      const bad = team.rounds.find(({ by }: { by: string }) => by === "gates");
      expect(bad).toMatchObject({ item: "add", round: 1, verdict: { approved: false }, gates: [{ passed: false }] });
      expect(team.reviews.map(({ kind }: { kind: string }) => kind)).toEqual(["plan", "review", "review", "review"]);
      expect(team.reviews.every((review: { state_id: unknown }) => typeof review.state_id === "string")).toBe(true);
      expect((await get(`runs/${run}`)).run).toMatchObject({
        state: "ended",
        activity: "dead",
        end_reason: "completed",
        team: id,
        cost_usd: data.cost_usd,
        offline: true,
        state_id: team.items.find(({ id: item }: { id: string }) => item === data.merged.at(-1)).merged_state_id,
      });
      const { teams, next_offset: next } = await get("teams?limit=1");
      expect([teams, next]).toMatchObject([
        [{ team: id, goal, items: 3, merged: 3, rounds: 4, outcome: "completed" }],
        null,
      ]);

      await rm(join(home, "events", `${run}.jsonl`));
      const bare = await until(
        async () => (await get(`teams/${id}`)).team,
        ({ runs }) => runs.length === 0,
      );
      expect(bare).toMatchObject({
        goal,
        state: "ended",
        outcome: "completed",
        run: null,
        efficiency: team.efficiency,
      });
      const said = pick("item", "lane", "attempt", "round", "state_id", "conversation_id", "cost_usd", "by");
      const sorted = (rounds: readonly object[]) =>
        rounds
          .map(said)
          .map((each) => JSON.stringify(each))
          .toSorted();
      expect(sorted(bare.rounds)).toEqual(sorted(team.rounds));
      expect(bare.items.map(pick("id", "title", "status", "cost_usd"))).toEqual(
        team.items.map(pick("id", "title", "status", "cost_usd")),
      );
    },
  );

  it("is interrupted, and goes on where it was", SLOW, async () => {
    const directory = await folder("cut", { "tasks.test.mjs": TEST });
    const started = await post("teams", { directory, goal: "Build a list", gate: ["node --test"], offline: "team" });
    const { run, team: id } = started.json.run;
    await until(
      async () => (await get(`teams/${id}`)).team,
      ({ items }) => items.some(({ status }: { status: string }) => status === "merged"),
    );
    expect((await post(`runs/${run}/interrupt`, {})).status).toBe(200);
    expect((await resultOf(run)).error.team).toMatchObject({ outcome: "cancelled", merged: ["store"] });
    expect((await get(`teams/${id}`)).team).toMatchObject({ state: "ended", outcome: "cancelled" });
    const cost = (await get(`teams/${id}`)).team.cost_usd;

    const again = await post(`teams/${id}/resume`, { offline: "team", workers: 2 });
    expect(again.json.run).toMatchObject({ kind: "team", team: id });
    const { data } = await resultOf(again.json.run.run);
    expect(data).toMatchObject({ team: id, outcome: "completed", left: [] });
    const { team } = await get(`teams/${id}`);
    expect(team).toMatchObject({ outcome: "completed", runs: [run, again.json.run.run], cost_usd: data.cost_usd });
    expect(team.cost_usd).toBeGreaterThan(cost);
    expect(team.rounds.map(({ by }: { by: string }) => by).toSorted()).toEqual([
      "gates",
      "manager",
      "manager",
      "manager",
    ]);
  });

  it("takes no gate, nobody's question and no flag but those that are described, from whoever may not", async () => {
    const closed = await serveMonitor(join(root, "closed"));
    const directory = await folder("closed-work");
    for (const [given, status, target] of [
      [{ gate: ["node --test"] }, 403, "gate"],
      [{ ask: "remote" }, 403, "ask"],
      [{ permission_mode: "bypassPermissions" }, 403, "permission_mode"],
      [{ goal: " " }, 400, "goal"],
      [{ workers: 0 }, 400, "workers"],
      [{ plan: "/etc/passwd" }, 400, "plan"],
    ] as const) {
      const { status: got, json } = await post("teams", { directory, goal: "x", offline: "team", ...given }, closed);
      expect([given, got, json.error.target]).toEqual([given, status, target]);
    }
    const missing = await ask(`${closed.url}/api/teams/01a1f41d-9255-7e2a-a68c-f75fc0eb029b`, closed);
    expect([missing.status, missing.json.error.kind]).toEqual([404, "state_not_found"]);
    expect((await ask(`${closed.url}/api/teams`, closed)).json).toEqual({ teams: [], next_offset: null });
    closed.process.kill("SIGTERM");
    await once(closed.process, "close");
  });
});

const pick =
  (...names: readonly string[]) =>
  (record: object): object =>
    Object.fromEntries(names.map((name) => [name, (record as Readonly<Record<string, unknown>>)[name]]));

describe("a person who is asked by a team", () => {
  interface Asked {
    readonly result: Promise<TeamResult>;
    /** The question that waits. */
    question(): Promise<Answer["json"]>;
  }

  /** Has a team ask at the server. */
  async function asking(script: TeamScript, name: string, options: Partial<DualAgentOptions>): Promise<Asked> {
    agent = await startOfflineAgent(scriptedTeam(script));
    const workspace = await folder(name, { "base.txt": "one\n" });
    const engine = agent.engine;
    const worker = { allowedTools: ["Bash"] };
    const given: DualAgentOptions = {
      workspace,
      workspaceOptions: { home },
      engine,
      worker,
      ask: "remote",
      ...options,
    };
    const running = new DualAgent(given).run(`Ask in ${name}`);
    const result = (async () => {
      for (;;) {
        const { done, value } = await running.next();
        if (done) return value;
      }
    })();
    const question = async (): Promise<Answer["json"]> => {
      const path = `questions?workspace=${encodeURIComponent(workspace)}`;
      const { questions } = await until(
        async () => await get(path),
        ({ questions: found }) => found.length > 0,
      );
      return questions[0];
    };
    return { result, question };
  }

  const answer = async (id: string, body: object): Promise<void> => {
    const { status, text } = await post(`questions/${id}/answer`, body);
    expect([status, text]).toEqual([200, expect.any(String)]);
  };

  it("sends a plan back with words of their own, then approves it", SLOW, async () => {
    const plans = [{ items: [teamItem("a")] }, { items: [teamItem("b")] }];
    const script = { plans, work: { b: [["echo b > b.txt"]] } };
    const { result, question } = await asking(script, "plan", { approvePlan: true });
    const first = await question();
    expect(first).toMatchObject({ kind: "plan", tool: "ExitPlanMode", input: { plan: expect.stringContaining("A") } });
    const { run } = (await get(`runs/${first.run}`)) as { run: Readonly<Record<string, unknown>> };
    expect(run).toMatchObject({ kind: "team", activity: "waiting" });
    await answer(first.question_id, { decision: "deny", message: "Do b in its place" });
    const second = await until(question, ({ question_id: id }) => id !== first.question_id);
    await answer(second.question_id, { decision: "allow" });
    expect(await result).toMatchObject({ outcome: "completed", merged: ["b"] });
    expect(JSON.stringify(agent?.requests)).toContain("Do b in its place");
    const { team } = await get(`teams/${String(run["team"])}`);
    expect(team.handoffs.map(({ type }: { type: string }) => type)).toEqual([
      "escalated",
      "answered",
      "escalated",
      "answered",
      "plan",
      "assigned",
      "evidence",
      "verdict",
      "merged",
    ]);
  });

  it("says what becomes of an item that nobody gets done", SLOW, async () => {
    const script = { plans: [{ items: [teamItem("liar")] }], work: { liar: [["say All done!"]] } };
    const { result, question } = await asking(script, "item", { maxAttempts: 1 });
    const asked = await question();
    expect(asked).toMatchObject({ kind: "question", tool: "AskUserQuestion", asked_on: "remote" });
    const [{ question: text, options }] = asked.input.questions;
    expect(options.map(({ label }: { label: string }) => label)).toEqual([
      "Approve it as it is",
      "Try again",
      "Leave it out",
      "End the team",
    ]);
    await answer(asked.question_id, { decision: "allow", answers: { [text]: "Leave it out" } });
    const ended = await result;
    expect(ended).toMatchObject({ outcome: "completed", items: [{ id: "liar", status: "skipped" }] });
    const { team } = await get(`teams/${ended.team}`);
    expect(team.items).toMatchObject([{ id: "liar", status: "skipped" }]);
    expect(
      team.handoffs.filter(({ to, from }: { to: string; from: string }) => [to, from].includes("person")),
    ).toMatchObject([
      { type: "remedy", from: "manager", to: "person", item: "liar" },
      { type: "escalated", from: "manager", to: "person", item: "liar" },
      { type: "answered", from: "person", to: "manager", item: "liar", text: "skip" },
    ]);
  });

  it("is not waited for beyond the deadline: the item stays undone, and the question is closed", SLOW, async () => {
    const script = { plans: [{ items: [teamItem("liar")] }], work: { liar: [["say All done!"]] } };
    const { result, question } = await asking(script, "late", { maxAttempts: 1, askTimeoutMs: 3000 });
    const asked = await question();
    expect(Date.parse(asked.deadline) - Date.parse(asked.asked_at)).toBe(3000);
    const ended = await result;
    expect(ended).toMatchObject({ outcome: "partial", items: [{ id: "liar", status: "escalated" }] });
    const late = await post(`questions/${asked.question_id}/answer`, { decision: "allow" });
    expect([late.status, late.json.error.kind]).toEqual([409, "conflict"]);
    const { team } = await get(`teams/${ended.team}`);
    expect(team.handoffs.at(-2)).toMatchObject({ type: "answered", text: "unanswered" });
    expect(await readFile(join(root, "late", "base.txt"), "utf8")).toBe("one\n");
  });
});
