import { SkeinError } from "../core/index.ts";
import { checkSections, type PlacedSection } from "./check-sections.ts";
import type { CompletionChecker } from "./completion-checker.ts";
import { describePrompt, type PromptDescriptor } from "./prompt-descriptor.ts";
import { checkName } from "./prompt-name.ts";
import type { AnySection, ParamsOfAll } from "./section.ts";
import type { StandardSchemaV1 } from "./standard-schema.ts";
import type { ToolPolicy } from "./tool-policy.ts";

/** What a prompt is made of. */
export interface PromptTemplateOptions<Output, Sections extends readonly AnySection[]> {
  /** The group that the prompt belongs to: 1 to 64 of `a-z`, `0-9`, `.`, `_` and `-`. */
  readonly ns: string;
  /** Names the prompt in its group, in the same characters. */
  readonly key: string;
  /** What people call it. */
  readonly name?: string;
  /** The shape of the answer, an object or an array of objects, by Zod or any Standard Schema; text where it is left out. */
  readonly output?: StandardSchemaV1<unknown, Output>;
  readonly sections: Sections;
  /** Rules for tool calls, native ones too, beside those of the sections. */
  readonly policies?: readonly ToolPolicy[];
  /** Who decides whether the agent is done. */
  readonly checkers?: readonly CompletionChecker[];
  /** Whatever tools of the prompt share, by name. */
  readonly resources?: Readonly<Record<string, unknown>>;
}

/**
 * A prompt before its params are known. What is wrong with its structure is thrown here. The output's shape is no part of
 * its text: Claude Code tells the model the schema itself, and a second telling could only contradict it.
 */
export class PromptTemplate<
  out Output = undefined,
  const Sections extends readonly AnySection[] = readonly AnySection[],
> {
  readonly ns: string;
  readonly key: string;
  readonly name: string | undefined;
  readonly output: StandardSchemaV1<unknown, Output> | undefined;
  readonly sections: readonly AnySection[];
  readonly policies: readonly ToolPolicy[];
  readonly checkers: readonly CompletionChecker[];
  readonly resources: Readonly<Record<string, unknown>>;
  /** Every section with its path, outer ones first. */
  readonly placed: readonly PlacedSection[];
  readonly descriptor: PromptDescriptor;
  /** Only for the type checker: the params that the sections need. */
  declare readonly needs?: (params: Needed<Sections>) => void;

  constructor(options: PromptTemplateOptions<Output, Sections>) {
    this.ns = checkName("ns of a prompt", options.ns);
    this.key = checkName("key of a prompt", options.key);
    this.name = options.name;
    this.output = checkOutput(options.output, `${this.ns}/${this.key}`);
    this.sections = Object.freeze([...options.sections]);
    this.policies = Object.freeze([...(options.policies ?? [])]);
    this.checkers = Object.freeze([...(options.checkers ?? [])]);
    this.resources = Object.freeze({ ...options.resources });
    this.placed = checkSections(this.sections, `${this.ns}/${this.key}`);
    this.descriptor = describePrompt(this);
  }
}

type Needed<Sections extends readonly AnySection[]> = ParamsOfAll<Sections> & object;

function checkOutput<Schema extends StandardSchemaV1>(schema: Schema | undefined, prompt: string): Schema | undefined {
  if (schema === undefined) return undefined;
  const standard = (schema as Partial<StandardSchemaV1> | null)?.["~standard"];
  if (standard?.version === 1 && typeof standard.validate === "function") return schema;
  throw new SkeinError(`The output of the prompt ${prompt} is not a schema`, {
    kind: "usage",
    target: prompt,
    hint: "Give a Zod schema, or one of another library that follows Standard Schema",
  });
}
