import { z } from "zod";
import { SkeinError, type SkeinEvent, errorFromRecord } from "../../../core/index.ts";
import { FilesData } from "../../turn/files-data.ts";
import {
  OfferedTool,
  askOffer,
  type TrustedSettings,
  findTool,
  ALL_TOOLS_AT_ONCE,
  offlineInFolder,
  findRuledOut,
} from "../../../protocol/index.ts";
import { agentFlags } from "../../turn/agent-flags.ts";
import { offerFlags } from "./offer.ts";
import type { CommandContext } from "../../command-context.ts";
import { defineCommand } from "../../define-command.ts";
import { openOfflineModel } from "../../../offline/index.ts";
import { openWorkspace } from "../../open-workspace.ts";
import { plainText } from "../../plain-text.ts";
import { runInFolder } from "./run-in-folder.ts";
import { timeoutFlag, argument } from "../../common-flags.ts";
import { requireTrust } from "../../require-trust.ts";
import type { TurnView } from "../../turn/turn-view.ts";

type ToolEnd = Extract<SkeinEvent, { readonly type: "tool-end" }>;

const ToolCallData = z.strictObject({
  handled: z.literal(true),
  name: z.string(),
  payload: z.record(z.string(), z.unknown()),
  source: OfferedTool.shape.source,
  server: z.string().nullable(),
  output: z.string(),
  /** The same in blocks, where it is more than one text, such as an image. */
  content: z.array(z.unknown()).nullable(),
  /** Whether the tool itself says that it failed: it was run all the same. */
  is_error: z.boolean(),
  duration_ms: z.number(),
  files: FilesData,
  state_id: z.string().nullable(),
  transition_id: z.string().nullable(),
  conversation_id: z.string().nullable(),
});
type ToolCallData = z.infer<typeof ToolCallData>;

export function toCallEnd(end: ToolEnd): Pick<ToolCallData, "output" | "content" | "is_error" | "duration_ms"> {
  const { output, isError, durationMs } = end;
  const rest = { is_error: isError, duration_ms: durationMs };
  if (!Array.isArray(output)) return { output: toText(output), content: null, ...rest };
  const blocks: readonly unknown[] = output;
  return { output: blocks.map(blockText).filter(Boolean).join("\n"), content: [...blocks], ...rest };
}

export function parsePayload(payload: string): Readonly<Record<string, unknown>> {
  const bad = (why: string): SkeinError =>
    new SkeinError(`The payload is not a JSON object: ${why}`, {
      kind: "parse",
      target: "payload",
      hint: `Give something like '{"command":"ls"}'; skein show-tool shows what a tool takes`,
    });
  let value: unknown;
  try {
    value = JSON.parse(payload);
  } catch (error) {
    throw bad((error as Error).message);
  }
  const parsed = z.record(z.string(), z.unknown()).safeParse(value);
  if (parsed.success) return parsed.data;
  throw bad(`it is ${Array.isArray(value) ? "a list" : value === null ? "null" : `a ${typeof value}`}`);
}

function blockText(block: unknown): string {
  const text = (block as { readonly text?: unknown } | null)?.text;
  return typeof text === "string" ? text : "";
}

function toText(output: unknown): string {
  if (output === undefined || output === null) return "";
  return typeof output === "string" ? output : JSON.stringify(output);
}

const { permissionMode, allowedTools, disallowedTools, allowWorktrees, reveal } = agentFlags;

/** Runs one tool for real: the embedded model names the call, the CLI decides about it and runs it. */
export const execTool = defineCommand({
  name: "exec-tool",
  summary: "Run one tool under the CLI's rules",
  effects: { changes: "replaces", isRepeatable: false, reaches: "world" },
  args: z.object({
    name: argument("Its name; case is ignored"),
    payload: argument("Its input, as a JSON object"),
    ...offerFlags,
    permissionMode,
    allowedTools,
    disallowedTools,
    allowWorktrees,
    reveal,
    timeout: timeoutFlag,
  }),
  positional: ["name", "payload"],
  data: ToolCallData,
  streaming: "on-request",
  examples: [`exec-tool Bash '{"command":"ls"}'`, `exec-tool Read '{"file_path":"{{cwd}}/README.md"}'`],
  async run(given, context) {
    const payload = parsePayload(given.payload);
    await using workspace = await openWorkspace(given.cwd, context);
    const trusted = await requireTrust(workspace.path, { ...given, context });
    const { name, source, server } = await findCallable(given.name, {
      trusted,
      deniedRules: given.disallowedTools,
      context,
    });
    await using model = await openOfflineModel("direct");
    const { env, settings } = offlineInFolder(model, context.env);
    const calls = collectCalls();
    const { data: turn, error } = await runInFolder(workspace, {
      prompt: `${name} ${JSON.stringify(payload)}`,
      trusted,
      flags: given,
      timeoutS: given.timeout,
      view: calls.view,
      context,
      options: { env: { ...env, ...ALL_TOOLS_AT_ONCE }, settings, verbatimPrompts: true },
    });
    if (error) throw errorFromRecord(error, { name, payload, handled: false, turn });
    const end = calls.first(name);
    const call = toCallEnd(end);
    if (end.isDenied) throw denied(name, call.output, { payload, turn });
    const { files, state_id, transition_id, conversation_id } = turn;
    const recorded = { files, state_id, transition_id, conversation_id };
    return { handled: true as const, name, payload: { ...payload }, source, server, ...call, ...recorded };
  },
  format: ({ output }) => (output === "" ? "" : `${plainText(output).trimEnd()}\n`),
});

interface Asked {
  readonly trusted: TrustedSettings;
  readonly deniedRules: readonly string[];
  readonly context: CommandContext;
}

/** Finds the tool among those that are offered. One that only a rule keeps away is denied, not missing. */
async function findCallable(name: string, { trusted, deniedRules, context }: Asked): Promise<OfferedTool> {
  const { directory } = trusted;
  const here = await askOffer(directory, { ...context, settings: trusted, options: { disallowedTools: deniedRules } });
  try {
    return findTool(name, here.tools);
  } catch (error) {
    const bare = await askOffer(directory, context);
    const wanted = name.toLowerCase();
    const ruledOut = findRuledOut({ here, bare }).find((tool) => tool.name.toLowerCase() === wanted);
    throw ruledOut ? denied(ruledOut.name, "a rule keeps it from the model") : error;
  }
}

function collectCalls(): { readonly view: TurnView; first(tool: string): ToolEnd } {
  const ends: ToolEnd[] = [];
  return {
    view: {
      begin: () => {},
      end: () => {},
      pause: () => () => {},
      show: async (event) => void (event.type === "tool-end" && ends.push(event)),
    },
    first(tool) {
      const [end] = ends;
      if (end) return end;
      throw new SkeinError(`The CLI did not run ${tool}`, { kind: "runtime", target: tool });
    },
  };
}

function denied(tool: string, message: string, details: Readonly<Record<string, unknown>> = {}): SkeinError {
  return new SkeinError(`The call to ${tool} was denied: ${message}`, {
    kind: "policy",
    target: tool,
    hint: `Allow it with --allowed-tools ${tool} or a rule in the folder's settings, unless another rule denies it`,
    details: { name: tool, handled: false, ...details },
  });
}
