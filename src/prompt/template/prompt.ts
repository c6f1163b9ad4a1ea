import { usageError } from "../usage-error.ts";
import { applyOverrides, type AppliedOverrides, type PromptOverrides } from "./prompt-overrides.ts";
import type { PromptTemplate } from "./prompt-template.ts";
import { renderPrompt, sectionText, type RenderInputs, type RenderedPrompt } from "./render-prompt.ts";

/** What a prompt has beside its template. */
export interface PromptOptions {
  /** Texts in the place of sections' own, as an override store gives them. */
  readonly overrides?: PromptOverrides | undefined;
}

/** With what `bind`, `open` and `withDirectories` add. */
interface Bound extends PromptOptions, Partial<Pick<RenderInputs, "params" | "directories">> {
  readonly opened?: readonly string[];
}

/** A template as the prompt sees it: the output, and the params that it needs. */
type TemplateFor<Output, Params extends object> = Omit<PromptTemplate<Output>, "needs"> & {
  readonly needs?: (params: Params) => void;
};

/**
 * A template with its params and overrides. It never changes: `bind` and `open` give another. `Params` is what is still
 * needed, so that a prompt without its params does not pass for a whole one.
 */
export class Prompt<out Output = undefined, in Params extends object = object> {
  readonly template: PromptTemplate<Output>;
  readonly #bound: Bound;
  readonly #overrides: AppliedOverrides;

  constructor(template: TemplateFor<Output, Params>, options: PromptOptions = {}) {
    this.template = template as PromptTemplate<Output>;
    this.#bound = options;
    this.#overrides = applyOverrides(this.template, options.overrides);
  }

  /** The prompt with its params; those that were bound before stay unless they are given again. */
  bind(params: Params): Prompt<Output> {
    return this.#with({ params: { ...this.#bound.params, ...params } });
  }

  /** The prompt with sections shown in full that were summaries. */
  open(paths: readonly string[]): Prompt<Output, Params> {
    for (const path of paths) {
      const { placed, ns, key } = this.template;
      if (placed.some((each) => each.path === path)) continue;
      const hint = "A section is named by its path, such as rules/naming";
      throw usageError(path, `The prompt ${ns}/${key} has no section ${path}`, hint);
    }
    return this.#with({ opened: [...(this.#bound.opened ?? []), ...paths] });
  }

  /** The prompt as it is told where directories were made for sections, one evaluation's own. */
  withDirectories(directories: RenderInputs["directories"]): Prompt<Output, Params> {
    return this.#with({ directories });
  }

  /** The text and all that belongs to it. The same prompt gives the same, always. */
  render(): RenderedPrompt<Output> {
    return renderPrompt(this.template, {
      params: this.#bound.params ?? {},
      overrides: this.#overrides,
      opened: new Set(this.#bound.opened),
      directories: this.#bound.directories ?? new Map(),
      read: (path) => sectionText(this.open([path]).render(), [path]),
    });
  }

  #with(more: Bound): Prompt<Output> {
    const bound: PromptOptions = { ...this.#bound, ...more };
    return new Prompt(this.template, bound);
  }
}
