import { z } from "zod";
import { noMonitor } from "../../../protocol/index.ts";
import { argument } from "../../common-flags.ts";
import { defineCommand, type TerminalCommand } from "../../define-command.ts";

export const remoteMode = monitorMode("remote-mode", {
  summary: "Drive a monitor server (none exists yet)",
  target: "The server's address",
});

export const directConnectMode = monitorMode("direct-connect-mode", {
  summary: "Attach to a monitor server (none exists yet)",
  target: "The agent's address",
});

/** There is no monitor server yet, and nothing pretends that there were. */
function monitorMode(name: string, words: { readonly summary: string; readonly target: string }): TerminalCommand {
  return defineCommand({
    name,
    summary: words.summary,
    effects: { changes: "replaces", isRepeatable: false, reaches: "world" },
    args: z.object({ target: argument(words.target) }),
    positional: ["target"],
    data: z.strictObject({ target: z.string() }),
    async run({ target }) {
      throw noMonitor(target);
    },
  });
}
