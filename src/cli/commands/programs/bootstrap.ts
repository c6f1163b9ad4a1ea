import { z } from "zod";
import { errorFromRecord, SkeinError } from "../../../core/index.ts";
import { agentFlags } from "../../turn/agent-flags.ts";
import { askOffer, usageError, rankOffer, RouteMatch, describeSetUp, SetUp } from "../../../protocol/index.ts";
import type { CommandContext } from "../../command-context.ts";
import { defineCommand } from "../../define-command.ts";
import { LoopTurnData, withLoop, type HeldLoop, type LoopEnd } from "./with-loop.ts";
import { cwdFlag, findDirectory } from "../../open-workspace.ts";
import { argument } from "../../common-flags.ts";

const args = z.object({
  prompt: argument("What the agent should do"),
  cwd: cwdFlag,
  limit: z.coerce.number().int().min(0).default(5).meta({
    label: "count",
    description: "Match at most this many commands and tools in total",
  }),
  ...agentFlags,
});

const data = z.strictObject({
  prompt: z.string(),
  limit: z.int(),
  cwd: z.string(),
  setup: SetUp,
  routed_matches: z.array(RouteMatch),
  /** What a slash command answered, where the prompt is one. */
  command_execution_messages: z.array(z.string()),
  tool_execution_messages: z.array(z.string()),
  turn: LoopTurnData,
  conversation_id: z.string().nullable(),
  persisted_session_path: z.string().nullable(),
});

export const bootstrap = defineCommand({
  name: "bootstrap",
  summary: "Report the setup, route a prompt, run one turn",
  effects: { changes: "replaces", isRepeatable: false, reaches: "world" },
  args,
  positional: ["prompt"],
  data,
  streaming: "on-request",
  examples: ['bootstrap "Build a TODO app" --offline', 'bootstrap "Fix the failing test" --output-format json'],
  async run(given, context) {
    if (given.prompt.trim() === "") {
      throw usageError("bootstrap", "The prompt is empty", { target: "prompt", hint: "Say what the agent should do." });
    }
    const directory = await findDirectory(given.cwd, context);
    const setup = await describeSetUp(directory, context);
    const routed = await route(given, directory, context);
    return await withLoop({ ...given, continue: false }, context, async (loop) => {
      const end = await loop.run({ prompt: given.prompt, maxTurns: 1, match: () => namesOf(routed) });
      const found = { ...toData(end, loop), prompt: given.prompt, limit: given.limit, setup, routed_matches: routed };
      const { stop_reason: reason } = found.turn;
      if (reason === "completed" || reason === "max_budget_reached") return found;
      if (end.error) throw errorFromRecord(end.error, found);
      throw new SkeinError("The turn was cancelled", { kind: "cancelled", details: found });
    });
  },
  format({ setup, routed_matches: matches, turn }) {
    const routed = matches.map(({ kind, name, score }) => `${kind}\t${name}\t${score}\n`);
    const about = `Claude Code ${setup.cli_version}, Node ${setup.node_version}, ${setup.platform_name}\n`;
    return `\n${about}${routed.join("")}stop_reason=${turn.stop_reason}\n`;
  },
});

type Args = z.infer<typeof args>;

async function route({ prompt, limit }: Args, directory: string, context: CommandContext): Promise<RouteMatch[]> {
  if (limit === 0) return [];
  // The turn reads no settings files, so it is offered what there is without them.
  const offer = await askOffer(directory, { env: context.env, signal: context.signal });
  return rankOffer(prompt, offer).slice(0, limit);
}

function namesOf(matches: readonly RouteMatch[]): Pick<LoopTurnData, "matched_commands" | "matched_tools"> {
  const named = (kind: RouteMatch["kind"]): string[] =>
    matches.filter((match) => match.kind === kind).map(({ name }) => name);
  return { matched_commands: named("command"), matched_tools: named("tool") };
}

type Ran = Omit<z.infer<typeof data>, "prompt" | "limit" | "setup" | "routed_matches">;

function toData({ turns }: LoopEnd, loop: HeldLoop): Ran {
  const [turn] = turns as readonly [LoopTurnData];
  const isRecorded = turn.state_id !== null;
  return {
    cwd: loop.cwd,
    command_execution_messages: turn.prompt.startsWith("/") && turn.output !== "" ? [turn.output] : [],
    tool_execution_messages: turn.tools.map(
      ({ tool, calls, errors, denied }) => `${tool}: ${calls} called, ${errors} failed, ${denied} denied`,
    ),
    turn,
    conversation_id: isRecorded ? loop.conversationId() : null,
    persisted_session_path: isRecorded ? loop.storePath : null,
  };
}
