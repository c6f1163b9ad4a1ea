import { defineScenario } from "../../../src/offline/index.ts";

const bash = (command: string): object => ({ tool: "Bash", input: { command, description: "Run it" } });

/** What the offline model does with the prompts of `prompts`. Every answer names its prompt, so that no other can be taken for it. */
export const keptScenario = defineScenario({
  name: "kept conversation",
  rules: [
    { when: { prompt: String.raw`^Say (\w+)` }, steps: [{ say: "{{1}}" }] },
    {
      when: { prompt: String.raw`^Wait (\w+)` },
      steps: [
        { call: bash("touch waiting-{{1}}; until [ -e go-{{1}} ]; do sleep 0.05; done") as never },
        { say: "waited {{1}}" },
      ],
    },
    {
      when: { prompt: String.raw`^Stall (\w+)` },
      steps: [{ fail: { type: "stall", afterEvents: 4 } }, { say: "a text of some length that never ends {{1}}" }],
    },
    {
      when: { prompt: String.raw`^Write (\w+)` },
      steps: [
        { call: { tool: "Write", input: { file_path: "{{cwd}}/{{1}}", content: "new" } } },
        { say: "written {{1}}" },
      ],
    },
    {
      when: { prompt: String.raw`^Work (\w+)` },
      steps: [{ call: bash("true") as never }, { call: bash("true") as never }, { say: "worked {{1}}" }],
    },
    {
      when: { prompt: String.raw`^Talk (\w+)` },
      steps: [{ say: `${"word ".repeat(4000)}{{1}}` }, { call: bash("true") as never }, { say: "talked {{1}}" }],
    },
    { when: { prompt: "^Fail" }, steps: [{ fail: { type: "http", status: 400 } }] },
  ],
});
