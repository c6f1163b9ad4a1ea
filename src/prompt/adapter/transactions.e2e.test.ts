import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { samplePrompt, startPromptBench, type PromptBench } from "../../../test/support/prompt-bench.ts";
import { Workspace } from "../../workspace/index.ts";
import { append } from "../session/reducers.ts";
import { defineSlice } from "../session/slice.ts";
import { ToolResult } from "../tools/tool-result.ts";
import { tool } from "../tools/tool.ts";

const notes = defineSlice({ name: "notes", schema: z.object({ text: z.string() }) });
const heard = defineSlice({
  name: "heard",
  policy: "log",
  schema: z.object({ name: z.string() }),
  on: { "tool-invoked": append(({ name }) => ({ name })) },
});

/** Writes a file and a note, then does as it is told; a transaction. */
const book = tool({
  name: "book",
  description: "Write down",
  params: z.object({ file: z.string(), fails: z.boolean() }),
  isTransaction: true,
  async handler({ file, fails }, { session, workspace }) {
    await writeFile(join(workspace?.path ?? "", file), "written");
    session.slice(notes).append({ text: file });
    return fails ? ToolResult.error("It failed.") : ToolResult.ok("Written.");
  },
});

const bash = (command: string, more: object = {}) => ({ call: { tool: "Bash", input: { command, ...more } } });

/** A directory with a file, and with ignored ones. */
async function openWorkspace({ agent }: PromptBench): Promise<Workspace> {
  await writeFile(join(agent.cwd, "kept.txt"), "before");
  await writeFile(join(agent.cwd, ".gitignore"), ".env\nnode_modules\n");
  await writeFile(join(agent.cwd, ".env"), "secret");
  await mkdir(join(agent.cwd, "node_modules"));
  await writeFile(join(agent.cwd, "node_modules/a.js"), "a");
  return await Workspace.open(agent.cwd, { home: agent.home });
}

