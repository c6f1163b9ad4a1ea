import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { equippedFolder } from "./support/equipped-folder.ts";
import { tracedWorkspace } from "./support/traced-workspace.ts";

const SLOW = { timeout: 120_000 } as const;

describe("exec-tool", () => {
  it("runs a tool for real and records it, under any spelling of its name", SLOW, async () => {
    const { cwd, data, hooked } = await equippedFolder();
    const payload = { file_path: "{{cwd}}/made.txt", content: "made" };
    const made = await data("exec-tool", "wRITE", JSON.stringify(payload));
    expect(made).toMatchObject({ handled: true, name: "Write", payload, source: "native", is_error: false });
    expect(made).toMatchObject({
      files: { created: ["made.txt"] },
      state_id: expect.stringMatching(/^[0-9a-f]{40}$/u),
    });
    expect(existsSync(hooked)).toBe(true);
    await data("undo");
    expect(await readdir(cwd)).not.toContain("made.txt");
  });

  it("runs a tool of a server, and tells a tool's own failure as its result", SLOW, async () => {
    const { data } = await equippedFolder();
    const allow = ["--allowed-tools", "mcp__shop__buy", "Bash"];
    expect(await data("exec-tool", "mcp__SHOP__buy", '{"what":"tea"}', ...allow)).toMatchObject({
      name: "mcp__shop__buy",
      source: "mcp",
      server: "shop",
      output: "buy tea",
      content: [{ type: "text", text: "buy tea" }],
      is_error: false,
    });
    expect(await data("exec-tool", "Bash", '{"command":"echo out; exit 3"}', ...allow)).toMatchObject({
      is_error: true,
      output: expect.stringContaining("out"),
      content: null,
    });
  });

  it("says policy where a rule denies the call or the tool, or nobody allows it", SLOW, async () => {
    const { error } = await equippedFolder();
    expect(await error("exec-tool", "Bash", '{"command":"rm -rf x"}', "--allowed-tools", "Bash")).toMatchObject({
      kind: "policy",
      target: "Bash",
      name: "Bash",
      handled: false,
      turn: { state_id: expect.any(String) },
    });
    expect(await error("exec-tool", "webfetch", "{}")).toMatchObject({ kind: "policy", target: "WebFetch" });
    expect(await error("exec-tool", "mcp__shop__buy", '{"what":"tea"}')).toMatchObject({ kind: "policy" });
  });

  it("changes and records nothing where it cannot begin", SLOW, async () => {
    const { cwd, data, error } = await tracedWorkspace();
    expect(await error("exec-tool", "Bash", "ls")).toMatchObject({ kind: "parse", target: "payload" });
    expect(await error("exec-tool", "NoSuchTool", "{}")).toMatchObject({
      kind: "tool_not_found",
      target: "NoSuchTool",
    });
    expect(await error("exec-tool", "Bash", "{}", "--timeout", "0")).toMatchObject({ kind: "usage" });
    expect(await readdir(cwd)).toEqual([]);
    expect(await data("log")).toMatchObject({ totals: { states: 0 } });
  });

  it("ends with 2 where it takes too long", SLOW, async () => {
    const { skein } = await tracedWorkspace();
    const call = ["exec-tool", "Bash", '{"command":"tail -f /dev/null"}', "--allowed-tools", "Bash", "--timeout", "1"];
    const { code, stdout } = await skein(...call, "--output-format", "json");
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ exit_code: 2, error: { kind: "timeout" } });
  });
});

describe("exec-command", () => {
  it("has the CLI run a command of the folder, and records the turn", SLOW, async () => {
    const { data } = await equippedFolder();
    expect(await data("exec-command", "/HELLO", "Ada", "--offline", "direct")).toMatchObject({
      handled: true,
      name: "hello",
      prompt: "/hello Ada",
      source: "project",
      text: "Say hello to Ada",
    });
    expect(await data("log")).toMatchObject({ totals: { turns: 1 }, states: [{ turn: { prompt: "/hello Ada" } }] });
  });

  it("needs a key where it is not offline, and a command that is there", SLOW, async () => {
    const { error, data } = await tracedWorkspace();
    expect(await error("exec-command", "compact")).toMatchObject({ kind: "auth" });
    expect(await error("exec-command", "hello", "--offline")).toMatchObject({ kind: "command_not_found" });
    expect(await data("log")).toMatchObject({ totals: { turns: 0 } });
  });
});

describe("lists and reports", () => {
  it("are tables for people, and Markdown", SLOW, async () => {
    const { skein } = await equippedFolder();
    const text = async (...args: readonly string[]): Promise<string> => (await skein(...args)).stdout;
    expect(await text("commands", "--query", "greets")).toMatch(
      /^Command entries: 1 of \d+\n\n +Name +Source +Does\n +hello +project +Greets somebody\n$/u,
    );
    expect(await text("route", "buy things from the shop")).toMatch(
      /^tool\tmcp__shop__buy\t0\.\d{4}\tmcp\tbuy in name/u,
    );
    expect(await text("summary")).toMatch(/^# Summary of .*\n[^]*\| mcp servers \| 1 \|\n/u);
    expect(await text("subsystems", "--limit", "1")).toMatch(/^# Subsystems \(\d+\)\n[^]*\| cli \|/u);
    expect(await text("manifest")).toMatch(/^# skein \d+\.\d+\.\d+\n[^]*\| zod \|/u);
  });
});
