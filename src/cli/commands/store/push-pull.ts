import { z } from "zod";
import { hideCredentials, pushStates, pullStates } from "../../../workspace/index.ts";
import { defineCommand } from "../../define-command.ts";
import { cwdFlag, openToRead } from "../../open-workspace.ts";
import { formatTransfer, toTransferData, TransferData } from "./transfer-data.ts";
import { argument } from "../../common-flags.ts";

/** Sends all states to a git remote. */
export const push = defineCommand({
  name: "push",
  summary: "Send all states to a git remote",
  effects: { changes: "adds", isRepeatable: true, reaches: "world" },
  args: z.object({
    remote: argument("An address, a path, or the name of one of the repository's remotes"),
    cwd: cwdFlag,
  }),
  positional: ["remote"],
  data: TransferData,
  examples: ["push origin", "push git@example.org:team/states.git"],
  async run({ remote, cwd }, context) {
    const { signal } = context;
    await using workspace = await openToRead(cwd, context);
    const refs = await pushStates(workspace, remote, { signal });
    return toTransferData(
      hideCredentials(remote),
      refs,
      "Run skein pull first; if both sides continued, each keeps its own.",
    );
  },
  format: formatTransfer,
});

/** Fetches all states of a git remote. */
export const pull = defineCommand({
  name: "pull",
  summary: "Fetch all states from a git remote",
  effects: { changes: "replaces", isRepeatable: true, reaches: "world" },
  args: z.object({
    remote: argument("An address, a path, or the name of one of the repository's remotes"),
    cwd: cwdFlag,
  }),
  positional: ["remote"],
  data: TransferData,
  examples: ["pull origin", "pull git@example.org:team/states.git"],
  async run({ remote, cwd }, context) {
    const { signal } = context;
    await using workspace = await openToRead(cwd, context);
    const refs = await pullStates(workspace, remote, { signal });
    return toTransferData(
      hideCredentials(remote),
      refs,
      "Nothing here was changed; rename the checkpoint, or fork the conversation.",
    );
  },
  format: formatTransfer,
});
