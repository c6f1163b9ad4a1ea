import type { CompletionChecker } from "./completion-checker.ts";
import type { PromptDescriptor } from "./prompt-descriptor.ts";
import type { PromptWarning } from "./apply-overrides.ts";
import type { Visibility } from "./section.ts";
import type { Skill } from "./skill.ts";
import type { StandardSchemaV1 } from "./standard-schema.ts";
import type { AnyTool } from "./tool.ts";
import type { ToolPolicy } from "./tool-policy.ts";

/** A prompt as the model gets it, and all that belongs to it. */
export interface RenderedPrompt<out Output = unknown> {
  readonly text: string;
  /** The tools of the sections that are shown in full, and those to open the others by. */
  readonly tools: readonly AnyTool[];
  /** The skills of the sections that are shown in full. */
  readonly skills: readonly Skill[];
  /** The policies of the template and of all enabled sections. */
  readonly policies: readonly ToolPolicy[];
  readonly checkers: readonly CompletionChecker[];
  readonly resources: Readonly<Record<string, unknown>>;
  readonly output?: StandardSchemaV1<unknown, Output>;
  readonly descriptor: PromptDescriptor;
  /** The paths of the sections that are shown as summaries. */
  readonly summarised: readonly string[];
  /** The sections as they are shown, in order. */
  readonly sections: readonly RenderedSection[];
  /** What was not done as asked, such as overrides that were not put in. */
  readonly warnings: readonly PromptWarning[];
}

/** One section as it is shown, without its children. */
export interface RenderedSection {
  readonly path: string;
  /** With the heading. */
  readonly text: string;
  readonly visibility: Visibility;
}

/** The text of some sections with all that is below them, in the order of the prompt. */
export function sectionText(rendered: Pick<RenderedPrompt, "sections">, paths: readonly string[]): string {
  return rendered.sections
    .filter(({ path }) => paths.some((each) => path === each || path.startsWith(`${each}/`)))
    .map(({ text }) => text)
    .join("\n\n");
}
