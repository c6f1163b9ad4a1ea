import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { recordTurns } from "../../../test/support/record-turns.ts";
import { Workspace } from "../../workspace/index.ts";
import type { StateQuery } from "../state-index/state-index.ts";
import type { State } from "../record/state.ts";
import { TransitionRecorder } from "./transition-recorder.ts";

const DAY_MS = 86_400_000;
const FIRST_MS = Date.UTC(2026, 10, 1);

let root: string;
let workspace: Workspace;
let states: readonly State[];

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "skein-recorder-")));
  workspace = await Workspace.open(join(root, "w"), { home: join(root, "home") });
  states = await recordTurns(workspace, [
    { prompt: "Build the parser", tools: ["Write", "Bash"], costUsd: 0.5, atMs: FIRST_MS },
    { prompt: "Test it", tools: ["Bash", "Bash"], costUsd: 0.02, response: "all green", atMs: FIRST_MS + DAY_MS },
    { prompt: "Ship it", outcome: "failed", costUsd: 0.001, atMs: FIRST_MS + 2 * DAY_MS },
  ]);
});

afterEach(async () => {
  await workspace.close();
  await rm(root, { recursive: true, force: true, maxRetries: 9 });
});

async function find(query: StateQuery): Promise<readonly string[]> {
  await using recorder = await TransitionRecorder.open(workspace);
  return (await recorder.index.query({ kind: "turn", order: "oldest", ...query })).map(
    ({ turn }) => turn?.prompt ?? "",
  );
}

const idOf = (at: number): string => states[at]?.id ?? "";

describe("a recorder", () => {
  it.each<[string, StateQuery, readonly string[]]>([
    ["time", { since: FIRST_MS + DAY_MS, until: FIRST_MS + 2 * DAY_MS }, ["Test it"]],
    ["cost", { minCostUsd: 0.01, maxCostUsd: 0.1 }, ["Test it"]],
    ["tool", { tool: "Write" }, ["Build the parser"]],
    ["words of the prompt", { text: "parser" }, ["Build the parser"]],
    ["words of the response", { text: "green" }, ["Test it"]],
    ["outcome", { outcome: "failed" }, ["Ship it"]],
    ["order", { order: "cost", limit: 2 }, ["Build the parser", "Test it"]],
  ])("finds turns by %s", async (_, query, expected) => {
    expect(await find(query)).toEqual(expected);
  });

  it("gives turns by their own id and by any name of their state, and sums them", async () => {
    await using recorder = await TransitionRecorder.open(workspace);
    const byState = await recorder.index.load(idOf(1).slice(0, 12));
    expect(byState?.prompt.text).toBe("Test it");
    expect((await recorder.index.load(byState?.id ?? ""))?.toJSON()).toEqual(byState?.toJSON());
    expect((await recorder.index.recent(2)).map(({ prompt }) => prompt.text)).toEqual(["Ship it", "Test it"]);
    expect(await recorder.index.totals()).toMatchObject({ states: 4, turns: 3, costUsd: 0.521, outputTokens: 60 });
    await expect(recorder.index.load("nothing")).rejects.toMatchObject({ kind: "state_not_found" });
  });

  it("keeps rewards in the store, so that a lost index loses nothing", async () => {
    const recorder = await TransitionRecorder.open(workspace);
    await recorder.reward(idOf(0), { quality: 0.2, speed: 1 });
    await recorder.reward(idOf(0), { quality: 0.9 });
    await recorder.reward(idOf(1), { quality: 0.4 });
    const asked = { reward: { name: "quality", min: 0.5 } };
    expect(await find(asked)).toEqual(["Build the parser"]);
    const before = await recorder.index.query();
    await recorder.close();

    for (const end of ["", "-wal", "-shm"]) await rm(join(workspace.home, `index.sqlite${end}`), { force: true });
    await using again = await TransitionRecorder.open(workspace);
    expect(await again.index.query()).toEqual(before);
    expect(await find(asked)).toEqual(["Build the parser"]);
    expect((await again.index.load(idOf(0)))?.rewards).toEqual({ quality: 0.9, speed: 1 });
    expect(await again.index.reindex()).toEqual({ states: 4 });
    expect(await again.index.query()).toEqual(before);
  });

  it("keeps every reward where several are given at once", async () => {
    await using recorder = await TransitionRecorder.open(workspace);
    const names = Array.from({ length: 10 }, (_, at) => `judge-${at}`);
    await Promise.all(names.map((name, at) => recorder.reward(idOf(0), { [name]: at })));
    const expected = Object.fromEntries(names.map((name, at) => [name, at]));
    expect((await recorder.index.load(idOf(0)))?.rewards).toEqual(expected);
    expect((await recorder.index.query({ text: "parser" }))[0]?.rewards).toEqual(expected);
  });

  it("shows a note that another process made", async () => {
    await using recorder = await TransitionRecorder.open(workspace);
    await recorder.index.query();
    await using other = await TransitionRecorder.open(workspace);
    await other.reward(idOf(2), { quality: -1 });
    expect((await recorder.index.query({ reward: { name: "quality" } })).map(({ id }) => id)).toEqual([idOf(2)]);
  });

  it("loses nothing when the index is made anew while others ask", async () => {
    await using first = await TransitionRecorder.open(workspace);
    await using second = await TransitionRecorder.open(workspace);
    for (let round = 1; round <= 8; round += 1) {
      await recordTurns(workspace, [{ prompt: `round ${round}` }]);
      await Promise.all([
        first.index.reindex(),
        second.index.totals(),
        second.index.reindex(),
        first.index.totals(),
        second.index.query(),
      ]);
      expect(await second.index.totals()).toMatchObject({ turns: 3 + round });
    }
  });

  it("is brought up to date by several processes at once", async () => {
    await recordTurns(
      workspace,
      Array.from({ length: 60 }, (_, at) => ({ prompt: `turn ${at}` })),
    );
    const script = `
      import { TransitionRecorder } from ${JSON.stringify(new URL("../../../dist/trace/index.js", import.meta.url).href)};
      import { Workspace } from ${JSON.stringify(new URL("../../../dist/workspace/index.js", import.meta.url).href)};
      const workspace = await Workspace.open(${JSON.stringify(workspace.path)}, { home: ${JSON.stringify(join(root, "home"))} });
      const recorder = await TransitionRecorder.open(workspace);
      const { turns } = await recorder.index.totals();
      await recorder.index.reindex();
      console.log(turns, (await recorder.index.totals()).turns >= 0);
      await recorder.close();
      await workspace.close();`;
    const ends = await Promise.all(
      [1, 2, 3].map(async () => {
        const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
          stdio: ["ignore", "pipe", "pipe"],
        });
        const output: string[] = [];
        for (const stream of [child.stdout, child.stderr])
          stream.on("data", (chunk: Buffer) => output.push(chunk.toString()));
        const [code] = (await once(child, "close")) as [number];
        return { code, hasFailed: /Error/u.test(output.join("")) ? output.join("") : "" };
      }),
    );
    expect(ends).toEqual([1, 2, 3].map(() => ({ code: 0, hasFailed: "" })));
    await using recorder = await TransitionRecorder.open(workspace);
    expect(await recorder.index.totals()).toMatchObject({ states: 65, turns: 63 });
  });
});
