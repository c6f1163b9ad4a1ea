import { defined } from "../../core/index.ts";
import type { CompletionChecker } from "../completion/completion-checker.ts";
import type { StandardSchemaV1 } from "../output/standard-schema.ts";
import type { Skill } from "../skills/skill.ts";
import type { ToolPolicy } from "../tools/tool-policy.ts";
import type { AnyTool } from "../tools/tool.ts";
import { disclosureTools, summaryNote } from "./disclosure.ts";
import { describePrompt, type PromptDescriptor } from "./prompt-descriptor.ts";
import type { PromptWarning, AppliedOverrides } from "./prompt-overrides.ts";
import type { PromptTemplate } from "./prompt-template.ts";
import type { Visibility, AnySection, RenderContext } from "./section.ts";

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

/** What a template is rendered with. */
export interface RenderInputs {
  readonly params: object;
  readonly overrides: AppliedOverrides;
  /** The paths of the sections that are shown in full whatever their visibility. */
  readonly opened: ReadonlySet<string>;
  /** The full text of a section that is shown as a summary. */
  readonly read: (path: string) => string;
  /** The directories that were made for sections. */
  readonly directories: ReadonlyMap<AnySection, NonNullable<RenderContext["directory"]>>;
}

/** Renders a template. The same inputs give the same prompt, always. */
export function renderPrompt<Output>(template: PromptTemplate<Output>, inputs: RenderInputs): RenderedPrompt<Output> {
  const shown: Shown = { sections: [], tools: new Set(), skills: new Set(), policies: new Set(template.policies) };
  renderAll(template.sections, { inputs, shown, path: "", number: "" });
  const summarised = shown.sections.filter(({ visibility }) => visibility === "summary").map(({ path }) => path);
  return {
    text: shown.sections.map(({ text }) => text).join("\n\n"),
    tools: [...shown.tools, ...disclosureTools(summarised, inputs.read)],
    skills: [...shown.skills],
    policies: [...shown.policies],
    checkers: template.checkers,
    resources: template.resources,
    ...(template.output ? { output: template.output } : {}),
    descriptor: describePrompt(template, inputs.overrides.texts),
    summarised,
    sections: shown.sections,
    warnings: inputs.overrides.warnings,
  };
}

/** What has been rendered so far. A tool that is in two sections is there once. */
interface Shown {
  readonly sections: RenderedSection[];
  readonly tools: Set<AnyTool>;
  readonly skills: Set<Skill>;
  readonly policies: Set<ToolPolicy>;
}

interface Place {
  readonly inputs: RenderInputs;
  readonly shown: Shown;
  /** The path and the number of the parent. */
  readonly path: string;
  readonly number: string;
}

function renderAll(sections: readonly AnySection[], place: Place): void {
  const params = place.inputs.params as never;
  sections
    .filter((section) => section.isEnabled(params))
    .forEach((section, index) =>
      renderSection(section, {
        ...place,
        path: place.path === "" ? section.key : `${place.path}/${section.key}`,
        number: `${place.number}${index + 1}.`,
      }),
    );
}

function renderSection(section: AnySection, place: Place): void {
  const { inputs, shown, path, number } = place;
  const params = inputs.params as never;
  const override = inputs.overrides.texts.get(path);
  const directory = inputs.directories.get(section);
  const context = { path, ...defined({ override }), ...(directory ? { directory } : {}) };
  const visibility = inputs.opened.has(path) ? "full" : section.visibilityFor(params);
  const body =
    visibility === "full"
      ? section.render(params, context)
      : `${section.renderSummary(params, context)}\n\n${summaryNote(path)}`;
  shown.sections.push({ path, text: `${heading(number)} ${section.title}\n\n${body}`.trim(), visibility });
  if (visibility === "summary") return keepPolicies(section, shown, params);
  for (const each of section.tools) shown.tools.add(each);
  for (const each of section.skills) shown.skills.add(each);
  for (const each of section.policies) shown.policies.add(each);
  renderAll(section.children, place);
}

/** What forbids goes on forbidding where it is not shown. */
function keepPolicies(section: AnySection, shown: Shown, params: never): void {
  for (const each of section.policies) shown.policies.add(each);
  for (const child of section.children) if (child.isEnabled(params)) keepPolicies(child, shown, params);
}

/** `## 1.` and `### 1.1.`; Markdown has no heading below the sixth level. */
function heading(number: string): string {
  const depth = number.split(".").length - 1;
  return `${"#".repeat(Math.min(depth + 1, 6))} ${number}`;
}
