import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { samplePrompt, startPromptBench } from "../../../test/support/prompt-bench.ts";
import type { Transition } from "../../trace/index.ts";
import { MarkdownSection } from "../template/markdown-section.ts";
import { PromptTemplate } from "../template/prompt-template.ts";
import { Prompt } from "../template/prompt.ts";
import { WorkspaceSection } from "../template/workspace-section.ts";
import type { ToolPolicy } from "../tools/tool-policy.ts";
import { ToolResult } from "../tools/tool-result.ts";
import { tool } from "../tools/tool.ts";
import type { AdapterOptions } from "./adapter-options.ts";

// A folder for temporary files of this test's own, so that what is left in it is known.
const temporary = await realpath(await mkdtemp(join(tmpdir(), "skein-test-")));
vi.stubEnv("TMPDIR", temporary);
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(temporary, { recursive: true });
});

/** What evaluations leave in the folder for temporary files. */
async function leftovers(): Promise<readonly string[]> {
  return (await readdir(temporary)).filter((name) => name.startsWith("skein-") && !name.startsWith("skein-agent-"));
}

/** All that a turn tells about itself. */
async function tellAll(transition: Transition) {
  const messages = await transition.newMessages();
  const session = await transition.sessionAfter();
  return {
    roles: [...new Set(messages.map(({ role }) => role))].toSorted(),
    tools: (await transition.toolExecutions()).map(({ tool: name, output, isError }) => ({
      name,
      isError,
      hasOutput: JSON.stringify(output)?.includes("a.txt"),
    })),
    changes: (await transition.filesChanged()).map(({ type, path }) => `${type} ${path}`),
    unheld: (await transition.unheldChanges()).map(({ path }) => path),
    hasPatch: (await transition.patch()).includes("+woven"),
    hasSession: session !== undefined && session.messages.length > 0,
  };
}

const write = { call: { tool: "Write", input: { file_path: "{{cwd}}/a.txt", content: "woven\n" } } };

describe("what is left of an evaluation", () => {
  it.each<[string, (places: { readonly cwd: string; readonly home: string }) => AdapterOptions]>([
    ["without a directory and a record", () => ({})],
    ["with a directory and a record", ({ cwd, home }) => ({ cwd, record: join(home, "record") })],
  ])("is all that its turn has to tell, %s", async (_, place) => {
    await using bench = await startPromptBench([write, { say: "Done." }]);
    const adapter = bench.adapter(place(bench.agent));
    const { transition } = await adapter.evaluate(samplePrompt(), { session: bench.session });
    expect(await tellAll(transition as Transition)).toEqual({
      roles: ["assistant", "user"],
      tools: [{ name: "Write", isError: false, hasOutput: true }],
      changes: ["created a.txt"],
      unheld: [],
      hasPatch: true,
      hasSession: true,
    });
    expect(JSON.parse(JSON.stringify(transition))).toMatchObject({ id: transition?.id, turn: 1 });
    expect(await leftovers()).toEqual([]);

    const again = await transition?.detach();
    expect(await again?.filesChanged()).toEqual(await transition?.filesChanged());
    const ofOne = again?.patch("a.txt");
    await expect(ofOne).rejects.toMatchObject({ kind: "state_not_found", target: "a.txt" });
  });

  it("has the calls that were denied, by a policy or a rule, in a turn that failed too", async () => {
    const look = tool({ name: "look", description: "Look", handler: () => ToolResult.ok("seen") });
    const never: ToolPolicy = {
      name: "never",
      check: ({ tool: name }) => (name === "look" ? { denied: "Nobody looks." } : undefined),
    };
    const script = [
      { call: { tool: "mcp__skein__look", input: {} } },
      { call: { tool: "Bash", input: { command: "rm -rf x" } } },
      { call: { tool: "Read", input: { nonsense: 1 } } },
    ];
    const options = { disallowedTools: ["Bash(rm:*)"] };
    await using bench = await startPromptBench([...script, { say: "Done." }]);
    const prompt = samplePrompt({ tools: [look], policies: [never] });
    const response = await bench.adapter({ options }).evaluate(prompt, { session: bench.session });
    expect(response.denials).toMatchObject([
      { tool: "look", isBridged: true, input: {}, reason: "Nobody looks." },
      { tool: "Bash", isBridged: false, input: { command: "rm -rf x" }, reason: expect.stringContaining("denied") },
    ]);
    const told = bench.events.flatMap((event) => (event.type === "tool-invoked" && event.isDenied ? [event] : []));
    expect(response.denials.map(({ callId }) => callId)).toEqual(told.map(({ callId }) => callId));
    expect(response.transition?.execution.tools.map(({ isDenied }) => isDenied)).toEqual([true, true, false]);
    // Arguments that do not fit are a failure, and nobody's denial.
    expect(bench.calls()).toEqual(["look denied", "Bash denied", "Read failed"]);

    await using failing = await startPromptBench([...script, { fail: { type: "http", status: 400 } }]);
    const failed = failing.adapter({ options }).evaluate(prompt, { session: failing.session });
    await expect(failed).rejects.toMatchObject({
      name: "EvaluationError",
      denials: [{ tool: "look" }, { tool: "Bash" }],
    });
  });
});

