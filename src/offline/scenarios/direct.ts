import { z } from "zod";
import { Fault } from "./fault.ts";
import { defineScenario, type Scenario, type Step, type ToolCall } from "./scenario.ts";

/** Does what the lines of the prompt say. Their grammar is in docs/guide/offline-model.md. */
export const directScenario: Scenario = defineScenario({
  name: "direct",
  description: "Runs the tool calls in the prompt, one per line",
  rules: [{ name: "direct", steps: ({ prompt }) => parseDirectScript(prompt) }],
});

/** Reads a prompt as a script. If a line is bad nothing of it is run, and the script only says which and why. */
export function parseDirectScript(prompt: string): readonly Step[] {
  const steps: Step[] = [];
  const complaints: string[] = [];
  for (const [index, line] of prompt.split("\n").entries()) {
    try {
      addLine(line.trim(), steps);
    } catch (error) {
      complaints.push(`Line ${index + 1} is bad: ${(error as Error).message}\n    ${line.trim()}`);
    }
  }
  if (complaints.length > 0) return [{ say: () => complaints.join("\n") }];
  return hasAnswer(steps) ? steps : [...steps, { say: ({ result }) => result || "Done." }];
}

/** Adds what a line stands for, or throws what is wrong with it. */
function addLine(line: string, steps: Step[]): void {
  if (line === "") return;
  const [, joint, name, json] = /^(& *)?(?!say |think )([a-z][\w-]*) +(\{.*)$/i.exec(line) ?? [];
  if (name !== undefined && json !== undefined) {
    // What starts with a brace and parses is an object.
    const input = JSON.parse(json) as ToolCall["input"];
    return (joint === undefined ? addCall : joinCall)({ tool: name, input }, steps);
  }
  const [, word, text = line] = /^(say|think) +(.*)$/.exec(line) ?? [];
  const last = steps.at(-1);
  if (word === "think") steps.push({ think: text });
  // Lines that are said one after the other are one text.
  else if (last && "say" in last) steps.splice(-1, 1, { say: `${String(last.say)}\n${text}` });
  else steps.push({ say: text });
}

function addCall({ tool, input }: ToolCall, steps: Step[]): void {
  const fault = tool === "fail" ? Fault.safeParse(input) : undefined;
  if (fault?.success === false) throw new Error(z.prettifyError(fault.error));
  if (fault) steps.push({ fail: fault.data });
  else steps.push(tool === "output" ? { output: input } : { call: { tool, input } });
}

function joinCall(call: ToolCall, steps: Step[]): void {
  const last = steps.at(-1);
  if (!last || !("call" in last)) {
    throw new Error("& joins a call to the call on the line before it, and there is none");
  }
  steps.splice(-1, 1, { call: [last.call, call].flat() as readonly ToolCall[] });
}

function hasAnswer(steps: readonly Step[]): boolean {
  const lastCall = steps.findLastIndex((step) => "call" in step);
  return steps.slice(lastCall + 1).some((step) => "say" in step || "output" in step);
}
