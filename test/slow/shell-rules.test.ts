import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { allowRules, denyRules, type PermissionPolicy } from "../../src/engine/index.ts";
import { describeWith } from "../support/require-package.ts";
import { createCanaryShell, type CanaryShell } from "../support/shell/canary-shell.ts";
import { commandLine, PLAIN_WRAPS } from "../support/shell/command-lines.ts";

const LINES = 20_000;
const BATCH = 500;
const SLOW = { timeout: 900_000 } as const;
/** Another seed tries other lines. */
const seed = Number(process.env["SKEIN_FUZZ_SEED"] ?? 20_261_115);
const signal = new AbortController().signal;

describeWith({ command: "bwrap", package: "bubblewrap" }, "rules for commands against a real shell", () => {
  let shell: CanaryShell;
  const lines = [...PLAIN_WRAPS, ...fc.sample(commandLine, { numRuns: LINES, seed })];

  beforeAll(() => {
    shell = createCanaryShell();
  });
  afterAll(() => shell[Symbol.dispose]());

  async function decidedAs(type: string, policy: PermissionPolicy): Promise<readonly string[]> {
    const found = [];
    for (const command of lines) {
      const decision = await policy({ tool: "Bash", input: { command }, toolUseId: "1", signal });
      if (decision.type === type) found.push(command);
    }
    return found;
  }

  /** Those of the lines that did what they must not. */
  function guilty(
    candidates: readonly string[],
    isGuilty: (outcome: ReturnType<CanaryShell["run"]>[number]) => boolean,
  ): readonly string[] {
    const found = [];
    for (let at = 0; at < candidates.length; at += BATCH) {
      const batch = candidates.slice(at, at + BATCH);
      const outcomes = shell.run(batch);
      found.push(...batch.filter((_, index) => isGuilty(outcomes[index] as (typeof outcomes)[number])));
    }
    // A program that outlives its line is noted at the next one: only what happens again, alone, counts.
    return found.filter((line) => isGuilty(shell.run([line])[0] as ReturnType<CanaryShell["run"]>[number]));
  }

  it("no line that is allowed starts another program or writes a file", SLOW, async () => {
    const allowed = await decidedAs("allow", allowRules(["Bash(alpha:*)"]));
    const harmless = new Set(["alpha", "timeout", "nice", "nohup", "cat"]);
    expect(allowed.length).toBeGreaterThan(200);
    expect(
      guilty(allowed, ({ programs, files }) => files.length > 0 || [...programs].some((name) => !harmless.has(name))),
    ).toEqual([]);
  });

  it("no line that starts a denied program passes", SLOW, async () => {
    const passed = await decidedAs("pass", denyRules(["Bash(beta:*)"]));
    expect(passed.length).toBeGreaterThan(1000);
    expect(guilty(passed, ({ programs }) => programs.has("beta"))).toEqual([]);
  });
});
