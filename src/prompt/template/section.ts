import type { MountPreview } from "../../isolation/internal.ts";
import { checkSkill, type Skill } from "../skills/skill.ts";
import type { ToolPolicy } from "../tools/tool-policy.ts";
import type { AnyTool } from "../tools/tool.ts";
import { checkName, usageError } from "../usage-error.ts";

/** How much of a section is shown at first: all, or its summary until the model opens it. */
export type Visibility = "full" | "summary";

export type AnySection = Section<never>;

/** The params that a section and its children need; of one that the type checker knows too little of, any object. */
export type ParamsOf<Part> = Part extends { readonly needs?: (params: infer Params) => void }
  ? [Params] extends [never]
    ? object
    : Params
  : never;

export type ParamsOfAll<Sections extends readonly AnySection[]> = Sections extends readonly [
  infer First,
  ...infer Rest extends readonly AnySection[],
]
  ? ParamsOf<First> & ParamsOfAll<Rest>
  : unknown;

/** What a section is made of. */
export interface SectionOptions<Params extends object, Children extends readonly AnySection[] = readonly AnySection[]> {
  readonly title: string;
  /** Names the section among its siblings: 1 to 64 of `a-z`, `0-9`, `.`, `_` and `-`. */
  readonly key: string;
  readonly children?: Children;
  /** Whether the section is there at all; it is where this is left out. */
  readonly enabled?: (params: Params) => boolean;
  /** What the model can call as long as the section is shown in full. */
  readonly tools?: readonly AnyTool[];
  /** What the agent can learn as long as the section is shown in full. */
  readonly skills?: readonly Skill[];
  /** Rules that hold as long as the section is enabled, also where only its summary is shown. */
  readonly policies?: readonly ToolPolicy[];
  /** `full` where it is left out; anything else needs a `summary`. */
  readonly visibility?: Visibility | ((params: Params) => Visibility);
  /** What is shown in the place of the section until it is opened. */
  readonly summary?: string;
  /** Whether an override may put another text in the place of the section's own. */
  readonly acceptsOverrides?: boolean;
}

/** What a section is told when it is rendered. */
export interface RenderContext {
  /** The section's keys from the outermost on, joined by `/`. */
  readonly path: string;
  /** The text that stands in the place of the section's own. */
  readonly override?: string;
  /** The directory that an evaluation has made for the section, which only a workspace section has. */
  readonly directory?: { readonly previews: readonly MountPreview[] };
}

/** A part of a prompt with a heading, and what the model may use with it. */
export abstract class Section<in Params extends object = object> {
  readonly title: string;
  readonly key: string;
  readonly children: readonly AnySection[];
  readonly tools: readonly AnyTool[];
  readonly skills: readonly Skill[];
  readonly policies: readonly ToolPolicy[];
  readonly summary: string | undefined;
  readonly acceptsOverrides: boolean;
  /** The section's own text before anything is put in; what an override is guarded by. */
  readonly source: string = "";
  /** Only for the type checker: the params that the section needs. */
  declare readonly needs?: (params: Params) => void;
  readonly #enabled: (params: Params) => boolean;
  readonly #visibility: Visibility | ((params: Params) => Visibility);

  constructor(options: SectionOptions<Params>) {
    this.key = checkName("key of a section", options.key);
    this.title = checkTitle(options.title, this.key);
    this.children = Object.freeze([...(options.children ?? [])]);
    this.tools = Object.freeze([...(options.tools ?? [])]);
    this.skills = Object.freeze((options.skills ?? []).map((skill) => checkSkill(skill)));
    this.policies = Object.freeze([...(options.policies ?? [])]);
    this.summary = options.summary?.trim() || undefined;
    this.acceptsOverrides = options.acceptsOverrides ?? false;
    this.#enabled = options.enabled ?? (() => true);
    this.#visibility = options.visibility ?? "full";
    if (this.#visibility !== "full" && this.summary === undefined) {
      const message = `The section ${this.key} can be shown as a summary, but has none`;
      throw usageError(this.key, message, "Set summary, or leave visibility out");
    }
  }

  isEnabled(params: Params): boolean {
    return this.#enabled(params);
  }

  visibilityFor(params: Params): Visibility {
    return typeof this.#visibility === "function" ? this.#visibility(params) : this.#visibility;
  }

  /** Why an override cannot stand in the place of the source; undefined where it can. */
  refuseOverride(_text: string): string | undefined {
    return this.acceptsOverrides ? undefined : "the section accepts none";
  }

  /** The text under the heading, without the children. */
  abstract render(params: Params, context: RenderContext): string;

  /** What is shown in the place of the section until it is opened. */
  renderSummary(_params: Params, _context: RenderContext): string {
    return this.summary ?? "";
  }
}

function checkTitle(title: string, key: string): string {
  if (typeof title === "string" && title.trim() !== "" && !/[\r\n]/u.test(title)) return title.trim();
  throw usageError(key, `The section ${key} needs a one-line title`);
}
