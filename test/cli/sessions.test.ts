import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, open, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { createId } from "../../src/core/internal.ts";
import { createFakeEngine } from "../../src/testing/index.ts";
import { Conversation } from "../../src/trace/index.ts";
import { Workspace } from "../../src/workspace/index.ts";
import { runInProcess } from "./support/in-process.ts";
import { readEnvelope, startSkein, temporaryDirectory } from "./support/skein.ts";
import { tracedWorkspace, write, type TracedWorkspace } from "./support/traced-workspace.ts";

const SLOW = { timeout: 120_000 } as const;
const MISSING = "01a1e04e-6a1c-7591-8015-e683b9dae774";

interface Listed {
  readonly sessions: readonly { readonly session_id: string; readonly title: string; readonly prompt_count: number }[];
  readonly count: number;
}

interface Sessions {
  readonly workspace: TracedWorkspace;
  /** The conversation of two turns. */
  readonly first: string;
  /** The one that the directory stands at the end of. */
  readonly second: string;
  /** The folder that all of it is kept in, and the repository in it. */
  readonly store: string;
  readonly git: string;
}

/** Two conversations in one directory, by an engine that starts nothing. */
async function twoSessions(): Promise<Sessions> {
  const traced = await tracedWorkspace();
  await using workspace = await Workspace.open(traced.cwd, { home: traced.home });
  const talk = async (...prompts: readonly string[]): Promise<string> => {
    await using conversation = await Conversation.start(workspace, { engine: createFakeEngine(() => "done") });
    for (const prompt of prompts) await conversation.send(prompt);
    return conversation.id;
  };
  const { home: store, gitDirectory: git } = workspace;
  return { workspace: traced, first: await talk("one", "two"), second: await talk("other"), store, git };
}

