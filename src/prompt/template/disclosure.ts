import { z } from "zod";
import { ToolResult } from "../tools/tool-result.ts";
import { tool, type AnyTool } from "../tools/tool.ts";

export const OPEN_SECTIONS: string = "open_sections";

export const READ_SECTION: string = "read_section";

/** How often an evaluation goes on with more sections opened: a model that opens and opens is stopped there. */
export const MAX_OPENINGS = 10;

/** The value of `open_sections`: the evaluation has to go on with `prompt.open(sections)`. */
interface SectionsOpened {
  readonly type: "sections-opened";
  /** The paths of the sections. */
  readonly sections: readonly string[];
  readonly reason: string;
  render(): string;
}

export function isSectionsOpened(value: unknown): value is SectionsOpened {
  return (value as Partial<SectionsOpened> | null | undefined)?.type === "sections-opened";
}

/** The line under a summary that tells the model how to get at the rest. */
export function summaryNote(path: string): string {
  return `_A summary. ${READ_SECTION} with the key \`${path}\` shows the whole section; ${OPEN_SECTIONS} also makes its tools available._`;
}

/** The tools over the sections that are shown as summaries; none where there are none. */
export function disclosureTools(summarised: readonly string[], read: (path: string) => string): readonly AnyTool[] {
  if (summarised.length === 0) return [];
  const noSuchSection = (key: string): ToolResult<never> =>
    ToolResult.error(`There is no summary of a section ${JSON.stringify(key)}. There are: ${summarised.join(", ")}`);
  const openSections = tool({
    name: OPEN_SECTIONS,
    description:
      "Open sections that are shown as summaries: their full text and their tools follow in the next message.",
    params: z.strictObject({
      section_keys: z.array(z.string()).min(1).describe("The keys of the sections, as the summaries name them"),
      reason: z.string().min(1).describe("Why they are needed"),
    }),
    handler({ section_keys, reason }): ToolResult<SectionsOpened> {
      const unknown = section_keys.find((key) => !summarised.includes(key));
      if (unknown !== undefined) return noSuchSection(unknown);
      const sections = [...new Set(section_keys)];
      const text = `Opening ${sections.join(", ")}. Stop here: the full text follows in the next message.`;
      return ToolResult.ok({ type: "sections-opened", sections, reason, render: () => text });
    },
  });
  const readSection = tool({
    name: READ_SECTION,
    description: "Read the full text of a section that is shown as a summary. Its tools stay hidden.",
    params: z.strictObject({ section_key: z.string().describe("The key of the section, as the summary names it") }),
    handler({ section_key }): ToolResult<{ text: string; render(): string }> {
      if (!summarised.includes(section_key)) return noSuchSection(section_key);
      const text = read(section_key);
      return ToolResult.ok({ text, render: () => text });
    },
  });
  return [openSections, readSection];
}
