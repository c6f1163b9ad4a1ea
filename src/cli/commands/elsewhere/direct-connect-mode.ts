import { z } from "zod";
import { cutOffError, RunData } from "../../../monitor/internal.ts";
import { formatCard, formatUsd, plainLine } from "../../../terminal/index.ts";
import { argument, optionalArgument } from "../../common-flags.ts";
import { defineCommand } from "../../define-command.ts";
import { shortId } from "../../states/short-id.ts";
import { createTurnView } from "../../turn/turn-view.ts";
import { openServer, serverFlags, showRun } from "./monitor-server.ts";

export const directConnectMode = defineCommand({
  name: "direct-connect-mode",
  summary: "Watch a run of a Skein server elsewhere",
  effects: { changes: "nothing", isRepeatable: true, reaches: "world" },
  args: z.object({
    target: argument("The server's address, as http://127.0.0.1:4269"),
    run: optionalArgument("The run's id, as the server's list has it (default: the newest)"),
    ...serverFlags,
  }),
  positional: ["target", "run"],
  data: z.strictObject({
    target: z.string().describe("The server's address"),
    run: RunData.describe("The run: over, or going on where this was interrupted, which does not stop it"),
  }),
  streaming: "on-request",
  hasTurnEvents: true,
  examples: [
    "direct-connect-mode http://127.0.0.1:4269",
    "direct-connect-mode http://127.0.0.1:4269 0199b3c4-5d6e-7f80-9123-456789abcdef",
  ],
  async run(given, context) {
    const { signal, notice } = context;
    const { target } = given;
    const server = await openServer(given, context);
    const { run, offline } = given.run === undefined ? await server.newest() : await server.read(given.run);
    const view = createTurnView(context, { isOffline: offline === true });
    try {
      await showRun(server.follow(run, { signal, notice }), { view, context });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    const found = await server.read(run);
    if (found.state === "interrupted") throw cutOffError(run);
    return { target, run: found };
  },
  format({ run }, { terminal }) {
    const rows = formatCard(
      [
        ["Run", run.run],
        ["State", run.is_error === true ? `failed: ${run.error_kind ?? "error"}` : run.state],
        ["Place", plainLine(run.directory)],
        ["Cost", ...(run.cost_usd === null ? [] : [formatUsd(run.cost_usd)])],
        ["Kept as", ...(run.state_id === null ? [] : [shortId(run.state_id)])],
      ],
      terminal,
    );
    return `\n${rows}`;
  },
});
