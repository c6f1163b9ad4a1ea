import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { samplePrompt, startPromptBench } from "../../../test/support/prompt-bench.ts";
import { defined } from "../../core/internal.ts";
import { PromptSession } from "../session/prompt-session.ts";
import { command, composite, fileOutput, type CompletionChecker } from "./completion-checker.ts";

const write = (name: string) => ({ call: { tool: "Write", input: { file_path: `{{cwd}}/${name}`, content: "x" } } });
const context = { session: new PromptSession(), path: "/", signal: new AbortController().signal };
const yes: CompletionChecker = { check: () => ({ complete: true }) };
const no = (feedback?: string): CompletionChecker => ({
  check: () => ({ complete: false, ...defined({ feedback }) }),
});

describe("completion checkers", () => {
  it("send the agent back until the files are there", async () => {
    await using bench = await startPromptBench([
      { say: "Done." },
      { end: "end_turn" },
      write("report.md"),
      { say: "Really." },
    ]);
    const prompt = samplePrompt({ checkers: [fileOutput(["report.md"])] });
    const adapter = bench.adapter({ cwd: bench.agent.cwd, record: bench.agent.home });
    const response = await adapter.evaluate(prompt, { session: bench.session });
    expect(response).toMatchObject({ isComplete: true });
    expect(response.feedback).toBeUndefined();
    expect(bench.calls()).toEqual(["Write ok"]);
    expect(JSON.stringify(bench.agent.requests.at(-1)?.messages)).toContain("These files are missing: report.md.");
  });

  it("give up after so many rounds, and say what was missing", async () => {
    await using bench = await startPromptBench([{ say: "Done." }]);
    const prompt = samplePrompt({ checkers: [command("echo 1 of 3 failed; exit 1")] });
    const response = await bench.adapter({ maxRounds: 2 }).evaluate(prompt, { session: bench.session });
    expect(response).toMatchObject({
      text: "Done.",
      isComplete: false,
      feedback: "`echo 1 of 3 failed; exit 1` failed with exit code 1.\n1 of 3 failed",
    });
    expect(bench.agent.requests).toHaveLength(3);
  });

  it("are asked before an answer in a shape is taken", async () => {
    const Answer = z.object({ number: z.number() });
    await using bench = await startPromptBench([
      { output: { number: 1 } },
      write("done.txt"),
      { output: { number: 2 } },
    ]);
    const prompt = samplePrompt({ output: Answer, checkers: [fileOutput(["done.txt"])] });
    const response = await bench.adapter().evaluate(prompt, { session: bench.session });
    expect(response).toMatchObject({ output: { number: 2 }, isComplete: true });
    expect(bench.calls()).toEqual(["StructuredOutput denied", "Write ok", "StructuredOutput ok"]);
  });

  it("are not asked when nothing is left to go on with", async () => {
    await using bench = await startPromptBench([{ say: "Done." }]);
    const prompt = samplePrompt({ checkers: [no("never")] });
    const response = await bench.adapter().evaluate(prompt, { session: bench.session, budget: { maxOutputTokens: 1 } });
    expect(response).toMatchObject({ text: "Done.", output: undefined });
    expect(response.isComplete).toBeUndefined();
    expect(bench.agent.requests).toHaveLength(1);
  });

  it("that throw count as not done", async () => {
    await using bench = await startPromptBench([{ say: "Done." }]);
    const broken: CompletionChecker = { check: () => Promise.reject(new Error("no network")) };
    const response = await bench
      .adapter({ maxRounds: 0 })
      .evaluate(samplePrompt({ checkers: [broken] }), { session: bench.session });
    expect(response).toMatchObject({ isComplete: false, feedback: expect.stringContaining("no network") });
  });

  it("can be put together: all of them, or one", async () => {
    expect(await composite([yes, no("a"), no("b")]).check(context)).toEqual({ complete: false, feedback: "a\nb" });
    expect(await composite([yes, yes]).check(context)).toEqual({ complete: true });
    expect(await composite([no("a"), yes], { allMustPass: false }).check(context)).toEqual({ complete: true });
    expect(await composite([no("a"), no()], { allMustPass: false }).check(context)).toEqual({
      complete: false,
      feedback: "a",
    });
  });

  it("name at most three missing files", async () => {
    const missing = ["a", "b", "c", "d", "e"].map((name) => `missing/${name}`);
    expect(await fileOutput(missing).check(context)).toEqual({
      complete: false,
      feedback: "These files are missing: missing/a, missing/b, missing/c and 2 more.",
    });
  });

  it("by command leave no process behind, and are told when they take too long or are cancelled", async () => {
    await using bench = await startPromptBench([{ say: "Done." }]);
    const path = bench.agent.cwd;
    const slow = command("sleep 600 & sleep 600; touch never", { timeoutMs: 50 });
    expect(await slow.check({ ...context, path })).toEqual({
      complete: false,
      feedback: "`sleep 600 & sleep 600; touch never` took too long.",
    });
    const stop = new AbortController();
    const cancelled = command("touch begun; sleep 600").check({ ...context, path, signal: stop.signal });
    await expect.poll(() => existsSync(join(path, "begun"))).toBe(true);
    stop.abort(new Error("enough"));
    await expect(cancelled).rejects.toThrow("enough");
  });

  it("refuse to check nothing", () => {
    expect(() => fileOutput([])).toThrow(expect.objectContaining({ kind: "usage" }));
    expect(() => composite([])).toThrow(expect.objectContaining({ kind: "usage" }));
    expect(() => command(" ")).toThrow(expect.objectContaining({ kind: "usage" }));
  });
});
