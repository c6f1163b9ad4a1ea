import { projectFolderName } from "../../core/internal.ts";
import { chmod, mkdir, mkdtemp, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findProjects } from "./find-projects.ts";
import { findSessions, findSessionSubagents, findTranscriptFiles, transcriptsHome } from "./find-sessions.ts";
import { loadProject, sessionsWithTool } from "./load-project.ts";

let base: string;
const prompt = (cwd: string, sessionId: string) => ({
  type: "user",
  uuid: `${sessionId}-p`,
  cwd,
  sessionId,
  timestamp: "2026-11-15T10:00:00.000Z",
  message: { role: "user", content: `ask in ${sessionId}` },
});
const answer = (cwd: string, sessionId: string) => ({
  ...prompt(cwd, sessionId),
  type: "assistant",
  uuid: `${sessionId}-a`,
  timestamp: "2026-11-15T10:00:05.000Z",
  message: {
    id: "shared",
    model: "claude-opus-4-5",
    content: [{ type: "tool_use", id: "t", name: "Bash", input: {} }],
    stop_reason: "tool_use",
    usage: { output_tokens: 1_000_000 },
  },
});

async function writeSession(
  cwd: string,
  sessionId: string,
  modified: number,
  records?: readonly unknown[],
): Promise<string> {
  const folder = join(base, projectFolderName(cwd));
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${sessionId}.jsonl`);
  const lines = records ?? [
    { type: "mode" },
    prompt("/elsewhere", sessionId),
    prompt(cwd, sessionId),
    answer(cwd, sessionId),
  ];
  await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  await utimes(path, modified, modified);
  return path;
}

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "skein-projects-"));
  await writeSession("/home/me/my-app", "s1", 1_000);
  await writeSession("/home/me/my-app", "s2", 3_000);
  await writeSession("/home/me/other.app", "s3", 2_000);
  await mkdir(join(base, "empty"));
  const subagents = join(base, projectFolderName("/home/me/my-app"), "s1", "subagents");
  await mkdir(subagents, { recursive: true });
  await symlink(subagents, join(subagents, "round"));
  await writeFile(join(subagents, "agent-x.jsonl"), "");
  await symlink(join(base, "loop"), join(base, "loop"));
  await symlink(join(base, projectFolderName("/home/me/other.app")), join(base, "same-again"));
});
afterAll(() => rm(base, { recursive: true, force: true }));

describe("discovery", () => {
  it("finds projects by the paths in their records, each once, the newest first", async () => {
    const { projects, skipped } = await findProjects({ base });
    expect(
      projects.map(({ path, name, sessions }) => [path, name, sessions.map(({ sessionId }) => sessionId)]),
    ).toEqual([
      ["/home/me/my-app", "my-app", ["s2", "s1"]],
      ["/home/me/other.app", "other.app", ["s3"]],
    ]);
    expect(skipped).toMatchObject([{ path: join(base, "loop"), code: "ELOOP" }]);
  });

  it("finds sessions and their sub-agents without following links round", async () => {
    const { sessions } = await findSessions({ base });
    expect(sessions.map(({ sessionId }) => sessionId)).toEqual(["s2", "s3", "s1"]);
    const subagents = await findSessionSubagents(sessions[2] as (typeof sessions)[number]);
    expect(subagents.map((path) => path.split("/").at(-1))).toEqual(["agent-x.jsonl"]);
    expect(await findSessions({ base: join(base, "nowhere") })).toEqual({ sessions: [], skipped: [] });
    await expect(findSessions({ base: join(base, "empty", "..", "loop") })).rejects.toMatchObject({
      kind: "filesystem",
    });
  });

  it("finds every file for a scan, the oldest session first, sub-agents last", async () => {
    const { paths, skipped } = await findTranscriptFiles({ base });
    expect(paths.map((path) => path.split("/").at(-1))).toEqual(["s1.jsonl", "s3.jsonl", "s2.jsonl", "agent-x.jsonl"]);
    expect(skipped).toMatchObject([{ code: "ELOOP" }]);
  });

  it("adds a project up, and counts a message that two sessions hold once", async () => {
    for (const identifier of ["/home/me/my-app", "my-app", "me/my"]) {
      const project = await loadProject(identifier, { base });
      expect(project).toMatchObject({
        path: "/home/me/my-app",
        totalCostUsd: 25,
        totalMessages: 6,
        toolUsageCount: { Bash: 2 },
        totalDurationMs: 10_000,
        sessionsByDate: { "2026-11-15": ["s2", "s1"] },
        usage: { total: { messages: 1 } },
        skipped: [],
      });
      expect(sessionsWithTool(project, "Bash")).toHaveLength(2);
      expect(project.sessions[0]).toMatchObject({ firstPrompt: "ask in s2", prompts: 2, subagents: 0 });
    }
  });

  it("refuses a name that several projects have, and one that none has, and says which there are", async () => {
    await expect(loadProject("app", { base })).rejects.toMatchObject({
      kind: "usage",
      message: "Several projects are called app",
      hint: expect.stringContaining("/home/me/other.app"),
    });
    await expect(loadProject("nothing", { base })).rejects.toMatchObject({ message: "There is no project nothing" });
  });

  it("leaves out a folder that it may not read, and says so", async () => {
    const closed = join(base, "closed");
    await mkdir(closed);
    await chmod(base, 0o755);
    await chmod(closed, 0);
    const { sessions, skipped } = await asOrdinaryUser(() => findSessions({ base }));
    await rm(closed, { recursive: true });
    expect(sessions.map(({ sessionId }) => sessionId)).toEqual(["s2", "s3", "s1"]);
    expect(skipped.map(({ code }) => code).toSorted()).toEqual(["EACCES", "ELOOP"]);
  });

  it("looks where Claude Code does", () => {
    expect(transcriptsHome({ HOME: "/home/me" })).toBe("/home/me/.claude/projects");
    expect(transcriptsHome({ HOME: "/home/me", CLAUDE_CONFIG_DIR: "/etc/claude" })).toBe("/etc/claude/projects");
  });
});

/** Root may read everything: for the time of a call it is nobody. */
async function asOrdinaryUser<Result>(work: () => Promise<Result>): Promise<Result> {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}
