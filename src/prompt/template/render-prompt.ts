import { defined } from "../../core/internal.ts";
import type { CompletionChecker } from "../completion/completion-checker.ts";
import type { StandardSchemaV1 } from "../output/standard-schema.ts";
import type { Skill } from "../skills/skill.ts";
import type { ToolPolicy } from "../tools/tool-policy.ts";
import type { AnyTool } from "../tools/tool.ts";
import { disclosureTools, summaryNote } from "./disclosure.ts";
import type { PromptDescriptor } from "./prompt-descriptor.ts";
import type { PromptWarning, AppliedOverrides } from "./prompt-overrides.ts";
import { describePrompt, type PromptTemplate } from "./prompt-template.ts";
import type { Visibility, AnySection, RenderContext } from "./section.ts";

/** A prompt as the model gets it, and all that belongs to it. */
export interface RenderedPrompt<out Output = unknown> {
  readonly text: string;
  /** The tools of the sections that are shown in full, and those to open the others by. */
  readonly tools: readonly AnyTool[];
  readonly skills: readonly Skill[];
  /** The policies of the template and of all enabled sections. */
  readonly policies: readonly ToolPolicy[];
  readonly checkers: readonly CompletionChecker[];
  readonly resources: Readonly<Record<string, unknown>>;
  readonly output?: StandardSchemaV1<unknown, Output>;
  readonly descriptor: PromptDescriptor;
  /** The paths of the sections that are shown as summaries. */
  readonly summarised: readonly string[];
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

export interface RenderInputs {
  readonly params: object;
  readonly overrides: AppliedOverrides;
  /** The paths of the sections that are shown in full whatever their visibility. */
  readonly opened: ReadonlySet<string>;
  /** The full text of a section that is shown as a summary. */
  readonly read: (path: string) => string;
  readonly directories: ReadonlyMap<AnySection, NonNullable<RenderContext["directory"]>>;
}

/** Renders a template. The same inputs give the same prompt, always. */
export function renderPrompt<Output>(template: PromptTemplate<Output>, inputs: RenderInputs): RenderedPrompt<Output> {
  const visited = visit(template.sections, inputs);
  const sections = visited.flatMap((each) => renderSection(each, inputs));
  const full = visited.filter(({ visibility }) => visibility === "full");
  const summarised = visited.filter(({ visibility }) => visibility === "summary").map(({ path }) => path);
  // A tool that is in two sections is there once; and what forbids goes on forbidding where it is not shown.
  const tools = new Set(full.flatMap(({ section }) => section.tools));
  const skills = new Set(full.flatMap(({ section }) => section.skills));
  const policies = new Set([...template.policies, ...visited.flatMap(({ section }) => section.policies)]);
  return {
    text: sections.map(({ text }) => text).join("\n\n"),
    tools: [...tools, ...disclosureTools(summarised, inputs.read)],
    skills: [...skills],
    policies: [...policies],
    checkers: template.checkers,
    resources: template.resources,
    ...(template.output ? { output: template.output } : {}),
    descriptor: describePrompt(template, inputs.overrides.texts),
    summarised,
    sections,
    warnings: inputs.overrides.warnings,
  };
}

interface Visited {
  readonly section: AnySection;
  readonly path: string;
  readonly number: string;
  readonly visibility: Visibility | "hidden";
}

/** Every enabled section, outer ones first; what is below a summary is hidden. */
function visit(sections: readonly AnySection[], inputs: RenderInputs, parent?: Visited): readonly Visited[] {
  const params = inputs.params as never;
  const visibilityOf = (section: AnySection, path: string): Visited["visibility"] => {
    if (parent && parent.visibility !== "full") return "hidden";
    return inputs.opened.has(path) ? "full" : section.visibilityFor(params);
  };
  return sections
    .filter((section) => section.isEnabled(params))
    .flatMap((section, index) => {
      const path = parent ? `${parent.path}/${section.key}` : section.key;
      const number = `${parent?.number ?? ""}${index + 1}.`;
      const visited = { section, path, number, visibility: visibilityOf(section, path) };
      return [visited, ...visit(section.children, inputs, visited)];
    });
}

function renderSection(
  { section, path, number, visibility }: Visited,
  inputs: RenderInputs,
): readonly RenderedSection[] {
  if (visibility === "hidden") return [];
  const params = inputs.params as never;
  const override = inputs.overrides.texts.get(path);
  const directory = inputs.directories.get(section);
  const context = { path, ...defined({ override, directory }) };
  const body =
    visibility === "full"
      ? section.render(params, context)
      : `${section.renderSummary(params, context)}\n\n${summaryNote(path)}`;
  return [{ path, text: `${heading(number)} ${section.title}\n\n${body}`.trim(), visibility }];
}

/** `## 1.` and `### 1.1.`; Markdown has no heading below the sixth level. */
function heading(number: string): string {
  const depth = number.split(".").length - 1;
  return `${"#".repeat(Math.min(depth + 1, 6))} ${number}`;
}
