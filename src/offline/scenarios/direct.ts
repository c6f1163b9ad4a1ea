import { defineScenario, type Scenario } from "../scenario.ts";
import { parseDirectScript } from "./direct/parse-direct-script.ts";

/** Does what the lines of the prompt say. Their grammar is in docs/guide/offline-model.md. */
export const directScenario: Scenario = defineScenario({
  name: "direct",
  description: "Runs the tool calls in the prompt, one per line",
  rules: [{ name: "direct", steps: ({ prompt }) => parseDirectScript(prompt) }],
});
