import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { samplePrompt, startPromptBench } from "../../../test/support/prompt-bench.ts";
import type { ToolInvoked } from "../session/prompt-events.ts";
import { stayInside, readBeforeWrite, sequentialDependency } from "./policies.ts";
import type { ToolOutcome, ToolPolicy } from "./tool-policy.ts";
import { ToolResult } from "./tool-result.ts";
import { tool } from "./tool.ts";

const deploy = tool({ name: "deploy", description: "Deploy", handler: () => ToolResult.ok("deployed") });
const test = tool({ name: "test", description: "Test", handler: () => ToolResult.ok("tested") });
const save = tool({
  name: "save",
  description: "Save a file",
  params: z.object({ path: z.string() }),
  handler: () => ToolResult.ok("saved"),
});

const call = (name: string, input: object = {}) => ({ call: { tool: name, input: { ...input } } });
const write = (path: string) => call("Write", { file_path: path, content: "new" });

describe("policies", () => {
  it("hold for native tools: what is there is read before it is written", async () => {
    await using bench = await startPromptBench([
      write("{{cwd}}/there.txt"),
      call("Read", { file_path: "{{cwd}}/there.txt" }),
      write("{{cwd}}/there.txt"),
      write("{{cwd}}/other.txt"),
      { say: "Done." },
    ]);
    await writeFile(join(bench.agent.cwd, "there.txt"), "old");
    const adapter = bench.adapter({ cwd: bench.agent.cwd, record: bench.agent.home });
    const response = await adapter.evaluate(samplePrompt({ policies: [readBeforeWrite()] }), {
      session: bench.session,
    });
    expect(bench.calls()).toEqual(["Write denied", "Read ok", "Write ok", "Write ok"]);
    expect(await readFile(join(bench.agent.cwd, "there.txt"), "utf8")).toBe("new");
    const denied = bench.events.find((event): event is ToolInvoked => event.type === "tool-invoked");
    expect(denied?.output).toContain("there.txt was not read yet");
    expect(response.transition?.execution.permissionDenials).toMatchObject([{ tool: "Write" }]);
  });

  it("hold for bridged tools: one after the other, and files inside", async () => {
    await using bench = await startPromptBench([
      call("mcp__skein__deploy"),
      call("mcp__skein__test"),
      call("mcp__skein__deploy"),
      call("mcp__skein__save", { path: "../outside.txt" }),
      call("mcp__skein__save", { path: "inside.txt" }),
      write("{{cwd}}/../outside.txt"),
      { say: "Done." },
    ]);
    const policies = [sequentialDependency({ deploy: ["test"] }), stayInside({ paths: { save: "path" } })];
    const adapter = bench.adapter({ cwd: bench.agent.cwd, record: bench.agent.home, policies });
    await adapter.evaluate(samplePrompt({ tools: [deploy, test, save] }), { session: bench.session });
    expect(bench.calls()).toEqual(["deploy denied", "test ok", "deploy ok", "save denied", "save ok", "Write denied"]);
    expect(existsSync(join(bench.agent.cwd, "../outside.txt"))).toBe(false);
    const outputs = bench.events.flatMap((event) => (event.type === "tool-invoked" ? [event.output] : []));
    expect(outputs[0]).toBe("deploy needs test to be called first.");
    expect(outputs[3]).toMatch(/^save was denied: .*outside\.txt is outside of/u);
  });

  it("are told of every call that ran, and deny when they fail themselves", async () => {
    await using bench = await startPromptBench([
      call("mcp__skein__test"),
      call("mcp__skein__deploy"),
      { say: "Done." },
    ]);
    const noted: [string, ToolOutcome][] = [];
    const policy: ToolPolicy = {
      name: "watch",
      check({ tool: name }) {
        if (name === "deploy") throw new Error("broken");
        return undefined;
      },
      noted: ({ tool: name }, { isError, output }) => void noted.push([name, { isError, output }]),
    };
    await bench
      .adapter()
      .evaluate(samplePrompt({ tools: [deploy, test], policies: [policy] }), { session: bench.session });
    expect(bench.calls()).toEqual(["test ok", "deploy denied"]);
    expect(noted).toEqual([["test", { isError: false, output: "tested" }]]);
  });

  it("refuse tools that would wait for each other", () => {
    expect(() => sequentialDependency({ a: ["b"], b: ["c"], c: ["a"] })).toThrow(
      expect.objectContaining({ kind: "usage" }),
    );
  });
});
