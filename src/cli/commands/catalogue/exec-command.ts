import { z } from "zod";
import { errorFromRecord } from "../../../core/index.ts";
import { agentFlags } from "../../turn/agent-flags.ts";
import { askOffer, findCommand, offlineInFolder, OfferedCommand } from "../../../protocol/index.ts";
import { offerFlags } from "./offer.ts";
import { defineCommand } from "../../define-command.ts";
import { openOfflineModel } from "../../../offline/index.ts";
import { openWorkspace } from "../../open-workspace.ts";
import { runInFolder } from "./run-in-folder.ts";
import { timeoutFlag, argument } from "../../common-flags.ts";
import { requireTrust } from "../../require-trust.ts";
import { TurnData } from "../../turn/turn-data.ts";
import { turnSummary } from "../../turn/turn-summary.ts";
import { createTurnView } from "../../turn/turn-view.ts";

export const execCommand = defineCommand({
  name: "exec-command",
  summary: "Run a slash command or skill",
  effects: { changes: "replaces", isRepeatable: false, reaches: "world" },
  args: z.object({
    name: argument("Its name, with or without the slash; case is ignored"),
    prompt: z.string().default("").meta({ description: "Its arguments, as you would type them after the name" }),
    ...offerFlags,
    ...agentFlags,
    timeout: timeoutFlag,
  }),
  positional: ["name", "prompt"],
  data: TurnData.extend({
    handled: z.literal(true),
    name: z.string(),
    prompt: z.string(),
    source: OfferedCommand.shape.source,
  }),
  streaming: "on-request",
  examples: ['exec-command review "the last commit"', "exec-command context --offline"],
  async run(given, context) {
    await using workspace = await openWorkspace(given.cwd, context);
    const trusted = await requireTrust(workspace.path, { ...given, context });
    const offer = await askOffer(workspace.path, { ...context, settings: trusted });
    const { name, source } = findCommand(given.name, offer.commands);
    await using model = given.offline === undefined ? undefined : await openOfflineModel(given.offline);
    const prompt = `/${name} ${given.prompt}`.trimEnd();
    const { data, error } = await runInFolder(workspace, {
      prompt,
      trusted,
      flags: given,
      timeoutS: given.timeout,
      view: createTurnView(context),
      context,
      options: model === undefined ? {} : offlineInFolder(model, context.env),
    });
    const cwd = workspace.path;
    await context.print(turnSummary(data, { terminal: context.terminal, cwd, isOffline: model !== undefined }));
    if (error) throw errorFromRecord(error, { name, prompt, handled: false, turn: data });
    return { ...data, handled: true as const, name, prompt, source };
  },
});
