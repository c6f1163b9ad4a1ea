import { expect, test } from "vitest";
import { defineScenario, type Step } from "../../src/offline/index.ts";
import {
  ClaudeAgentSDKAdapter,
  InProcessDispatcher,
  MarkdownSection,
  Prompt,
  PromptTemplate,
  PromptSession,
} from "../../src/prompt/index.ts";
import { startOfflineAgent } from "../../src/testing/index.ts";
import { IsolationConfig } from "../../src/isolation/index.ts";
import { KEY, toVerdict, type Call } from "../support/isolated-attack.ts";
import { plantCanary, type Canary } from "../support/planted-canary.ts";
import { describeWith } from "../support/require-package.ts";
import { planting, SANDBOX_PACKAGES, TRIGGERED_IN_VAIN, triggering } from "../support/two-turns.ts";

describeWith(SANDBOX_PACKAGES, "an agent behind the adapter", () => {
  test("gets nothing of what it planted run on the host, by one evaluation or the next", async () => {
    const canaries: Canary[] = [];
    const scenario = defineScenario({
      name: "attack",
      rules: [
        { when: { prompt: "Plant" }, steps: () => toSteps(canaries.flatMap(planting)) },
        { when: { prompt: "Trigger" }, steps: ({ cwd }) => toSteps(triggering(cwd)) },
      ],
    });
    await using agent = await startOfflineAgent(scenario, { permissionMode: "bypassPermissions" });
    await using planted = await plantCanary(agent.cwd);
    canaries.push(planted);
    const verdicts: string[] = [];
    const dispatcher = new InProcessDispatcher();
    dispatcher.subscribe("tool-invoked", ({ name, success }) => {
      verdicts.push(toVerdict({ tool: name, isError: !success }));
    });
    const adapter = new ClaudeAgentSDKAdapter({
      engine: agent.engine,
      cwd: agent.cwd,
      permissionMode: "bypassPermissions",
      isolation: IsolationConfig({ apiKey: KEY }),
    });
    for (const text of ["Plant it", "Trigger it"]) {
      const sections = [new MarkdownSection({ title: "Task", key: "task", template: text })];
      const template = new PromptTemplate({ ns: "attack", key: "adapter", sections });
      await adapter.evaluate(new Prompt(template), { session: new PromptSession({ dispatcher }) });
    }
    expect(verdicts).toEqual([...Array<string>(4).fill("Bash done"), ...TRIGGERED_IN_VAIN]);
    expect(await planted.seen()).toEqual({ ran: [], connections: 0 });
  });
});

function toSteps(calls: readonly Call[]): readonly Step[] {
  return [...calls.map(({ tool, input }) => ({ call: { tool, input } })), { say: "Done." }];
}
