import { ownValue } from "../../core/internal.ts";
import { usageError } from "../usage-error.ts";
import { fillPlaceholders, placeholderNames, type PlaceholderNames, type PlaceholderValue } from "./placeholders.ts";
import { Section, type AnySection, type ParamsOfAll, type RenderContext, type SectionOptions } from "./section.ts";

/** The params of a template: a value for each placeholder, or for each declared name where the text is not a literal. */
export type TemplateParams<Template extends string, Declared extends string, Defaulted extends string> = {
  readonly [Name in Exclude<NamesIn<Template, Declared>, Defaulted>]: PlaceholderValue;
} & { readonly [Name in Defaulted]?: PlaceholderValue };

type NamesIn<Template extends string, Declared extends string> = string extends Template
  ? Declared
  : PlaceholderNames<Template>;

export interface MarkdownSectionOptions<
  Template extends string,
  Declared extends string,
  Defaulted extends string,
  Extra extends object,
  Children extends readonly AnySection[],
> extends SectionOptions<NoInfer<TemplateParams<Template, Declared, Defaulted>> & Extra, Children> {
  /** Markdown with placeholders such as `${name}`; `$${` stands for `${` itself. Shared indentation is taken off. */
  readonly template: Template;
  /** The names that placeholders may have: for texts that the type checker does not see, such as from files. */
  readonly params?: readonly Declared[];
  /** Values for placeholders that need not be bound. */
  readonly defaults?: { readonly [Name in Defaulted]: PlaceholderValue };
}

/**
 * A section of Markdown with placeholders, which the type checker reads from the template. `Extra` is what predicates need
 * beside them; it is read from nothing else, not even from the place that the section is put in.
 */
export class MarkdownSection<
  const Template extends string = string,
  const Declared extends string = string,
  const Defaulted extends string = never,
  Extra extends object = object,
  const Children extends readonly AnySection[] = readonly [],
> extends Section<TemplateParams<Template, Declared, Defaulted> & NoInfer<Extra> & ParamsOfAll<Children>> {
  override readonly source: string;
  readonly #names: readonly string[];
  readonly #defaults: ReadonlyMap<string, PlaceholderValue>;

  constructor(options: MarkdownSectionOptions<Template, Declared, Defaulted, Extra, Children>) {
    super({ acceptsOverrides: true, ...options });
    this.source = dedent(options.template);
    const used = placeholderNames(this.source, this.key);
    this.#names = options.params ?? used;
    this.#defaults = new Map(Object.entries<PlaceholderValue>(options.defaults ?? {}));
    const mentioned = [...used, ...placeholderNames(this.summary ?? "", this.key), ...this.#defaults.keys()];
    const unknown = mentioned.find((name) => !this.#names.includes(name));
    if (unknown === undefined) return;
    const hint = this.#names.length === 0 ? "It has none" : `It has ${this.#names.join(", ")}`;
    throw usageError(`${this.key}.${unknown}`, `The section ${this.key} has no placeholder ${unknown}`, hint);
  }

  override refuseOverride(text: string): string | undefined {
    const refusal = super.refuseOverride(text);
    if (refusal !== undefined) return refusal;
    try {
      const unknown = placeholderNames(dedent(text), this.key).find((name) => !this.#names.includes(name));
      return unknown === undefined ? undefined : `it has the placeholder ${unknown}, which the section lacks`;
    } catch (error) {
      return (error as Error).message;
    }
  }

  override render(params: object, { path, override }: RenderContext): string {
    return this.#fill(override === undefined ? this.source : dedent(override), params, path);
  }

  override renderSummary(params: object, { path }: RenderContext): string {
    return this.#fill(this.summary ?? "", params, path);
  }

  #fill(text: string, params: object, path: string): string {
    return fillPlaceholders(text, (name) => {
      const value = ownValue(params as Record<string, unknown>, name) ?? this.#defaults.get(name);
      if (isPlaceholderValue(value)) return value;
      const message =
        value === undefined || value === null
          ? `The section ${path} needs the param ${name}`
          : `The param ${name} of the section ${path} is not a string, number or boolean`;
      throw usageError(`${path}.${name}`, message, `Give it with prompt.bind({ ${name}: … })`);
    });
  }
}

function isPlaceholderValue(value: unknown): value is PlaceholderValue {
  return ["string", "number", "boolean", "bigint"].includes(typeof value);
}

/** Text as it was meant: without blank lines around it, and without the indentation that all of its lines share. */
export function dedent(text: string): string {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  while (lines[0]?.trim() === "") lines.shift();
  while (lines.at(-1)?.trim() === "") lines.pop();
  const indents = lines.filter((line) => line.trim() !== "").map((line) => line.length - line.trimStart().length);
  const shared = Math.min(...indents);
  return lines.map((line) => line.slice(shared).trimEnd()).join("\n");
}
