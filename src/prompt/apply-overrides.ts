import { SkeinError } from "../core/index.ts";
import type { PlacedSection } from "./check-sections.ts";
import type { PromptOverrides } from "./overrides/prompt-overrides.ts";
import { hashText } from "./prompt-descriptor.ts";

/** An override that was not put in, and why. */
export interface PromptWarning {
  /** Made for another text; of a section that is not there; or not fit for the section. */
  readonly type: "stale-override" | "unknown-section" | "refused-override";
  readonly path: string;
  readonly message: string;
}

/** The texts that take the place of sections' own, by path, and what was left out. */
export interface AppliedOverrides {
  readonly texts: ReadonlyMap<string, string>;
  readonly warnings: readonly PromptWarning[];
}

/** Decides which overrides hold for a template: those made for exactly the texts that it has. */
export function applyOverrides(
  template: { readonly ns: string; readonly key: string; readonly placed: readonly PlacedSection[] },
  overrides: PromptOverrides | undefined,
): AppliedOverrides {
  if (!overrides) return { texts: new Map(), warnings: [] };
  if (overrides.ns !== template.ns || overrides.key !== template.key) throw notFor(template, overrides);
  const sections = new Map(template.placed.map(({ path, section }) => [path, section]));
  const texts = new Map<string, string>();
  const warnings: PromptWarning[] = [];
  const warn = (type: PromptWarning["type"], path: string, why: string): void => {
    warnings.push({ type, path, message: `The override of ${path} (${overrides.tag}) is ignored: ${why}` });
  };
  for (const [path, { hash, text }] of Object.entries(overrides.sections)) {
    const section = sections.get(path);
    const refusal = section?.refuseOverride(text);
    if (!section) warn("unknown-section", path, "there is no such section");
    else if (hash !== hashText(section.source)) warn("stale-override", path, "the section's text has changed since");
    else if (refusal !== undefined) warn("refused-override", path, refusal);
    else texts.set(path, text);
  }
  return { texts, warnings };
}

function notFor(template: { ns: string; key: string }, { ns, key }: PromptOverrides): SkeinError {
  return new SkeinError(`The overrides are for the prompt ${ns}/${key}, not for ${template.ns}/${template.key}`, {
    kind: "usage",
    target: `${template.ns}/${template.key}`,
    hint: "Read them by this prompt's ns and key",
  });
}
