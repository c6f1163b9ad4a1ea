import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runSkein, temporaryDirectory } from "./support/skein.ts";
import { tracedWorkspace } from "./support/traced-workspace.ts";

const SLOW = { timeout: 240_000 } as const;
const ID = "11111111-1111-4111-8111-111111111111";

/** Clears the screen, sets a title, hides what follows, turns the text around, and begins a heading and a link. */
const EVIL = "e\u001b[2J\u001b]0;t\u0007\u001b[8m\u009b2J\r\u202e# [x](y)vil";
/** What steers a terminal or turns text around; line ends and tabs do not. */
const STEERS = /(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u;

/** The same, where it goes into the name of a file. */
const EVIL_NAME = EVIL.replaceAll("/", "");

async function evilTranscripts(): Promise<string> {
  const home = await temporaryDirectory();
  const folder = join(home, "projects", "-evil");
  await mkdir(folder, { recursive: true });
  const base = { sessionId: ID, cwd: `/${EVIL}`, version: EVIL, gitBranch: EVIL, isSidechain: false };
  const at = (minute: number): object => ({
    timestamp: new Date(Date.UTC(2026, 10, 15, 6, minute)).toISOString(),
    uuid: `u${minute}`,
    parentUuid: minute === 0 ? null : `u${minute - 1}`,
  });
  const usage = { input_tokens: 10, output_tokens: 20, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
  const call = { type: "tool_use", id: "t1", name: EVIL, input: { command: EVIL } };
  const answer = { role: "assistant", model: EVIL, usage, stop_reason: "end_turn" };
  const lines = [
    { ...base, ...at(0), type: "user", message: { role: "user", content: `needle ${EVIL}` } },
    { ...base, ...at(1), type: "assistant", message: { ...answer, id: "m1", content: [call] } },
    {
      ...base,
      ...at(2),
      type: "user",
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: EVIL, is_error: true }] },
    },
    { ...base, ...at(3), type: "assistant", message: { ...answer, id: "m2", content: [{ type: "text", text: EVIL }] } },
    { type: "ai-title", sessionId: ID, aiTitle: EVIL },
  ];
  await writeFile(join(folder, `${ID}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return home;
}

describe("what commands print", () => {
  it("of transcripts steers no terminal", SLOW, async () => {
    const flags = ["--claude-home", await evilTranscripts()];
    const by = ["model", "tool", "project", "session", "day"].map((name) => ["stats", "--by", name]);
    const formats = ["text", "md", "html"].map((name) => ["session", ID, "--format", name]);
    for (const args of [["sessions"], ["search", "needle"], ...by, ...formats]) {
      const { code, stdout, stderr } = await runSkein([...args, ...flags]);
      expect([args, code, stderr]).toEqual([args, 0, ""]);
      expect([args, STEERS.exec(stdout)]).toEqual([args, null]);
      expect(stdout).toContain("vil");
    }
  });

  it("of states, files, prompts and errors steers no terminal", SLOW, async () => {
    const workspace = await tracedWorkspace();
    await writeFile(join(workspace.cwd, EVIL_NAME), "one");
    await workspace.turn(`${EVIL} Bash {"command":"true"}`, "--allowed-tools", EVIL);
    await writeFile(join(workspace.cwd, EVIL_NAME), `two ${EVIL}`);
    await workspace.turn(`Bash ${JSON.stringify({ command: `touch new; echo '${EVIL}' >&2; false` })}`, "--continue");
    const formats = ["text", "dot", "mermaid"].map((name) => ["tree", "--format", name]);
    const good = [
      ["log"],
      ["status"],
      ["show", "@"],
      ["show", "@~1"],
      ["diff", "@~1"],
      ["diff", "@~1", "--stat"],
      ["compare", "@~1", "@"],
      ["list-sessions"],
      ["verify"],
      ["recover"],
      ...formats,
      ["run", EVIL, "--offline", "direct"],
      ["restore", "@~1"],
      ["undo"],
      ["doctor"],
    ];
    for (const args of good) {
      const { stdout, stderr } = await workspace.skein(...args);
      expect([args, STEERS.exec(stdout + stderr)]).toEqual([args, null]);
      expect([args, stderr.includes("is not a command")]).toEqual([args, false]);
    }
    for (const args of [
      ["show"],
      ["restore"],
      ["load"],
      ["pull"],
      ["checkpoint"],
      ["session"],
      ["run", "x", "--cwd"],
      [""],
    ]) {
      const { code, stdout, stderr } = await workspace.skein(...args, EVIL);
      expect([args, code === 0, STEERS.exec(stdout + stderr)]).toEqual([args, false, null]);
    }
  });

  it("of a patch is the patch where a program reads it", SLOW, async () => {
    const workspace = await tracedWorkspace();
    await writeFile(join(workspace.cwd, "a.txt"), "one\n");
    await workspace.skein("checkpoint", "before");
    await writeFile(join(workspace.cwd, "a.txt"), "two\u001b[2J\n");
    expect((await workspace.skein("diff", "before", "--patch")).stdout).toContain("+two\u001b[2J\n");
  });
});
