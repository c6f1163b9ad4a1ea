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
    const complaint = addLine(line.trim(), steps);
    if (complaint !== undefined) complaints.push(`Line ${index + 1} is bad: ${complaint}\n    ${line.trim()}`);
  }
  if (complaints.length > 0) return [{ say: () => complaints.join("\n") }];
  return hasAnswer(steps) ? steps : [...steps, { say: ({ result }) => result || "Done." }];
}

/** Adds what a line stands for, or tells what is wrong with it. */
function addLine(line: string, steps: Step[]): string | undefined {
  if (line === "") return undefined;
  const [, joint, name, json] = /^(& *)?(?!say |think )([a-z][\w-]*) +(\{.*)$/i.exec(line) ?? [];
  if (name !== undefined && json !== undefined) {
    const value = parseInput(json);
    if (typeof value === "string") return value;
    return (joint === undefined ? addCall : joinCall)({ tool: name, input: value }, steps);
  }
  const [, word, text = line] = /^(say|think) +(.*)$/.exec(line) ?? [];
  const last = steps.at(-1);
  if (word === "think") steps.push({ think: text });
  // Lines that are said one after the other are one text.
  else if (last && "say" in last) steps.splice(-1, 1, { say: `${String(last.say)}\n${text}` });
  else steps.push({ say: text });
  return undefined;
}

/** Adds a line that stands by itself. */
function addCall({ tool, input }: ToolCall, steps: Step[]): string | undefined {
  const fault = tool === "fail" ? Fault.safeParse(input) : undefined;
  if (fault?.success === false) return z.prettifyError(fault.error);
  if (fault) steps.push({ fail: fault.data });
  else steps.push(tool === "output" ? { output: input } : { call: { tool, input } });
  return undefined;
}

/** Adds a call that is made together with the one before it. */
function joinCall(call: ToolCall, steps: Step[]): string | undefined {
  const last = steps.at(-1);
  if (!last || !("call" in last)) return "& joins a call to the call on the line before it, and there is none";
  steps.splice(-1, 1, { call: [last.call, call].flat() as readonly ToolCall[] });
  return undefined;
}

/** The value, or what is wrong with its text. What starts with a brace and parses is an object. */
function parseInput(text: string): ToolCall["input"] | string {
  try {
    return JSON.parse(text) as ToolCall["input"];
  } catch (error) {
    return (error as Error).message;
  }
}

/** Whether anything is said or given after the last call. */
function hasAnswer(steps: readonly Step[]): boolean {
  const lastCall = steps.findLastIndex((step) => "call" in step);
  return steps.slice(lastCall + 1).some((step) => "say" in step || "output" in step);
}
