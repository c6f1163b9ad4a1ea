import { z } from "zod";
import { SkeinError } from "../../core/index.ts";
import { Fault } from "./fault.ts";
import type { Context, Scenario, Step } from "./scenario.ts";

const expression = z.string().superRefine((source, context) => {
  try {
    new RegExp(source, "i");
  } catch (error) {
    context.addIssue({ code: "custom", message: `not a regular expression: ${(error as Error).message}` });
  }
});

const pattern = z.union([expression, z.instanceof(RegExp)]);
const calculated = <Result>(what: string): z.ZodType<Result> =>
  z.custom<Result>((value) => typeof value === "function", { message: `expected ${what}` });
const text = z.union([z.string(), calculated<(context: Context) => string>("a text")]);
const toolCall = z.strictObject({ tool: z.string().min(1), input: z.record(z.string(), z.unknown()) });

const STEPS = {
  say: z.strictObject({ say: text }),
  think: z.strictObject({ think: text }),
  call: z.strictObject({ call: z.union([toolCall, z.array(toolCall).min(1)]) }),
  output: z.strictObject({ output: z.unknown() }),
  fail: z.strictObject({ fail: Fault }),
  end: z.strictObject({ end: z.enum(["end_turn", "max_tokens", "refusal", "stop_sequence"]) }),
};

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

const steps = z.array(step).min(1);

const rule = z
  .strictObject({
    name: z.string().optional(),
    when: z
      .strictObject({
        prompt: z.union([pattern, calculated<(prompt: string) => boolean>("a pattern")]).optional(),
        tools: z.array(z.string()).optional(),
        model: pattern.optional(),
        system: pattern.optional(),
        subagent: z.boolean().optional(),
      })
      .optional(),
    steps: z.union([steps, calculated<(context: Context) => readonly Step[]>("a list of steps")]).optional(),
    oneOf: z
      .array(z.strictObject({ weight: z.number().positive().optional(), steps }))
      .min(1)
      .optional(),
  })
  .refine((value) => (value.steps === undefined) !== (value.oneOf === undefined), {
    message: "expected either steps or oneOf",
  });

const scenarioSchema = z.strictObject({
  name: z.string().min(1),
  description: z.string().optional(),
  seed: z.int().optional(),
  rules: z.array(rule),
  otherwise: steps.optional(),
});

/** Checks a scenario; the error says where it came from, the place in it, and what was expected there. */
export function checkScenario(value: unknown, source: string): Scenario {
  const parsed = scenarioSchema.safeParse(value);
  if (parsed.success) return value as Scenario;
  const issue = mostExact(parsed.error.issues);
  const place = issue.path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("");
  throw new SkeinError(
    `The scenario ${source} is not valid at ${place.replace(/^\./, "") || "its root"}: ${issue.message}`,
    {
      kind: "parse",
      target: source,
      hint: "docs/guide/offline-model.md describes scenarios.",
      cause: parsed.error,
    },
  );
}

/** Of a union, the branch that came furthest is the one that was meant. */
function mostExact(issues: readonly z.core.$ZodIssue[]): {
  readonly path: readonly PropertyKey[];
  readonly message: string;
} {
  const [issue] = issues;
  if (!issue) return { path: [], message: "not a scenario" };
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return issue;
  const inner = issue.errors.map(mostExact).reduce((best, next) => (next.path.length > best.path.length ? next : best));
  return { path: [...issue.path, ...inner.path], message: inner.message };
}
