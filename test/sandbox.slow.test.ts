import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { claudePrompt, type ClaudeOptions } from "../src/engine/index.ts";
import { defineScenario, loadScenario } from "../src/offline/index.ts";
import { isolate, IsolationConfig } from "../src/isolation/index.ts";
import { startOfflineAgent } from "../src/testing/index.ts";
import { describeWith } from "./support/require-package.ts";

/** A place that anybody may write to who is not confined. */
const OUTSIDE = `/var/tmp/skein-outside-${process.pid}`;

const SANDBOX_PACKAGES = [
  { command: "bwrap", package: "bubblewrap" },
  { command: "socat", package: "socat" },
];

const TRY = `
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
writeFileSync("inside.txt", "inside");
try { writeFileSync(${JSON.stringify(OUTSIDE)}, ""); } catch (error) { console.log("outside:", error.code); }
connect(Number(process.argv[2]), "127.0.0.1")
  .on("connect", () => console.log("network: connected") || process.exit())
  .on("error", (error) => console.log("network:", error.code));
`;

describeWith(SANDBOX_PACKAGES, "Bash in the sandbox", () => {
  test("writes inside its directory, not outside, and reaches no network", async () => {
    const scenario = defineScenario({
      name: "sandbox",
      rules: [
        {
          when: { prompt: "port (\\d+)" },
          steps: [
            { call: { tool: "Write", input: { file_path: "{{cwd}}/try.mjs", content: TRY } } },
            { call: { tool: "Bash", input: { command: "node try.mjs {{1}}", description: "Try" } } },
            { say: "{{result}}" },
          ],
        },
      ],
    });
    const sandbox = { enabled: true, autoAllowBashIfSandboxed: true, network: { allowedDomains: [] } };
    await using agent = await startOfflineAgent(scenario, { sandbox });
    const { port } = new URL(agent.url);
    const { text, permissionDenials } = await agent.engine.execute(claudePrompt(`Try port ${port}`));
    expect(permissionDenials).toEqual([]);
    expect(text).toBe("outside: EROFS\nnetwork: ECONNREFUSED");
    expect(await readFile(join(agent.cwd, "inside.txt"), "utf8")).toBe("inside");
    await expect(stat(OUTSIDE)).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("shares no file that it makes and removes around each command with an agent that has the same settings", async () => {
    const sandbox = { enabled: true, autoAllowBashIfSandboxed: true };
    await using agent = await startOfflineAgent(await loadScenario("direct"), { sandbox });
    const command = "grep -o 'claude-settings-[0-9a-f]*' /proc/self/mountinfo";
    const seen = async () => (await agent.engine.execute(claudePrompt(`Bash ${JSON.stringify({ command })}`))).text;
    const first = await seen();
    expect(first).toMatch(/^claude-settings-[0-9a-f]+$/);
    expect(await seen()).not.toBe(first);
  });

  test("runs without a question what the sandbox confines, a loop or a variable too, and nothing else", async () => {
    const sandbox = { enabled: true, autoAllowBashIfSandboxed: true, network: { allowedDomains: [] } };
    const settings = { permissions: { ask: ["Bash(git push:*)"] } };
    await using agent = await startOfflineAgent(await loadScenario("direct"), { sandbox, settings });
    const runs = async (options: ClaudeOptions, input: object) => {
      const { permissionDenials } = await agent.engine.execute(claudePrompt(`Bash ${JSON.stringify(input)}`), options);
      return permissionDenials.length === 0;
    };
    const confined = ["for i in 1 2; do echo $i > loop; done", "X=1; echo $X > variable"];
    for (const command of confined) expect(await runs({}, { command })).toBe(true);
    expect(await readFile(join(agent.cwd, "variable"), "utf8")).toBe("1\n");
    expect(await runs({}, { command: "X=1; git push $X" })).toBe(false);
    expect(await runs({}, { command: `touch ${OUTSIDE}`, dangerouslyDisableSandbox: true })).toBe(false);
    expect(await runs({ sandbox: { ...sandbox, autoAllowBashIfSandboxed: false } }, { command: "X=1; echo $X" })).toBe(
      false,
    );
    const { sandbox: _, settings: __, ...plain } = agent.options;
    await using isolated = await isolate(IsolationConfig({ apiKey: "sk-test" }), plain);
    for (const command of confined) expect(await runs(isolated.options, { command })).toBe(true);
  });
});
