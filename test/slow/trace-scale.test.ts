import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TraceIndex } from "../../src/trace/index.ts";
import { Workspace } from "../../src/workspace/index.ts";
import { importTurns } from "../support/import-turns.ts";
import { recordTurns } from "../support/record-turns.ts";

const CONVERSATIONS = 20;
const TURNS = 500;
const MOST_MB = 150;

test("ten thousand turns are listed at once, in little memory", async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), "skein-scale-")));
  const home = join(root, "home");
  await using workspace = await Workspace.open(join(root, "w"), { home });
  await writeFile(join(workspace.path, "a.txt"), "a");
  const measured: Record<string, number> = {};
  const measure = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const startedMs = performance.now();
    const value = await work();
    measured[name] = Math.round(performance.now() - startedMs);
    return value;
  };
  await measure("write", () => importTurns(workspace, { conversations: CONVERSATIONS, turns: TURNS }));

  await using index = await TraceIndex.open(workspace);
  await measure("first query", () => index.query({ limit: 50 }));
  const page = await measure("warm query", () => index.query({ limit: 50 }));
  expect(page).toHaveLength(50);
  expect(await measure("text query", () => index.query({ text: '"turn 499"', limit: 50 }))).toHaveLength(CONVERSATIONS);
  expect(await measure("totals", () => index.totals())).toMatchObject({ turns: CONVERSATIONS * TURNS + 1 });
  await recordTurns(workspace, [{ prompt: "one more" }]);
  await measure("query after one more", () => index.query({ limit: 50 }));

  const script = `
    import { TraceIndex } from "skein/trace";
    import { Workspace } from "skein/workspace";
    const workspace = await Workspace.open(${JSON.stringify(workspace.path)}, { home: ${JSON.stringify(home)} });
    const index = await TraceIndex.open(workspace);
    if (process.argv[1] === "anew") await index.reindex();
    const { length } = await index.query({ limit: 50 });
    await index.close();
    await workspace.close();
    console.log(JSON.stringify({ length, mostMb: Math.round(process.resourceUsage().maxRSS / 1024) }));`;
  const list = async (how: string): Promise<{ readonly length: number; readonly mostMb: number }> => {
    const child = spawn(process.execPath, ["--input-type=module", "-e", script, how], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")));
    await once(child, "close");
    return JSON.parse(text) as { length: number; mostMb: number };
  };
  const listed = await measure("list in a new process", () => list("as it is"));
  const anew = await measure("reindex in a new process", () => list("anew"));
  process.stdout.write(`${JSON.stringify({ ...measured, listMb: listed.mostMb, reindexMb: anew.mostMb })}\n`);
  expect(listed.length).toBe(50);
  expect(listed.mostMb).toBeLessThan(MOST_MB);
  expect(measured["warm query"]).toBeLessThan(1000);
  await rm(root, { recursive: true, force: true, maxRetries: 9 });
}, 240_000);
