import { describe, expect, it } from "vitest";
import { NO_USAGE } from "../../core/internal.ts";
import type { FileChange } from "../../snapshot/index.ts";
import type { RewardContext } from "../environment.ts";
import { combineRewards, toReward } from "./reward.ts";
import { costReward, diffSize, durationReward, noToolErrors } from "./step-rewards.ts";

const PATCH = `diff --git a/notes.sql b/notes.sql
--- a/notes.sql
+++ b/notes.sql
@@ -1,3 +1,3 @@
 keep
--- an old comment of SQL
+++ a line that begins with plus
 keep
\\ No newline at end of file
diff --git a/new b/new
new file mode 100644
--- /dev/null
+++ b/new
@@ -0,0 +1 @@
+one
`;

const context: RewardContext = { signal: new AbortController().signal };
const execution = { costUsd: 0.25, usage: NO_USAGE, durationMs: 1500, responses: 2, isError: false };
const after = { kind: "file", mode: 0o644, contentId: "1" } as const;
const changes: readonly FileChange[] = [
  { type: "created", path: "new", after },
  { type: "modified", path: "notes.sql", before: after, after },
];
const exploration = {
  state: "s",
  transition: {
    execution,
    hasToolErrors: () => true,
    filesChanged: async () => changes,
    patch: async () => PATCH,
  },
};

describe("rewards for a step", () => {
  it("are the higher, the less it cost, the faster it was, and without failed tool calls", () => {
    expect(costReward()(exploration, context)).toBe(-0.25);
    expect(durationReward()(exploration, context)).toBe(-1.5);
    expect(noToolErrors()(exploration, context)).toBe(0);
  });

  it("are the higher, the less was changed", async () => {
    expect(await diffSize()(exploration, context)).toEqual({ value: -3, parts: { files: 2, lines: 3 } });
    expect(await diffSize("files")(exploration, context)).toEqual({ value: -2, parts: { files: 2 } });
  });

  it("have to be numbers that can be compared", () => {
    expect(() => toReward(Number.NaN)).toThrow(expect.objectContaining({ kind: "usage" }));
  });
});

describe("combineRewards", () => {
  it("gives the weighted sum, and the parts by name", async () => {
    const reward = combineRewards({
      tests: { weight: 1, reward: async () => ({ value: 0.5, parts: { passed: 1 }, notes: { output: "ok" } }) },
      cost: { weight: 0.1, reward: costReward() },
    });
    expect(await reward(exploration, context)).toEqual({
      value: 0.475,
      parts: { tests: 0.5, "tests.passed": 1, cost: -0.25 },
      notes: { "tests.output": "ok" },
    });
  });

  it("asks one after another, and stops when nobody is interested any more", async () => {
    const abort = new AbortController();
    const asked: string[] = [];
    const reward = combineRewards({
      first: { weight: 1, reward: () => (asked.push("first"), abort.abort(new Error("enough")), 1) },
      second: { weight: 1, reward: () => (asked.push("second"), 1) },
    });
    await expect(reward(exploration, { signal: abort.signal })).rejects.toThrow("enough");
    expect(asked).toEqual(["first"]);
  });
});
