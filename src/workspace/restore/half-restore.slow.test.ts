import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Workspace } from "../workspace.ts";

// Another process runs the built package: `npm test` builds it first.
const BUILT = new URL("../../../dist/workspace/index.js", import.meta.url).href;
const FILES = 600;

let root: string;
let directory: string;
let home: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skein-half-restore-")));
  [directory, home] = [join(root, "workspace"), join(root, "home")];
  mkdirSync(directory);
});

afterEach(() => rmSync(root, { recursive: true, force: true, maxRetries: 9 }));

it("is told after a kill, refuses work until then, and is finished or taken back whole", async () => {
  const [first, second] = await recordTwo();
  for (const how of ["finish", "take-back"] as const) {
    await killWithin(first);
    await using workspace = await Workspace.open(directory, { home });
    expect(await workspace.halfRestore()).toMatchObject({ stateId: first, directory });
    await expect(workspace.claim()).rejects.toMatchObject({ kind: "restore_interrupted" });
    expect(new Set(Array.from({ length: FILES }, (_, index) => textOf(index))).size).toBe(2);
    await workspace.recoverRestore(how);
    const expected = how === "finish" ? "first" : "second";
    expect(new Set(Array.from({ length: FILES }, (_, index) => textOf(index)))).toEqual(new Set([expected]));
    expect((await workspace.states.head())?.stateId).toBe(how === "finish" ? first : second);
    expect(await workspace.halfRestore()).toBeUndefined();
    await (await workspace.claim())[Symbol.asyncDispose]();
    if (how === "finish") await workspace.restore(second);
  }
});

it("is finished at its state also where its recovery was killed in its turn", async () => {
  const [first] = await recordTwo();
  await killWithin(first);
  const [name = ""] = readdirSync(join(storeHome(), "restores"));
  const record = (): string => readFileSync(join(storeHome(), "restores", name), "utf8");
  const begun = record();
  const child = start('await workspace.recoverRestore("finish");');
  await once(child.stdout, "data");
  await killWhen(child, () => record() !== begun);
  await using workspace = await Workspace.open(directory, { home });
  expect(await workspace.halfRestore()).toMatchObject({ stateId: first, directory });
  await workspace.recoverRestore("finish");
  expect((await workspace.states.head())?.stateId).toBe(first);
  expect(new Set(Array.from({ length: FILES }, (_, index) => textOf(index)))).toEqual(new Set(["first"]));
});

it("is over when another restore of the same directory has ended", async () => {
  const [first, second] = await recordTwo();
  await killWithin(first);
  await using workspace = await Workspace.open(directory, { home });
  await workspace.restore(second);
  expect(textOf(7)).toBe("second");
  expect(await workspace.halfRestore()).toBeUndefined();
});

it("leaves nothing behind that ends as it should, or that is only tried", async () => {
  const [first] = await recordTwo();
  await using workspace = await Workspace.open(directory, { home });
  await workspace.restore(first, { dryRun: true });
  expect(await workspace.halfRestore()).toBeUndefined();
  await workspace.restore(first);
  expect(await workspace.halfRestore()).toBeUndefined();
});

/** Two states that differ in every file; the directory stands at the second. */
async function recordTwo(): Promise<readonly [string, string]> {
  await using workspace = await Workspace.open(directory, { home });
  const ids: string[] = [];
  for (const text of ["first", "second"]) {
    for (let index = 0; index < FILES; index += 1) writeFileSync(join(directory, `file-${index}`), text);
    const { id } = await workspace.snapshot();
    const files = new Map([["state.json", "{}"]]);
    const state = { snapshotId: id, files, session: new Map(), message: text, recordedAtMs: Date.now() };
    ids.push((await workspace.states.write(state)).id);
  }
  const [first = "", second = ""] = ids;
  await workspace.states.setHead({ stateId: second });
  return [first, second];
}

/** Has another process restore a state, and kills it when the first files are changed. */
async function killWithin(state: string): Promise<void> {
  const child = start(`await workspace.restore(${JSON.stringify(state)});`);
  await once(child.stdout, "data");
  await killWhen(child, () => [0, 1, 10, FILES - 1].some((index) => textOf(index) !== "second"));
}

type Child = ChildProcessByStdio<null, Readable, null>;

/** Has another process open the workspace, say so, and do something. */
function start(work: string): Child {
  const script = `
    const { Workspace } = await import(${JSON.stringify(BUILT)});
    const workspace = await Workspace.open(${JSON.stringify(directory)}, { home: ${JSON.stringify(home)} });
    process.stdout.write("ready");
    ${work}`;
  return spawn(process.execPath, ["--input-type=module", "--eval", script], { stdio: ["ignore", "pipe", "inherit"] });
}

async function killWhen(child: Child, hasCome: () => boolean): Promise<void> {
  while (!hasCome()) {
    if (child.exitCode !== null) throw new Error("It ended before it could be killed");
    await new Promise((resolve) => setImmediate(resolve));
  }
  child.kill("SIGKILL");
  await once(child, "close");
}

function storeHome(): string {
  return join(home, "workspaces", readdirSync(join(home, "workspaces"))[0] ?? "");
}

function textOf(index: number): string {
  return readFileSync(join(directory, `file-${index}`), "utf8");
}
