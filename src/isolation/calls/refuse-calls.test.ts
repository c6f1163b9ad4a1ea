import { mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { refuseBeyondSession, refuseWorktrees } from "./beyond-session.ts";
import { refuseCalls, type CallCheck } from "./refuse-calls.ts";
import { refuseStartUpFiles } from "./refuse-start-up-files.ts";

describe("a hook that refuses calls", () => {
  test("says nothing to a call that no check refuses, and the first reason to another", async () => {
    const checks: CallCheck[] = [({ tool }) => (tool === "A" ? "not A" : undefined), async () => undefined];
    expect(await ask(checks, { tool_name: "B", tool_input: {}, cwd: "/" })).toBeUndefined();
    expect(await ask(checks, { tool_name: "A", tool_input: {}, cwd: "/" })).toBe("not A");
  });

  test("refuses what it cannot read or check", async () => {
    const failing: CallCheck = () => {
      throw new Error("broken");
    };
    expect(await ask([], { tool_input: {}, cwd: "/" })).toBe("This call cannot be read.");
    expect(await ask([failing], { tool_name: "A", tool_input: null, cwd: "/" })).toBe("A could not be checked: broken");
  });
});

describe("beyond the session", () => {
  const call = (tool: string, input = {}): Parameters<CallCheck>[0] => ({ tool, input, cwd: "/" });

  test.each([
    call("EnterWorktree", { name: "w" }),
    call("EnterWorktree", { path: "/elsewhere" }),
    call("ExitWorktree", { action: "remove" }),
    call("Agent", { isolation: "worktree" }),
    call("Task", { isolation: "remote" }),
    call("Agent", { isolation: null }),
  ])("worktrees are refused: %j", (given) => {
    expect(refuseWorktrees(given)).toContain("Worktrees are not allowed");
  });

  test("an agent in the directory itself is not", () => {
    expect(refuseWorktrees(call("Agent", { prompt: "Look" }))).toBeUndefined();
  });

  test.each([
    { to: "uds:/run/x.sock" },
    { to: "bridge:session_1" },
    { to: "/tmp/x" },
    { to: "" },
    {},
    { to: "peer", recipient_kind: "session" },
  ])("a message to another session is refused: %j", (input) => {
    expect(refuseBeyondSession(call("SendMessage", input))).toContain("own agents only");
  });

  test("one to an agent of the session is not, and a job lasts as long as the session", () => {
    expect(refuseBeyondSession(call("SendMessage", { to: "a52733e90f99581b0" }))).toBeUndefined();
    expect(refuseBeyondSession(call("CronCreate", { durable: false }))).toBeUndefined();
    expect(refuseBeyondSession(call("CronCreate", { durable: true }))).toContain("outlive");
  });
});

describe("start-up files", () => {
  let root: string;

  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), "skein-start-up-")));
  });

  afterEach(async () => {
    await rm(root, { recursive: true, force: true });
  });

  const write = async (path: string, { tool = "Write", roots = [root] } = {}): Promise<string | undefined> => {
    const key = tool === "NotebookEdit" ? "notebook_path" : "file_path";
    return await refuseStartUpFiles({ roots, home: join(root, "home") })({ tool, input: { [key]: path }, cwd: root });
  };

  test.each([
    ".git/config",
    ".git/hooks/pre-commit",
    ".git",
    "a/b/c/d/e/.git/config",
    ".GIT/config",
    ".gi\u200ct/config",
    "sub/../.vscode/tasks.json",
    ".idea/workspace.xml",
    ".claude/settings.json",
    ".mcp.json",
    "packages/one/.envrc",
    "skein.config.json",
    ".gitmodules",
    "~/.bashrc",
    "~/.zshenv",
  ])("are refused to file tools: %s", async (path) => {
    for (const tool of ["Write", "Edit", "MultiEdit", "NotebookEdit"]) {
      expect(await write(path, { tool })).toContain("is not for the agent to write");
    }
  });

  test.each([".gitignore", ".gitattributes", ".github/workflows/ci.yml", "src/git/config", "bashrc", ".env"])(
    "are not what is written here: %s",
    async (path) => {
      expect(await write(path)).toBeUndefined();
      expect(await write(join(root, path))).toBeUndefined();
    },
  );

  test("are found behind links, also behind one to what is not there yet", async () => {
    await mkdir(join(root, "sub"));
    await symlink("../.git", join(root, "sub/g"));
    await symlink(".envrc", join(root, "notes.txt"));
    expect(await write("sub/g/config")).toContain(".git is not");
    expect(await write("notes.txt")).toContain(".envrc is not");
  });

  test("are told by names below the folder that may be written, wherever that folder lies", async () => {
    const inside = join(root, ".claude/worktrees/one");
    expect(await write(join(inside, "a.txt"), { roots: [root, inside] })).toBeUndefined();
    expect(await write(join(inside, ".git/config"), { roots: [root, inside] })).toContain(".git is not");
    expect(await write(join(root, ".claude/agents/a.md"), { roots: [inside] })).toContain(".claude is not");
  });

  test("may be read", async () => {
    expect(await write(".git/config", { tool: "Read" })).toBeUndefined();
  });
});

async function ask(checks: readonly CallCheck[], input: unknown): Promise<string | undefined> {
  const [matcher] = refuseCalls(checks).PreToolUse ?? [];
  const signal = new AbortController().signal;
  const reply = (await matcher?.hooks[0]?.(input as never, undefined, { signal })) as {
    readonly hookSpecificOutput?: {
      readonly permissionDecision: string;
      readonly permissionDecisionReason: string;
    };
  };
  const output = reply.hookSpecificOutput;
  return output?.permissionDecision === "deny" ? output.permissionDecisionReason : undefined;
}