describe("a workspace section that evaluations share", () => {
  /** A prompt whose agent waits in its directory until it is let go, and then reads what is there. */
  async function shared(bench: Awaited<ReturnType<typeof startPromptBench>>, wait: () => Promise<void>) {
    const host = await mkdtemp(join(bench.agent.cwd, "host-"));
    await writeFile(join(host, "a.txt"), "from the host\n");
    const hold = tool({
      name: "hold",
      description: "Wait",
      async handler(_, { workspace }) {
        paths.push(workspace?.path ?? "");
        await wait();
        return ToolResult.ok("held");
      },
    });
    const paths: string[] = [];
    const section = new WorkspaceSection({ mounts: [{ hostPath: host, mountPath: "notes" }] });
    const task = new MarkdownSection({ title: "Task", key: "task", template: "Read.", tools: [hold] });
    const template = new PromptTemplate({ ns: "test", key: "mounted", sections: [task, section] });
    return { section, paths, prompt: new Prompt(template) };
  }

  const script = [
    { call: { tool: "mcp__skein__hold", input: {} } },
    { call: { tool: "Write", input: { file_path: "{{cwd}}/mine.txt", content: "woven\n" } } },
    { call: { tool: "Read", input: { file_path: "{{cwd}}/notes/a.txt" } } },
    { say: "{{result}}" },
  ];

  it("gives each a copy of its own, which the quicker does not take from the slower", async () => {
    await using bench = await startPromptBench(script);
    const slow = new AbortController();
    const { section, paths, prompt } = await shared(bench, async () => {
      if (paths.length === 1) await once(slow.signal, "abort");
    });
    const evaluate = async () => await bench.adapter().evaluate(prompt, { session: bench.session });
    const slower = evaluate();
    await vi.waitFor(() => expect(paths).toHaveLength(1), { timeout: 30_000 });
    const quicker = await evaluate();
    expect(paths).toHaveLength(2);
    expect(paths.map((path) => existsSync(path))).toEqual([true, false]);
    slow.abort();
    for (const response of [quicker, await slower]) {
      expect(response.text).toContain("from the host");
      expect(response.transition?.execution.tools.map(({ isError }) => isError)).toEqual([false, false, false]);
      expect((await response.transition?.filesChanged())?.map(({ path }) => path)).toEqual(["mine.txt"]);
    }
    // Each prompt told of its own copy.
    expect(JSON.stringify(bench.agent.requests[0])).toContain("notes/ (1 files, 14 bytes)");
    expect(section.isOpen).toBe(false);
    expect(await leftovers()).toEqual([]);
  });

  it("is its owner's where the owner has opened it: one at a time, and it stays", async () => {
    await using bench = await startPromptBench(script);
    const slow = new AbortController();
    const { section, paths, prompt } = await shared(bench, async () => {
      if (!slow.signal.aborted) await once(slow.signal, "abort");
    });
    await section.open();
    const first = bench.adapter().evaluate(prompt, { session: bench.session });
    await vi.waitFor(() => expect(paths).toEqual([section.path]), { timeout: 30_000 });
    const second = bench.adapter().evaluate(prompt, { session: bench.session });
    await expect(second).rejects.toMatchObject({ kind: "workspace_busy", target: section.path });
    slow.abort();
    expect((await first).text).toContain("from the host");
    expect(existsSync(join(section.path, "mine.txt"))).toBe(true);
    expect((await bench.adapter().evaluate(prompt, { session: bench.session })).text).toContain("from the host");
    await section.cleanup();
    expect(await leftovers()).toEqual([]);
  });
});
