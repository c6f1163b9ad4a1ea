import { z } from "zod";
import { hideCredentials, pushStates, pullStates } from "../../../workspace/index.ts";
import { argument } from "../../common-flags.ts";
import { defineCommand } from "../../define-command.ts";
import { cwdFlag, openToRead } from "../../open-workspace.ts";
import { formatTransfer, toTransferData, TransferData } from "./transfer-data.ts";

const shared = {
  args: z.object({
    remote: argument("An address, a path, or the name of one of the repository's remotes"),
    cwd: cwdFlag,
  }),
  positional: ["remote"],
  data: TransferData,
  format: formatTransfer,
} as const;

export const push = defineCommand({
  ...shared,
  name: "push",
  summary: "Send all states to a git remote",
  effects: { changes: "adds", isRepeatable: true, reaches: "world" },
  examples: ["push origin", "push git@example.org:team/states.git"],
  async run({ remote, cwd }, context) {
    await using workspace = await openToRead(cwd, context);
    const refs = await pushStates(workspace, remote, { signal: context.signal });
    const hint = "Run skein pull first; if both sides continued, each keeps its own.";
    return toTransferData(hideCredentials(remote), refs, hint);
  },
});

export const pull = defineCommand({
  ...shared,
  name: "pull",
  summary: "Fetch all states from a git remote",
  effects: { changes: "replaces", isRepeatable: true, reaches: "world" },
  examples: ["pull origin", "pull git@example.org:team/states.git"],
  async run({ remote, cwd }, context) {
    await using workspace = await openToRead(cwd, context);
    const refs = await pullStates(workspace, remote, { signal: context.signal });
    const hint = "Nothing here was changed; rename the checkpoint, or fork the conversation.";
    return toTransferData(hideCredentials(remote), refs, hint);
  },
});
