import { execFileSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { z } from "zod";
import type { listSessions } from "../../src/cli/commands/programs/recorded-sessions.ts";
import { ERROR_KINDS } from "../../src/core/index.ts";
import { loadConversations, Workspace } from "../../src/workspace/index.ts";
import { createForge, STATE_FILE, TRANSITION_FILE } from "../support/forge-bundle.ts";
import { runInProcess } from "./support/in-process.ts";
import { readEnvelope } from "./support/skein.ts";

const stateFile = (changes: object): string => JSON.stringify({ ...STATE_FILE, ...changes });
const TURN = { kind: "turn", turns: 1 };

let root: string;
let cwd: string;
let ids: Readonly<Record<"good" | "bad" | "worse" | "hollow" | "lost", string>>;

/** A store with a conversation of good and bad states, one whose files are gone, and one whose state is; made once, and copied for each test. */
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "skein-test-")));
  cwd = join(root, "made/app");
  await mkdir(cwd, { recursive: true });
  const forge = createForge();
  const turn = { "state.json": stateFile(TURN), "transition.json": JSON.stringify(TRANSITION_FILE) };
  const start = forge.state();
  const bad = forge.state({ parent: start, parts: { "state.json": stateFile({ recordedAt: "never" }) } });
  const worse = forge.state({ parent: bad, parts: { ...turn, "transition.json": "{" } });
  const good = forge.state({ parent: worse, parts: turn });
  const file = join(root, "forged.bundle");
  await writeFile(file, forge.bundle({ "refs/skein/conversations/forged": good }));
  await using workspace = await Workspace.open(cwd, { home: join(root, "made/home") });
  await loadConversations(workspace, file);
  const { gitDirectory } = workspace;
  const git = (args: readonly string[], input = ""): string =>
    execFileSync("git", args, { cwd: gitDirectory, encoding: "utf8", input }).trim();
  // What a damaged disk leaves: a state whose files are not there, and a name for nothing.
  const without = git(["ls-tree", good])
    .split("\n")
    .filter((line) => !line.endsWith("\tfiles"));
  const tree = git(["mktree", "--missing"], [...without, `040000 tree ${"1".repeat(40)}\tfiles`, ""].join("\n"));
  const signed = {
    GIT_AUTHOR_NAME: "A",
    GIT_AUTHOR_EMAIL: "a@e.org",
    GIT_COMMITTER_NAME: "A",
    GIT_COMMITTER_EMAIL: "a@e.org",
  };
  const hollow = execFileSync("git", ["commit-tree", tree, "-p", start, "-m", "Hollow"], {
    cwd: gitDirectory,
    encoding: "utf8",
    env: { ...process.env, ...signed },
  }).trim();
  const lost = "2".repeat(40);
  for (const [name, id] of Object.entries({ hollow, lost }))
    await writeFile(join(gitDirectory, "refs/skein/conversations", name), `${id}\n`);
  ids = { good, bad, worse, hollow, lost };
  await rename(join(root, "made"), join(root, "template"));
});

afterAll(() => rm(root, { recursive: true, force: true, maxRetries: 9 }));

beforeEach(async () => {
  vi.stubEnv("SKEIN_HOME", join(root, "made/home"));
  await cp(join(root, "template"), join(root, "made"), { recursive: true, preserveTimestamps: true });
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(join(root, "made"), { recursive: true, force: true, maxRetries: 9 });
});

async function ran(...args: readonly string[]): Promise<Record<string, unknown>> {
  const { stdout } = await runInProcess([...args, "--cwd", cwd, "--output-format", "json"]);
  return readEnvelope(stdout);
}

const TYPED = new Set<string>(ERROR_KINDS.filter((kind) => kind !== "runtime"));

describe("with states that cannot be read", () => {
  it("compare tells what it can of both, or fails with a kind", async () => {
    expect(await ran("compare", ids.good, ids.bad)).toMatchObject({
      data: { left: { state: { kind: "turn" } }, right: { state: { kind: "unreadable" } } },
    });
    expect(await ran("compare", ids.worse, ids.bad)).toMatchObject({
      data: { left: { state: { kind: "unreadable" } } },
    });
    for (const [left, right] of [
      [ids.good, ids.hollow],
      [ids.hollow, ids.bad],
      [ids.good, ids.lost],
      ["lost", "hollow"],
    ] as const) {
      const { error } = (await ran("compare", left, right)) as { error?: { kind: string } };
      expect([left, right, error?.kind, TYPED.has(error?.kind ?? "")]).toEqual([left, right, error?.kind, true]);
    }
  });

  it("list-sessions lists the others, and says of these that they cannot be read", async () => {
    const { data } = (await ran("list-sessions")) as { data?: z.infer<typeof listSessions.data> };
    const rows = data?.sessions.map(({ session_id: id, outcome }) => [id, outcome]);
    expect(new Map(rows as [string, string][])).toEqual(
      new Map([
        ["forged", "completed"],
        // Only its files are gone.
        ["hollow", "completed"],
        ["lost", "unreadable"],
      ]),
    );
  });

  it("what a lost state led to is listed all the same", async () => {
    await using workspace = await Workspace.open(cwd);
    const { bad, worse, good } = ids;
    const packs = join(workspace.gitDirectory, "objects/pack");
    const names = (await readdir(packs)).filter((name) => name.endsWith(".pack"));
    const contents = await Promise.all(names.map((name) => readFile(join(packs, name))));
    await rm(packs, { recursive: true });
    for (const input of contents) execFileSync("git", ["unpack-objects", "-q"], { cwd: workspace.gitDirectory, input });
    expect(await workspace.states.list([good])).toContain(bad);
    await rm(join(workspace.gitDirectory, "objects", bad.slice(0, 2), bad.slice(2)), { force: true });
    expect(await workspace.states.list([good])).toEqual([worse, good]);
    expect(await workspace.states.removeConversation("forged")).toBe(true);
  });

  it.each([
    ["log"],
    ["tree"],
    ["status"],
    ["verify"],
    ["gc"],
    ["reindex"],
    ["summary"],
    ["show", "good"],
    ["show", "bad"],
    ["show", "hollow"],
    ["show", "lost"],
    ["diff", "good", "hollow"],
    ["diff", "bad", "lost"],
    ["restore", "hollow"],
    ["restore", "lost"],
    ["restore", "bad"],
    ["undo"],
    ["load-session", "forged"],
    ["load-session", "hollow"],
    ["load-session", "lost"],
    ["delete-session", "lost"],
  ])("skein %s %s %s gives data, or an error with a kind", async (command, ...words) => {
    const named = words.map((word) => (ids as Readonly<Record<string, string>>)[word] ?? word);
    const envelope = (await ran(command, ...named)) as { data?: unknown; error?: { kind: string; message: string } };
    const { data, error } = envelope;
    expect([data !== undefined || TYPED.has(error?.kind ?? ""), error?.kind, error?.message]).toEqual([
      true,
      error?.kind,
      error?.message,
    ]);
  });
});
