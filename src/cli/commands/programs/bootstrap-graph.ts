import { z } from "zod";
import { errorFromRecord, type SkeinEvent, defined } from "../../../core/index.ts";
import { ClaudeSDKClient, claudePrompt, detectCredentials, findCli } from "../../../engine/index.ts";
import { detectSandbox } from "../../../isolation/index.ts";
import type { Workspace } from "../../../workspace/index.ts";
import { agentFlags } from "../../turn/agent-flags.ts";
import type { CommandContext } from "../../command-context.ts";
import { createStageClock, Stage, type StageClock, type StageToDo } from "../../../protocol/index.ts";
import { defineCommand } from "../../define-command.ts";
import { openOfflineModel, type OfflineModel } from "../../../offline/index.ts";
import { cwdFlag, openWorkspace } from "../../open-workspace.ts";

/** Goes through the whole start-up once, up to the model's first word, and measures its stages. */
export const bootstrapGraph = defineCommand({
  name: "bootstrap-graph",
  summary: "List the stages of startup with their times",
  effects: { changes: "nothing", isRepeatable: true, reaches: "machine" },
  args: z.object({ cwd: cwdFlag, model: agentFlags.model }),
  data: z.strictObject({
    cwd: z.string(),
    cli_version: z.string(),
    stages: z.array(Stage),
    total_ms: z.number(),
    note: z.string(),
  }),
  examples: ["bootstrap-graph", "bootstrap-graph --output-format json"],
  async run({ cwd, model }, context) {
    const clock = createStageClock({ stage: "load-command", summary: "Node starts and loads the command" });
    await using workspace = await clock.measure(
      { stage: "open-workspace", summary: "The directory's store is opened", after: ["load-command"] },
      () => openWorkspace(cwd, context),
    );
    const { version } = await lookAround(clock, context);
    await using offline = await clock.measure(
      { stage: "start-model", summary: "The embedded model listens", after: ["load-command"] },
      () => openOfflineModel("direct"),
    );
    await startAgent(clock, { workspace, offline, model, signal: context.signal });
    const { stages } = clock;
    const last = stages.at(-1);
    return {
      cwd: workspace.path,
      cli_version: version,
      stages,
      total_ms: (last?.started_ms ?? 0) + (last?.duration_ms ?? 0),
      note: "Measured just now, stage by stage, against the embedded model; nothing was recorded.",
    };
  },
  format({ stages, total_ms: total }, { terminal: { colors } }) {
    const width = Math.max(...stages.map(({ stage }) => stage.length));
    const lines = stages.map(
      ({ stage, summary, duration_ms: ms }) =>
        `${stage.padEnd(width)}  ${`${ms.toFixed(1)} ms`.padStart(11)}  ${colors.dim(summary)}\n`,
    );
    return `${lines.join("")}${"all".padEnd(width)}  ${`${total.toFixed(1)} ms`.padStart(11)}\n`;
  },
});

async function lookAround(clock: StageClock, { env }: CommandContext): Promise<{ readonly version: string }> {
  const after = ["load-command"];
  await clock.measure({ stage: "detect-sandbox", summary: "Tests the sandbox for Bash", after }, () =>
    detectSandbox({ path: env["PATH"] }),
  );
  await clock.measure({ stage: "detect-credentials", summary: "Looks for a key or a login", after }, () =>
    detectCredentials(env),
  );
  return await clock.measure({ stage: "find-cli", summary: "Finds the CLI and asks for its version", after }, () =>
    findCli(),
  );
}

interface AgentToStart {
  readonly workspace: Workspace;
  readonly offline: OfflineModel;
  readonly model: string | undefined;
  readonly signal: AbortSignal;
}

async function startAgent(clock: StageClock, { workspace, offline, model, signal }: AgentToStart): Promise<void> {
  await using client = new ClaudeSDKClient({
    cwd: workspace.path,
    persistSession: false,
    signal,
    env: offline.env,
    ...defined({ model }),
  });
  await clock.measure(
    { stage: "spawn", summary: "Loads the SDK and starts the CLI", after: ["find-cli", "start-model"] },
    () => client.connect(),
  );
  await clock.measure({ stage: "ready", summary: "The CLI answers its first question", after: ["spawn"] }, () =>
    client.mcpStatus(),
  );
  const [...waiting] = TURN_STAGES;
  let stage = waiting.shift();
  let end = stage && clock.begin(stage);
  // Read to its very end: what watches over a turn is let go of only there.
  for await (const event of client.stream(claudePrompt("say ok"))) {
    if (event.type === "turn-end" && event.result.error) throw errorFromRecord(event.result.error);
    if (event.type !== stage?.ends) continue;
    end?.();
    stage = waiting.shift();
    end = stage && clock.begin(stage);
  }
}

const TURN_STAGES: readonly (StageToDo & { readonly ends: SkeinEvent["type"] })[] = [
  {
    stage: "init-message",
    summary: "The CLI takes a prompt and reports its session",
    after: ["ready"],
    ends: "turn-start",
  },
  {
    stage: "first-text",
    summary: "The model is called and starts to answer",
    after: ["init-message"],
    ends: "text-delta",
  },
  { stage: "result", summary: "The turn is over", after: ["first-text"], ends: "turn-end" },
];
