import { type Rule, type Step } from "../../src/offline/index.ts";
import { type ClaudeOptions } from "../../src/engine/index.ts";
import {
  ClaudeAgentSDKAdapter,
  InProcessDispatcher,
  MarkdownSection,
  Prompt,
  PromptTemplate,
  PromptSession,
  type AdapterOptions,
  type PromptEvent,
  type ToolInvoked,
} from "../../src/prompt/index.ts";
import { type PromptTemplateOptions, type AnySection, type AnyTool } from "../../src/prompt/internal.ts";
import { startOfflineAgent, type OfflineAgent } from "../../src/testing/index.ts";

/** An agent that plays a script, an adapter for it, and a session whose events are kept. */
export interface PromptBench extends AsyncDisposable {
  readonly agent: OfflineAgent;
  readonly session: PromptSession;
  readonly events: readonly PromptEvent[];
  /** The tool calls that were told of: name, and how each ended. */
  calls(): readonly string[];
  adapter(options?: AdapterOptions): ClaudeAgentSDKAdapter;
}

/** Starts a bench: one script for all prompts, or rules for different ones. */
export async function startPromptBench(
  script: readonly Step[] | { readonly rules: readonly Rule[] },
  options: ClaudeOptions = {},
): Promise<PromptBench> {
  const rules = "rules" in script ? script.rules : [{ steps: script }];
  const agent = await startOfflineAgent({ name: "bench", rules }, { permissionMode: "acceptEdits", ...options });
  const dispatcher = new InProcessDispatcher();
  const events: PromptEvent[] = [];
  for (const type of ["prompt-rendered", "tool-invoked", "prompt-executed"] as const) {
    dispatcher.subscribe(type, (event) => void events.push(event));
  }
  const invoked = (): readonly ToolInvoked[] => events.filter((event) => event.type === "tool-invoked");
  return {
    agent,
    session: new PromptSession({ dispatcher }),
    events,
    calls: () =>
      invoked().map(({ name, success, isDenied }) => `${name} ${isDenied ? "denied" : success ? "ok" : "failed"}`),
    adapter: (own = {}) => new ClaudeAgentSDKAdapter({ engine: agent.engine, ...own }),
    [Symbol.asyncDispose]: async () => await agent.close(),
  };
}

/** A prompt of one section. */
export function samplePrompt<Output = undefined>(
  options: Partial<Omit<PromptTemplateOptions<Output, readonly AnySection[]>, "sections">> & {
    readonly tools?: readonly AnyTool[];
    readonly text?: string;
  } = {},
): Prompt<Output> {
  const { tools = [], text = "Do it.", ...rest } = options;
  const section = new MarkdownSection({ title: "Task", key: "task", template: text, params: [], tools });
  const template = new PromptTemplate<Output>({ ns: "test", key: "sample", sections: [section], ...rest });
  return new Prompt(template);
}
