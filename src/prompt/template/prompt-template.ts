import { defined } from "../../core/internal.ts";
import type { CompletionChecker } from "../completion/completion-checker.ts";
import type { StandardSchemaV1 } from "../output/standard-schema.ts";
import type { ToolPolicy } from "../tools/tool-policy.ts";
import { checkName, usageError } from "../usage-error.ts";
import { READ_SECTION, OPEN_SECTIONS } from "./disclosure.ts";
import { hashText, type PromptDescriptor } from "./prompt-descriptor.ts";
import { Section, type AnySection, type ParamsOfAll } from "./section.ts";

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
  declare readonly needs?: (params: ParamsOfAll<Sections> & object) => void;

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

/** Describes a template, with the texts that overrides put in, by path. */
export function describePrompt(
  { ns, key, name, placed }: Pick<PromptTemplate<unknown>, "ns" | "key" | "name" | "placed">,
  overrides: ReadonlyMap<string, string> = new Map(),
): PromptDescriptor {
  const sections = placed.map(({ path, section }) => {
    const override = overrides.get(path);
    const overrideHash = override === undefined ? undefined : hashText(override);
    return { path, hash: hashText(section.source), ...defined({ overrideHash }) };
  });
  const texts = placed.map(({ path, section: { title, source, summary } }) => {
    return [path, title, overrides.get(path) ?? source, summary ?? null];
  });
  return { ns, key, ...defined({ name }), sections, hash: hashText(JSON.stringify([ns, key, texts])) };
}

function checkOutput<Schema extends StandardSchemaV1>(schema: Schema | undefined, prompt: string): Schema | undefined {
  if (schema === undefined) return undefined;
  const standard = (schema as Partial<StandardSchemaV1> | null)?.["~standard"];
  if (standard?.version === 1 && typeof standard.validate === "function") return schema;
  const hint = "Give a Zod schema, or one of another library that follows Standard Schema";
  throw usageError(prompt, `The output of the prompt ${prompt} is not a schema`, hint);
}

export interface PlacedSection {
  /** The keys from the outermost section on, joined by `/`. */
  readonly path: string;
  readonly section: AnySection;
}

/** Gives every section its path, and refuses what two of them cannot share: a path, or the name of a tool or a skill. */
function checkSections(sections: readonly AnySection[], prompt: string): readonly PlacedSection[] {
  if (sections.length === 0) throw usageError(prompt, `The prompt ${prompt} has no sections`);
  const placed = placeAll(sections, "");
  checkShared(placed, "section", ({ path }) => [{ name: path }]);
  checkShared(placed, "tool", ({ section }) => section.tools);
  checkShared(placed, "skill", ({ section }) => section.skills);
  return placed;
}

function placeAll(sections: readonly AnySection[], parent: string): readonly PlacedSection[] {
  return sections.flatMap((section) => {
    if (!(section instanceof Section)) {
      const target = parent || "sections";
      throw usageError(target, `One of the sections of ${target} is not a section`);
    }
    const path = parent === "" ? section.key : `${parent}/${section.key}`;
    return [{ path, section }, ...placeAll(section.children, path)];
  });
}

/** The same thing may be in two places; two things may not have one name. */
function checkShared(
  placed: readonly PlacedSection[],
  what: "section" | "tool" | "skill",
  of: (placed: PlacedSection) => readonly { readonly name: string }[],
): void {
  const owners = new Map<string, { readonly thing: object; readonly path: string }>();
  for (const each of placed) {
    const { path } = each;
    for (const thing of of(each)) {
      const { name } = thing;
      if (what === "tool" && [OPEN_SECTIONS, READ_SECTION].includes(name)) {
        const message = `The section ${path} has a tool ${name}, a name that Skein reserves`;
        throw usageError(path, message, "Give it another name");
      }
      const owner = owners.get(name);
      if (owner && owner.thing !== thing) {
        const where = owner.path === path ? "" : `, in ${owner.path} and in ${path}`;
        throw usageError(path, `There are two ${what}s ${name}${where}`, "Give one of them another name");
      }
      owners.set(name, { thing, path });
    }
  }
}
