import { z } from "zod";
import { SkeinError } from "../../core/internal.ts";
import { Fault } from "./fault.ts";

/** What a script can see of the conversation it is in. */
export interface Context {
  readonly prompt: string;
  /** The working directory that the CLI told the model; empty where it told none. */
  readonly cwd: string;
  /** The text of the latest tool result; empty before the first. */
  readonly result: string;
  /** Every tool result since the prompt, oldest first. */
  readonly results: readonly ToolResult[];
  /** What the rule's expression captured, by number and by name. */
  readonly captures: Readonly<Record<string, string>>;
  readonly tools: readonly string[];
  readonly model: string;
}

export interface ToolResult {
  readonly toolUseId: string;
  readonly text: string;
  readonly isError: boolean;
}

const expression = z.string().superRefine((source, context) => {
  try {
    new RegExp(source, "i");
  } catch (error) {
    context.addIssue({ code: "custom", message: `not a regular expression: ${(error as Error).message}` });
  }
});

const pattern = z.union([expression, z.instanceof(RegExp)]);
const calculated = <Result>(what: string): z.ZodType<Result, Result> =>
  z.custom<Result>((value) => typeof value === "function", { message: `expected ${what}` });

/** `{{cwd}}`, `{{prompt}}`, `{{result}}`, `{{1}}` and `{{name}}` are filled in. */
const text = z.union([z.string(), calculated<(context: Context) => string>("a text")]);

/** Strings inside `input` are filled in as texts are. */
const toolCall = z.strictObject({ tool: z.string().min(1), input: z.record(z.string(), z.unknown()) });

const STEPS = {
  say: z.strictObject({ say: text }),
  think: z.strictObject({ think: text }),
  call: z.strictObject({ call: z.union([toolCall, z.array(toolCall).min(1).readonly()]) }),
  output: z.strictObject({ output: z.unknown() }),
  fail: z.strictObject({ fail: Fault }),
  end: z.strictObject({ end: z.enum(["end_turn", "max_tokens", "refusal", "stop_sequence"]) }),
};

/** One step of a script. A step that calls tools ends a response; the next response begins after their results. */
export type Step = z.input<(typeof STEPS)[keyof typeof STEPS]>;
export type Text = z.infer<typeof text>;
export type ToolCall = z.infer<typeof toolCall>;

/** A step is told by its one key, so that what is wrong inside it can be said exactly. */
const step: z.ZodType<Step> = z.unknown().transform((value, context) => {
  const names = Object.keys(STEPS) as (keyof typeof STEPS)[];
  const name = names.find((key) => typeof value === "object" && value !== null && key in value);
  if (!name) {
    context.addIssue({ code: "custom", message: `expected a step: an object with one of ${names.join(", ")}` });
    return z.NEVER;
  }
  const parsed = STEPS[name].safeParse(value);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) context.addIssue({ ...issue, input: undefined } as never);
  return z.NEVER;
});

const steps = z.array(step).min(1).readonly();

const condition = z.strictObject({
  /** The latest user prompt; groups of the expression can be used in texts. */
  prompt: z.union([pattern, calculated<(prompt: string) => boolean>("a pattern")]).optional(),
  /** Tools that must all be offered. */
  tools: z.array(z.string()).readonly().optional(),
  model: pattern.optional(),
  system: pattern.optional(),
  /** True for sub-agents only, false for the main conversation only. */
  subagent: z.boolean().optional(),
});

/** What a request must look like. A string is a regular expression, matched without regard to case. */
export type Condition = z.infer<typeof condition>;

const rule = z
  .strictObject({
    /** A name for messages about this rule. */
    name: z.string().optional(),
    /** Every condition given must hold; none means always. */
    when: condition.optional(),
    /** The script; in TypeScript it may be computed from the conversation. */
    steps: z.union([steps, calculated<(context: Context) => readonly Step[]>("a list of steps")]).optional(),
    /** Instead of `steps`: scripts of which each rollout draws one, by weight. */
    oneOf: z
      .array(z.strictObject({ weight: z.number().positive().optional(), steps }))
      .min(1)
      .readonly()
      .optional(),
  })
  .refine((value) => (value.steps === undefined) !== (value.oneOf === undefined), {
    message: "expected either steps or oneOf",
  });

/** When to answer, and what. */
export type Rule = z.infer<typeof rule>;

const scenarioSchema = z.strictObject({
  name: z.string().min(1),
  description: z.string().optional(),
  /** Where weighted alternatives draw from; the same seed gives the same rollouts. */
  seed: z.int().optional(),
  rules: z.array(rule).readonly(),
  /** What is answered when no rule matches; without it the answer names the rules there are. */
  otherwise: steps.optional(),
});

/** A script for the offline model: the first rule that matches a request answers it. */
export type Scenario = z.infer<typeof scenarioSchema>;

/** Gives a scenario its type; what it says is checked when it is served. */
export function defineScenario(scenario: Scenario): Scenario {
  return scenario;
}

/** Checks a scenario; the error says where it came from, the place in it, and what was expected there. */
export function checkScenario(value: unknown, source: string): Scenario {
  const parsed = scenarioSchema.safeParse(value);
  if (parsed.success) return value as Scenario;
  const issue = mostExact(parsed.error.issues);
  const place = issue.path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("");
  const message = `The scenario ${source} is not valid at ${place.replace(/^\./, "") || "its root"}: ${issue.message}`;
  const hint = "docs/guide/offline-model.md describes scenarios.";
  throw new SkeinError(message, { kind: "parse", target: source, hint, cause: parsed.error });
}

/** Of a union, the branch that came furthest is the one that was meant. */
function mostExact(issues: readonly z.core.$ZodIssue[]): Pick<z.core.$ZodIssue, "path" | "message"> {
  const [issue] = issues;
  if (!issue) return { path: [], message: "not a scenario" };
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return issue;
  const inner = issue.errors.map(mostExact).reduce((best, next) => (next.path.length > best.path.length ? next : best));
  return { path: [...issue.path, ...inner.path], message: inner.message };
}
