import { afterEach, beforeEach, expect, test } from "vitest";
import { loadScenario } from "../../src/offline/index.ts";
import { isolate, IsolationConfig } from "../../src/isolation/index.ts";
import { startOfflineAgent, type OfflineAgent } from "../../src/testing/index.ts";
import { bash, KEY, runCalls } from "../support/isolated-attack.ts";
import { plantCanary, type Canary } from "../support/planted-canary.ts";
import { describeWith } from "../support/require-package.ts";
import { attackOptions, pathWith, planting, SANDBOX_PACKAGES, triggering } from "../support/two-turns.ts";

let agent: OfflineAgent;
let canary: Canary;

beforeEach(async () => {
  agent = await startOfflineAgent(await loadScenario("direct"), { permissionMode: "bypassPermissions" });
  canary = await plantCanary(agent.cwd);
});

afterEach(async () => {
  await canary[Symbol.asyncDispose]();
  await agent.close();
});

describeWith(SANDBOX_PACKAGES, "what an agent leaves for its next turn", () => {
  test("runs on the host where it is not isolated, so that the other tests mean something", async () => {
    await runCalls(attackOptions(agent), [...planting(canary), ...triggering(agent.cwd)]);
    await runCalls(attackOptions(agent, { PATH: pathWith(canary) }), [bash("pwd")]);
    const { ran } = await canary.seen();
    expect(ran).toEqual(expect.arrayContaining(["evil.sh .bashrc", "evil.sh core.sshCommand", "git -c"]));
  });

  test("is not run in isolation where the hook is gone either: git refuses, and the home is closed", async () => {
    await using isolated = await isolate(IsolationConfig({ apiKey: KEY }), agent.options);
    const { hooks: _, disallowedTools: __, ...unguarded } = isolated.options;
    await runCalls(unguarded, planting(canary));
    const { attempts } = await runCalls(unguarded, triggering(agent.cwd));
    expect(attempts.filter(({ isError }) => isError).map(({ tool }) => tool)).toEqual(["EnterWorktree", "Agent"]);
    expect(await canary.seen()).toEqual({ ran: [], connections: 0 });
  });

  test("is not found on the path: folders that the agent may write are not on that of the CLI", async () => {
    await using isolated = await isolate(
      IsolationConfig({ apiKey: KEY }),
      attackOptions(agent, { PATH: pathWith(canary) }),
    );
    const { attempts } = await runCalls(isolated.options, [bash("command -v git"), bash("echo $PATH")]);
    expect(attempts.map(({ output }) => output.startsWith(canary.programs))).toEqual([true, true]);
    expect(await canary.seen()).toEqual({ ran: [], connections: 0 });
  });
});