describe("a transaction", () => {
  it("takes back the files of a native call that failed, and leaves ignored ones", async () => {
    await using bench = await startPromptBench(
      [
        bash("echo ok > good.txt"),
        bash(
          "echo bad > kept.txt; mkdir -p sub; echo bad > sub/made.txt; rm good.txt; echo b > node_modules/b.js; exit 3",
        ),
        { say: "Done." },
      ],
      { allowedTools: ["Bash"] },
    );
    await using workspace = await openWorkspace(bench);
    const adapter = bench.adapter({ workspace, transactions: true });
    const { transition } = await adapter.evaluate(samplePrompt(), { session: bench.session });
    expect(bench.calls()).toEqual(["Bash ok", "Bash failed"]);
    const read = async (path: string): Promise<string> => await readFile(join(workspace.path, path), "utf8");
    expect(await read("kept.txt")).toBe("before");
    expect(await read("good.txt")).toBe("ok\n");
    expect(existsSync(join(workspace.path, "sub"))).toBe(false);
    expect([await read(".env"), await read("node_modules/a.js"), await read("node_modules/b.js")]).toEqual([
      "secret",
      "a",
      "b\n",
    ]);
    expect((await transition?.filesChanged())?.map(({ path }) => path)).toEqual(["good.txt"]);
  });

  it("is not one where nobody asked for it", async () => {
    await using bench = await startPromptBench([bash("echo bad > kept.txt; exit 3"), { say: "Done." }], {
      allowedTools: ["Bash"],
    });
    await using workspace = await openWorkspace(bench);
    await bench.adapter({ workspace }).evaluate(samplePrompt(), { session: bench.session });
    expect(await readFile(join(workspace.path, "kept.txt"), "utf8")).toBe("bad\n");
  });

  it("does not take what is written to standard error for a failure", async () => {
    await using bench = await startPromptBench([bash("echo warning >&2; echo new > kept.txt"), { say: "Done." }], {
      allowedTools: ["Bash"],
    });
    await using workspace = await openWorkspace(bench);
    await bench.adapter({ workspace, transactions: true }).evaluate(samplePrompt(), { session: bench.session });
    expect(bench.calls()).toEqual(["Bash ok"]);
    expect(await readFile(join(workspace.path, "kept.txt"), "utf8")).toBe("new\n");
  });

  it("takes back files and state of a bridged call, keeps logs, and the work of others beside it", async () => {
    const call = (file: string, fails: boolean) => ({ tool: "mcp__skein__book", input: { file, fails } });
    await using bench = await startPromptBench([
      {
        call: [
          call("first.txt", false),
          call("bad.txt", true),
          { tool: "Write", input: { file_path: "{{cwd}}/beside.txt", content: "beside" } },
          call("last.txt", false),
        ],
      },
      { say: "Done." },
    ]);
    await using workspace = await openWorkspace(bench);
    const { session } = bench;
    session.slice(heard);
    await bench.adapter({ workspace }).evaluate(samplePrompt({ tools: [book] }), { session });
    expect(bench.calls().toSorted()).toEqual(["Write ok", "book failed", "book ok", "book ok"]);
    const there = ["first.txt", "bad.txt", "beside.txt", "last.txt"].filter((name) =>
      existsSync(join(workspace.path, name)),
    );
    expect(there).toEqual(["first.txt", "beside.txt", "last.txt"]);
    expect(session.slice(notes).all).toEqual([{ text: "first.txt" }, { text: "last.txt" }]);
    expect(session.slice(heard).all).toHaveLength(4);
  });

  it("keeps what another sub-agent does at the same time", async () => {
    const agent = (name: string) => ({
      tool: "Agent",
      input: {
        description: name,
        prompt: `be the ${name}`,
        subagent_type: "general-purpose",
        run_in_background: false,
      },
    });
    const failing = bash("echo bad > bad.txt; echo bad > kept.txt; exit 3");
    const writing = (index: number) => ({
      call: { tool: "Write", input: { file_path: `{{cwd}}/made-${index}.txt`, content: "made" } },
    });
    await using bench = await startPromptBench(
      {
        rules: [
          { when: { subagent: true, prompt: "failing" }, steps: [failing, failing, failing, { say: "Failed." }] },
          {
            when: { subagent: true, prompt: "writing" },
            steps: [writing(1), writing(2), writing(3), { say: "Wrote." }],
          },
          { steps: [{ call: [agent("failing"), agent("writing")] }, { say: "Done." }] },
        ],
      },
      { allowedTools: ["Bash"] },
    );
    await using workspace = await openWorkspace(bench);
    await bench.adapter({ workspace, transactions: true }).evaluate(samplePrompt(), { session: bench.session });
    const count = (call: string): number => bench.calls().filter((one) => one === call).length;
    expect([count("Bash failed"), count("Write ok"), count("Agent ok")]).toEqual([3, 3, 2]);
    const made = [1, 2, 3].map((index) => existsSync(join(workspace.path, `made-${index}.txt`)));
    expect(made).toEqual([true, true, true]);
    expect(existsSync(join(workspace.path, "bad.txt"))).toBe(false);
    expect(await readFile(join(workspace.path, "kept.txt"), "utf8")).toBe("before");
  });

  it("leaves the files alone once a command works in the background: it could be that one's", async () => {
    await using bench = await startPromptBench(
      [
        bash("until test -e stop; do date > tick.txt; done", { run_in_background: true }),
        bash("echo bad > kept.txt; exit 3"),
        bash("touch stop"),
        { say: "Done." },
      ],
      { allowedTools: ["Bash"] },
    );
    await using workspace = await openWorkspace(bench);
    await bench.adapter({ workspace, transactions: true }).evaluate(samplePrompt(), { session: bench.session });
    expect(await readFile(join(workspace.path, "kept.txt"), "utf8")).toBe("bad\n");
    expect(existsSync(join(workspace.path, "tick.txt"))).toBe(true);
  });

  it("is taken back when the evaluation is cancelled in the middle of it, before the turn is recorded", async () => {
    await using bench = await startPromptBench([{ call: { tool: "mcp__skein__hang", input: {} } }, { say: "Never." }]);
    await using workspace = await openWorkspace(bench);
    const stop = new AbortController();
    const hang = tool({
      name: "hang",
      description: "Hang",
      isTransaction: true,
      async handler(_, { session }) {
        await writeFile(join(workspace.path, "half.txt"), "half");
        session.slice(notes).append({ text: "half" });
        stop.abort();
        return await new Promise<never>(() => undefined);
      },
    });
    const running = bench
      .adapter({ workspace })
      .evaluate(samplePrompt({ tools: [hang] }), { session: bench.session, signal: stop.signal });
    await expect(running).rejects.toMatchObject({ name: "EvaluationError", kind: "cancelled" });
    expect(existsSync(join(workspace.path, "half.txt"))).toBe(false);
    expect(bench.session.slice(notes).all).toEqual([]);
    expect(bench.calls()).toEqual(["hang failed"]);
    const snapshot = await workspace.snapshot();
    expect(await workspace.diff("@", snapshot.id)).toEqual([]);
  });
});
