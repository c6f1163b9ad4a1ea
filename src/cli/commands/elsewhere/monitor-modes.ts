import { z } from "zod";
import { defineCommand } from "../../define-command.ts";
import { noMonitor } from "../../../protocol/index.ts";
import { argument } from "../../common-flags.ts";

/** Would drive the agents of a monitor server. There is none yet, and nothing pretends that there were. */
export const remoteMode = defineCommand({
  name: "remote-mode",
  summary: "Drive a monitor server (none exists yet)",
  heading: "Elsewhere:",
  effects: { changes: "replaces", isRepeatable: false, reaches: "world" },
  args: z.object({ target: argument("The server's address") }),
  positional: ["target"],
  data: z.strictObject({ target: z.string() }),
  async run({ target }) {
    throw noMonitor(target);
  },
});

/** Would attach to one running agent of a monitor server. There is none yet, and nothing pretends that there were. */
export const directConnectMode = defineCommand({
  name: "direct-connect-mode",
  summary: "Attach to a monitor server (none exists yet)",
  heading: "Elsewhere:",
  effects: { changes: "replaces", isRepeatable: false, reaches: "world" },
  args: z.object({ target: argument("The agent's address") }),
  positional: ["target"],
  data: z.strictObject({ target: z.string() }),
  async run({ target }) {
    throw noMonitor(target);
  },
});
