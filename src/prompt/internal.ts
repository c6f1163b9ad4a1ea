// What other rooms use of this one; users have `index.ts`.
export type { PromptTemplateOptions } from "./template/prompt-template.ts";
export type { AnySection } from "./template/section.ts";
export type { AnyTool } from "./tools/tool.ts";