/** The page that a session of Claude Code's own has, by the conversation's id and by the place where it stands. */
async function showsAsPage({ data, skein, error }: TracedWorkspace, conversation: string): Promise<void> {
  const shown = await data("session", conversation);
  expect(shown).toMatchObject({
    session: { session_id: conversation, prompts: 2, tools: [{ tool: "Write", calls: 1, errors: 0 }] },
    messages: [{ kind: "prompt" }, { tools: [{ tool: "Write" }] }, { kind: "answer" }, { text: "say two" }, {}],
    page: null,
  });
  const page = await skein("session", conversation, "--format", "html");
  expect(page.stdout.match(/<section class="turn/gu)).toHaveLength(2);
  expect(page.stdout).toContain('<span class="added">+one</span>');
  expect((await skein("session", "@", "--format", "md")).stdout).toContain("## Turn 1");
  expect(await error("session", MISSING)).toMatchObject({ kind: "session_not_found", target: MISSING });
}

describe("recorded sessions", () => {
  it("are listed, loaded by either id, and written out as Claude Code writes them", SLOW, async () => {
    const workspace = await tracedWorkspace();
    await workspace.turn(write("a.txt", "one"));
    const first = await workspace.turn("say two", "--continue");
    const second = await workspace.turn("say other");
    const { data } = workspace;
    const listed = await data<Listed>("list-sessions");
    expect(listed).toMatchObject({
      cwd: workspace.cwd,
      count: 2,
      sessions: [
        { session_id: second.conversation_id, title: "say other", prompt_count: 1, outcome: "completed" },
        { session_id: first.conversation_id, prompt_count: 2, outcome: "completed", stop_reason: "end_turn" },
      ],
    });
    expect(await data("list-sessions", "--limit", "1")).toMatchObject({ count: 2, sessions: [{ prompt_count: 1 }] });

    const loaded = await data("load-session", first.conversation_id);
    expect(loaded).toMatchObject({
      loaded: true,
      state_id: first.state_id,
      claude_session_ids: [first.session_id],
      turns: [{ outcome: "completed" }, { prompt: "say two", response: "two", state_id: first.state_id }],
    });
    expect(await data("load-session", first.session_id)).toEqual(loaded);

    const file = join(workspace.home, "out.jsonl");
    const flushed = await data("flush-transcript", first.conversation_id, "--file", file);
    const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
    expect(flushed).toMatchObject({ path: file, flushed: true, lines_count: lines.length, subagents_count: 0 });
    const messages = lines.map((line) => JSON.parse(line) as { type: string; sessionId?: string });
    expect(messages.filter(({ type }) => type === "user" || type === "assistant")).toHaveLength(
      loaded["messages_count"] as number,
    );
    expect(new Set(messages.flatMap(({ sessionId }) => sessionId ?? []))).toEqual(new Set([first.session_id]));
    expect((await stat(file)).mode & 0o077).toBe(0);

    // What the directory stands at can still be gone on with, as a conversation of its own.
    expect(await data("delete-session", second.session_id)).toMatchObject({
      session_id: second.conversation_id,
      status: "deleted",
    });
    const next = await workspace.turn("say next", "--continue");
    expect([first.conversation_id, second.conversation_id]).not.toContain(next.conversation_id);
    expect(await data("list-sessions")).toMatchObject({ count: 2, sessions: [{ title: "say next" }, {}] });
    await showsAsPage(workspace, first.conversation_id);
  });

  it("are not written over a file that is there, unless it is said so", SLOW, async () => {
    const { workspace, first } = await twoSessions();
    const file = join(workspace.home, "there.jsonl");
    await writeFile(file, "mine");
    const args = ["flush-transcript", first, "--file", file] as const;
    expect(await workspace.error(...args)).toMatchObject({ kind: "filesystem", target: file });
    expect(await readFile(file, "utf8")).toBe("mine");
    expect(await workspace.data(...args, "--replace")).toMatchObject({ flushed: true });
    expect((await readdir(workspace.home)).filter((name) => name.includes("tmp"))).toEqual([]);
    const nowhere = join(workspace.home, "no", "where.jsonl");
    expect(await workspace.error("flush-transcript", first, "--file", nowhere)).toMatchObject({
      kind: "filesystem",
      target: nowhere,
    });
  });

  it.each(["../x", "/etc/passwd", "", "..", "a/../../b", `${MISSING}/../x`, "%2e%2e%2f", "HEAD", MISSING])(
    "are not found by %j, and nothing is touched",
    SLOW,
    async (id) => {
      const root = await temporaryDirectory();
      await mkdir(join(root, "app"));
      const where = ["--cwd", join(root, "app"), "--output-format", "json"];
      for (const command of ["load-session", "flush-transcript"]) {
        const { stdout } = await runInProcess([command, id, ...where]);
        expect(readEnvelope(stdout)).toMatchObject({ error: { kind: "session_not_found", target: id } });
      }
      const { stdout } = await runInProcess(["delete-session", id, ...where]);
      expect(readEnvelope(stdout)).toMatchObject({ exit_code: 0, data: { deleted: false, status: "not_found" } });
      expect(await readdir(root, { recursive: true })).toEqual(["app"]);
    },
  );
});

describe("a session that is deleted", () => {
  it("is gone, while the directory, its files and the other sessions stay", SLOW, async () => {
    const { workspace, first, second } = await twoSessions();
    const { data } = workspace;
    await writeFile(join(workspace.cwd, "mine"), "");
    const { state_id: here } = await data("show", "@");
    expect(await data("delete-session", second)).toMatchObject({
      session_id: second,
      status: "deleted",
      deleted: true,
    });
    expect(await data("delete-session", second)).toMatchObject({ status: "not_found" });
    expect(await workspace.error("load-session", second)).toMatchObject({ kind: "session_not_found" });
    expect(await data<Listed>("list-sessions")).toMatchObject({ sessions: [{ session_id: first }] });
    expect(await data("show", "@")).toMatchObject({ state_id: here });
    expect(await readdir(workspace.cwd)).toEqual(["mine"]);
  });

  it(
    "is found and deleted under a name that its turns were not recorded under, packed by git or not",
    SLOW,
    async () => {
      const { workspace: traced, first, git } = await twoSessions();
      const overtaken = createId();
      await using workspace = await Workspace.open(traced.cwd, { home: traced.home });
      const tip = await workspace.states.tip(first);
      await workspace.states.moveTip(overtaken, { from: undefined, to: tip ?? "" });
      execFileSync("git", ["--git-dir", git, "pack-refs", "--all"]);
      expect(await traced.data("list-sessions")).toMatchObject({ count: 3 });
      expect(await traced.data("load-session", overtaken)).toMatchObject({ session_id: overtaken, prompt_count: 2 });
      expect(await traced.data("delete-session", overtaken)).toMatchObject({ status: "deleted" });
      expect(await traced.data("load-session", first)).toMatchObject({ session_id: first, prompt_count: 2 });
    },
  );

  it("is deleted by one of several processes that try at once", SLOW, async () => {
    const { workspace, first, second } = await twoSessions();
    const tries = Array.from({ length: 4 }, () => workspace.data("delete-session", second));
    const statuses = (await Promise.all(tries)).map(({ status }) => String(status));
    expect(statuses.toSorted()).toEqual(["deleted", "not_found", "not_found", "not_found"]);
    expect(await workspace.data("load-session", first)).toMatchObject({ prompt_count: 2 });
    expect(await workspace.data("verify")).toMatchObject({ states: 5 });
  });

  it("stays where its name is held by somebody else", SLOW, async () => {
    const { workspace, first: id, git } = await twoSessions();
    const lock = join(git, "refs/skein/conversations", `${id}.lock`);
    await writeFile(lock, "");
    expect(await workspace.error("delete-session", id)).toMatchObject({
      kind: "session_delete_failed",
      target: id,
      retryable: true,
    });
    await rm(lock);
    expect(await workspace.data("load-session", id)).toMatchObject({ prompt_count: 2 });
    expect(await workspace.data("delete-session", id)).toMatchObject({ status: "deleted" });
  });
});

describe("a store that is not as it should be", () => {
  it("tells of a damaged session by its kind, and lets it be deleted", SLOW, async () => {
    const { workspace, first: id, git } = await twoSessions();
    const objects = join(git, "objects");
    const packs = (await readdir(objects, { recursive: true })).filter((path) => path.endsWith(".pack"));
    for (const pack of packs) {
      await chmod(join(objects, pack), 0o644);
      await truncate(join(objects, pack), 40);
    }
    for (const command of ["load-session", "flush-transcript"]) {
      expect(await workspace.error(command, id)).toMatchObject({ kind: "session_load_failed", target: id });
    }
    expect(await readdir(workspace.cwd)).not.toContain(`${id}.jsonl`);
    expect(await workspace.data("delete-session", id)).toMatchObject({ status: "deleted" });
  });

  it("loses nothing where it can only be read", SLOW, async (context) => {
    const { workspace, first: id, store } = await twoSessions();
    const isRoot = process.getuid?.() === 0;
    if (isRoot && !canMount()) return context.skip("root can write everywhere where it cannot mount");
    const skein = async (...args: string[]): Promise<Record<string, unknown>> => {
      const words = [process.execPath, resolve("dist/cli/main.js"), ...args, "--output-format", "json"];
      const command = isRoot ? ["unshare", "-m", "sh", "-c", READ_ONLY, workspace.home, ...words] : words;
      const env = { PATH: process.env["PATH"], HOME: workspace.home, SKEIN_HOME: workspace.home };
      const child = spawn(command[0] ?? "", command.slice(1), {
        cwd: workspace.cwd,
        env,
        stdio: ["ignore", "pipe", "inherit"],
      });
      onTestFinished(() => void child.kill());
      return readEnvelope(await text(child.stdout));
    };
    if (!isRoot) execFileSync("chmod", ["-R", "a-w", store]);
    onTestFinished(() => void execFileSync("chmod", ["-R", "u+w", store]));
    const failed = await skein("delete-session", id);
    expect(failed).toMatchObject({ exit_code: 1, error: { operation: "delete-session" } });
    expect(["session_delete_failed", "filesystem"]).toContain((failed["error"] as { kind: string }).kind);
    execFileSync("chmod", ["-R", "u+w", store]);
    expect(await workspace.data("load-session", id)).toMatchObject({ prompt_count: 2 });
    expect(await workspace.data("verify")).toMatchObject({ states: 5 });
  });
});

/** Makes the first word a read-only place for the command after it, and for nobody else. */
const READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"';

function canMount(): boolean {
  try {
    execFileSync("unshare", ["-m", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

describe("standard output that takes nothing", () => {
  it("ends a command with 1 and one line where the disk is full", SLOW, async () => {
    const { workspace } = await twoSessions();
    for (const format of ["json", "text"]) {
      await using full = await open("/dev/full", "w");
      const child = spawn(process.execPath, [resolve("dist/cli/main.js"), "list-sessions", "--output-format", format], {
        cwd: workspace.cwd,
        env: { PATH: process.env["PATH"], HOME: workspace.home, SKEIN_HOME: workspace.home },
        stdio: ["ignore", full.fd, "pipe"],
      });
      const [stderr, [code]] = await Promise.all([text(child.stderr as Readable), once(child, "close")]);
      expect([code, stderr]).toEqual([1, "Cannot write to standard output: ENOSPC: no space left on device, write\n"]);
    }
  });

  it("ends it quietly where the reader has gone away", SLOW, async () => {
    const { workspace } = await twoSessions();
    const env = { SKEIN_HOME: workspace.home };
    const { child, finished } = await startSkein(["list-sessions", "--output-format", "json"], {
      cwd: workspace.cwd,
      env,
    });
    child.stdout?.destroy();
    const { code, stderr } = await finished;
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  });
});
