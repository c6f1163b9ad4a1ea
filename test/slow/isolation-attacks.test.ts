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

/** The shells that the CLI runs commands in, and the file of each that it reads whatever it is started for. */
const START_UP_FILE_OF = { bash: ".bashrc", zsh: ".zshenv" } as const;

describeWith(
  [...SANDBOX_PACKAGES, { command: "zsh", package: "zsh" }],
  "what an agent leaves for its next turn",
  () => {
    test.each(["bash", "zsh"] as const)(
      "runs on the host where it is not isolated, in %s, so that the other tests mean something",
      async (shell) => {
        const SHELL = `/bin/${shell}`;
        await runCalls(attackOptions(agent, { SHELL }), [...planting(canary), ...triggering(agent.cwd)]);
        await runCalls(attackOptions(agent, { SHELL, PATH: pathWith(canary) }), [bash("pwd")]);
        const { ran } = await canary.seen();
        const expected = [`evil.sh ${START_UP_FILE_OF[shell]}`, "evil.sh core.sshCommand", "git -c"];
        expect(ran).toEqual(expect.arrayContaining(expected));
      },
    );

    test.each(["bash", "zsh"])("is not run in isolation, in %s, where the hook is gone either", async (shell) => {
      const options = attackOptions(agent, { SHELL: `/bin/${shell}` });
      await using isolated = await isolate(IsolationConfig({ apiKey: KEY }), options);
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
  },
);
