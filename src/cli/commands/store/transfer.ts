import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { z } from "zod";
import { SkeinError } from "../../../core/internal.ts";
import { findConversation } from "../../../trace/internal.ts";
import {
  hideCredentials,
  loadConversations,
  pullStates,
  pushStates,
  saveConversation,
  type TransferredRef,
} from "../../../workspace/internal.ts";
import { argument, switchFlag } from "../../common-flags.ts";
import { putFile, REPLACE } from "../../put-file.ts";
import { defineCommand, type CommandContext } from "../../define-command.ts";
import { formatBytes, formatList, formatNumberOf, plainLine } from "../../../terminal/index.ts";
import { cwdFlag, openToAdd, openToRead } from "../../open-workspace.ts";
import { shortId, shownRef } from "../../states/short-id.ts";

const TransferData = z.strictObject({
  remote: z.string().describe("The other store, as it was named"),
  refs: z
    .array(
      z.strictObject({
        ref: z.string().describe("The name in the store"),
        status: z
          .enum(["new", "moved", "same"])
          .describe("Whether it is new there, was moved on, or was there already"),
      }),
    )
    .describe("The names that were looked at, one for each conversation and checkpoint"),
});

/** Where some were refused, that is the command's error; what went through is told with it. */
export function toTransferData(
  remote: string,
  refs: readonly TransferredRef[],
  hint: string,
): z.infer<typeof TransferData> {
  const done = refs.flatMap(({ ref, status }) => (status === "rejected" ? [] : { ref, status }));
  const rejected = refs.flatMap(({ ref, status, reason = null }) => (status === "rejected" ? { ref, reason } : []));
  if (rejected.length === 0) return { remote, refs: done };
  const names = rejected.map(
    ({ ref, reason }) => `\n  ${shownRef(ref)}${reason === null ? "" : `: ${plainLine(reason)}`}`,
  );
  const problem = refs.find((each) => each.problem)?.problem;
  const why = problem ? "not taken" : "continued differently on the two sides";
  throw new SkeinError(`${formatNumberOf(rejected.length, "name")} ${why}:${names.join("")}`, {
    kind: problem?.kind ?? "usage",
    target: remote,
    retryable: problem?.retryable,
    hint: problem?.hint ?? hint,
    details: { refs: done, rejected },
  });
}

const shared = {
  args: z.object({
    remote: argument("An address, a path, or the name of one of the repository's remotes"),
    cwd: cwdFlag,
  }),
  positional: ["remote"],
  data: TransferData,
  errorDetails: z.object({
    refs: TransferData.shape.refs.optional().describe("The names that went through"),
    rejected: z
      .array(
        z.strictObject({
          ref: z.string().describe("The name in the store"),
          reason: z.string().nullable().describe("Why it was not taken; null where git did not say"),
        }),
      )
      .optional()
      .describe("The names that did not"),
  }),
  format({ refs }: z.infer<typeof TransferData>, { terminal }: CommandContext): string {
    const { colors } = terminal;
    const changed = refs.filter(({ status }) => status !== "same");
    if (changed.length === 0) return "Nothing new\n";
    const marks = { new: colors.green("+"), moved: colors.yellow("~"), same: "" };
    const list = formatList(
      changed.map(({ ref, status }) => ({ mark: marks[status], text: shownRef(ref) })),
      terminal,
    );
    return `${list}\n${formatNumberOf(changed.length, "name")} new or moved\n`;
  },
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
    await using workspace = await openToAdd(cwd, context);
    const refs = await pullStates(workspace, remote, { signal: context.signal });
    const hint = "Nothing here was changed; rename the checkpoint, or fork the conversation.";
    return toTransferData(hideCredentials(remote), refs, hint);
  },
});

export const save = defineCommand({
  name: "save",
  summary: "Save a conversation to one file",
  effects: { changes: "replaces", isRepeatable: true, reaches: "machine" },
  args: z.object({
    id: argument("The conversation's id or its first characters, or @"),
    file: argument("The file to write, a git bundle"),
    replace: switchFlag(REPLACE),
    cwd: cwdFlag,
  }),
  positional: ["id", "file"],
  data: z.strictObject({
    conversation_id: z.string().describe("The conversation that was saved"),
    file: z.string().describe("The file that was written"),
    bytes: z.int().describe("Its size"),
  }),
  examples: ["save @ todo-app.bundle"],
  async run({ id: name, file, replace, cwd }, context) {
    await using workspace = await openToRead(cwd, context);
    const id = await findConversation(workspace, name);
    const path = resolve(file);
    await putFile(path, { isReplaced: replace, make: (own) => saveConversation(workspace, id, own) });
    return { conversation_id: id, file: path, bytes: (await stat(path)).size };
  },
  format({ conversation_id: id, file, bytes }, { terminal: { colors } }) {
    const how = colors.dim("Load it elsewhere: skein load FILE");
    return `The conversation ${id} is in\n  ${colors.bold(plainLine(file))} (${formatBytes(bytes)})\n${how}\n`;
  },
});

export const load = defineCommand({
  name: "load",
  summary: "Load a conversation from a file",
  effects: { changes: "replaces", isRepeatable: true, reaches: "machine" },
  args: z.object({ file: argument("A file written by skein save"), cwd: cwdFlag }),
  positional: ["file"],
  data: z.strictObject({
    conversations: z
      .array(
        z.strictObject({
          conversation_id: z.string().describe("The conversation's id"),
          state_id: z.string().describe("Its last state"),
        }),
      )
      .describe("What the file held"),
  }),
  examples: ["load todo-app.bundle"],
  async run({ file, cwd }, context) {
    await using workspace = await openToAdd(cwd, context);
    const loaded = await loadConversations(workspace, resolve(file));
    return { conversations: [...loaded].map(([id, tip]) => ({ conversation_id: id, state_id: tip })) };
  },
  format({ conversations }, { terminal: { colors } }) {
    const lines = conversations.map(({ conversation_id: id, state_id: tip }) => {
      const state = shortId(tip);
      const how = `Continue it here: skein restore ${state}, then skein run --continue. In a new directory: skein branch ${state}`;
      return `Loaded the conversation ${id}, which ends at ${colors.yellow(state)}\n${colors.dim(how)}\n`;
    });
    return lines.join("");
  },
});
