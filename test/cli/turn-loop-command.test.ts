import { readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { turnLoop } from "../../src/cli/commands/programs/turn-loop.ts";
import type { bootstrapGraph } from "../../src/cli/commands/programs/bootstrap.ts";
import { createId } from "../../src/core/internal.ts";
import { bash } from "../support/direct-script.ts";
import { expectNoProcessWith } from "./support/marked-processes.ts";
import { readEnvelope, startSkein } from "./support/skein.ts";
import { tracedWorkspace } from "./support/traced-workspace.ts";

const SLOW = { timeout: 120_000 } as const;

describe("skein turn-loop", () => {
  const OFFLINE = ["--offline", "direct", "--allowed-tools", "Bash"];
  const FIELDS = Object.keys(turnLoop.data.shape);

  it("tells in an error what it tells of success, and ends with 2 when the time is over", SLOW, async () => {
    const workspace = await tracedWorkspace();
    const error = await workspace.error("turn-loop", bash("touch never"), ...OFFLINE, "--timeout", "0");
    expect(Object.keys(error).filter((key) => FIELDS.includes(key))).toEqual(FIELDS);
    expect(error).toMatchObject({
      kind: "timeout",
      retryable: false,
      message: "The turns took longer than 0 s",
      hint: "Nothing was changed; you can run it again.",
      conversation_id: null,
      turns_completed: 0,
      turns: [{ stop_reason: "timeout", cancel_observed: false, safe_to_reuse_session: true }],
      final_stop_reason: "timeout",
    });
    const { code } = await workspace.skein("turn-loop", bash("touch never"), ...OFFLINE, "--timeout", "0");
    expect([code, await readdir(workspace.cwd)]).toEqual([2, []]);
    expect(await workspace.data("list-sessions")).toMatchObject({ sessions: [], count: 0 });
  });

  it(
    "ends with 2 and no process left when the time is over inside a tool, and goes on with --continue",
    SLOW,
    async () => {
      const workspace = await tracedWorkspace();
      const mark = createId();
      const endless = bash(`node -e 'setInterval(() => {}, 1000)' ${mark}`);
      const args = ["turn-loop", "say one", "--continuation-prompt", endless, ...OFFLINE, "--timeout", "8"];
      const error = await workspace.error(...args);
      expect(error).toMatchObject({
        kind: "timeout",
        final_stop_reason: "timeout",
        final_cancel_observed: true,
        safe_to_reuse_session: true,
        hint: "Continue the session with --continue",
      });
      await expectNoProcessWith(mark);
      const next = await workspace.turn("say two", "--continue");
      expect(next.conversation_id).toBe(error["conversation_id"]);
    },
  );

  it("is stopped by Ctrl-C inside a tool, and says that the agent has stopped", SLOW, async () => {
    const mark = createId();
    const endless = bash(`node -e 'setInterval(() => {}, 1000)' ${mark}`);
    const args = ["turn-loop", endless, "--continuation-prompt", "say never", ...OFFLINE];
    const { child, printed, finished } = await startSkein([...args, "--output-format", "stream-json"]);
    await printed('"type":"tool-start"');
    child.kill("SIGINT");
    const { code, stdout } = await finished;
    expect(code).toBe(1);
    expect(readEnvelope(stdout.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
      exit_code: 1,
      error: {
        kind: "cancelled",
        final_stop_reason: "cancelled",
        final_cancel_observed: true,
        turns: [{ cancel_observed: true, safe_to_reuse_session: true }],
      },
    });
    await expectNoProcessWith(mark);
  });

  it("succeeds where its budget or its turns are used up, and where there is none to run", SLOW, async () => {
    const { data } = await tracedWorkspace();
    const go = ["--continuation-prompt", "say more", ...OFFLINE];
    expect(await data("turn-loop", "say one", ...go, "--max-cost-usd", "0.0001")).toMatchObject({
      final_stop_reason: "max_budget_reached",
      safe_to_reuse_session: true,
    });
    expect(await data("turn-loop", "say one", ...go, "--max-turns", "2")).toMatchObject({
      turns_completed: 2,
      turns: [{ stop_reason: "completed" }, { stop_reason: "completed" }],
      final_stop_reason: "max_turns_reached",
    });
    expect(await data("turn-loop", "say one", ...go, "--max-turns", "0")).toMatchObject({
      turns: [],
      turns_completed: 0,
      conversation_id: null,
      final_stop_reason: null,
      final_cancel_observed: false,
    });
  });

  it("compacts the session between turns where it is told to, and says what its context held", SLOW, async () => {
    const workspace = await tracedWorkspace();
    const go = ["--continuation-prompt", "say more", ...OFFLINE, "--max-turns", "2", "--compact-after-turns", "1"];
    const { turns, turns_completed } = await workspace.data("turn-loop", `say ${"word ".repeat(500)}`, ...go);
    expect(turns_completed).toBe(2);
    expect(turns).toMatchObject([
      { compaction: null, stop_reason: "completed" },
      {
        prompt: "/compact",
        compaction: { tokens_before: expect.any(Number), tokens_after: expect.any(Number) },
        stop_reason: "completed",
        state_id: expect.any(String),
        matched_tools: [],
      },
      { compaction: null, output: "more" },
    ]);
  });

  it("fails a turn whose answers do not match the schema more often than may be tried again", SLOW, async () => {
    const { error } = await tracedWorkspace();
    const schema = { type: "object", properties: { done: { type: "boolean" } }, required: ["done"] };
    const tries = [1, 2, 3].map((count) => `StructuredOutput {"wrong":${count}}`).join("\n");
    const limit = ["--json-schema", JSON.stringify(schema), "--structured-retry-limit", "1"];
    expect(await error("turn-loop", tries, ...OFFLINE, ...limit)).toMatchObject({
      kind: "parse",
      message: expect.stringContaining("after 2 attempts"),
      final_stop_reason: "error",
      structured_retry_limit: 1,
    });
  });

  it.each([
    ["usage", "--structured-retry-limit", ["x", "--structured-retry-limit", "1"]],
    ["usage", "--structured-retry-limit", ["x", "--json-schema", "{}", "--structured-retry-limit", "-1"]],
    ["usage", "--compact-after-turns", ["x", "--compact-after-turns", "0"]],
    ["usage", "prompt", [" "]],
    ["usage", "--continuation-prompt", ["x", "--continuation-prompt", " "]],
    ["parse", "--json-schema", ["x", "--json-schema", "{"]],
    ["filesystem", "--json-schema", ["x", "--json-schema", "/nowhere.json"]],
    ["filesystem", "/nowhere", ["x", "--cwd", "/nowhere"]],
    ["usage", "--max-tokens", ["x", "--max-tokens", "0"]],
  ])("refuses what is wrong with %s at %s", async (kind, target, words) => {
    const { error } = await tracedWorkspace();
    expect(await error("turn-loop", ...words, ...OFFLINE)).toMatchObject({ kind, target, retryable: false });
  });
});

describe("skein bootstrap", () => {
  it("reports the set-up, routes the prompt, and submits it once", SLOW, async () => {
    const { data } = await tracedWorkspace();
    const found = await data("bootstrap", "say run bash", "--offline", "direct");
    expect(found).toMatchObject({
      prompt: "say run bash",
      limit: 5,
      setup: { node_version: process.versions.node, platform_name: process.platform, test_command: null },
      turn: { output: "run bash", stop_reason: "completed", matched_tools: expect.arrayContaining(["Bash"]) },
    });
    expect(await data("load-session", found["conversation_id"] as string)).toMatchObject({
      prompt_count: 1,
      turns: [{ prompt: "say run bash" }],
    });
  });

  it("measures its stages in the order in which they depend on each other", SLOW, async () => {
    const { data } = await tracedWorkspace();
    const { stages } = await data<z.infer<typeof bootstrapGraph.data>>("bootstrap-graph");
    const names = stages.map(({ stage }) => stage);
    for (const [index, { after, started_ms: started, duration_ms: took }] of stages.entries()) {
      expect(after.every((stage) => names.slice(0, index).includes(stage))).toBe(true);
      expect(took >= 0 && started >= (stages[index - 1]?.started_ms ?? 0)).toBe(true);
    }
    const looked = "load-command open-workspace detect-sandbox detect-credentials find-cli";
    expect(names.join(" ")).toBe(`${looked} start-model spawn ready init-message first-text result`);
  });
});
