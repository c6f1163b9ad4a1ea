import { z } from "zod";
import { SkeinError } from "../../../core/internal.ts";
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
    data: z.strictObject({ target: z.string().describe("What was to be connected to") }),
    async run({ target }) {
      throw new SkeinError("There is no monitor server to connect to yet", {
        kind: "policy",
        target,
        hint: "To work on another machine, use skein ssh-mode or skein teleport-mode; to drive Skein from a program, skein rpc.",
      });
    },
  });
}
