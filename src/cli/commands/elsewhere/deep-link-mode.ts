import { z } from "zod";
import { SkeinError } from "../../../core/internal.ts";
import { readStateFile } from "../../../trace/internal.ts";
import type { Workspace } from "../../../workspace/internal.ts";
import { formatDeepLink, parseDeepLink, type DeepLink, usageError, shellWord } from "../../../protocol/index.ts";
import { defineCommand, type CommandContext } from "../../define-command.ts";
import { formatCard, plainLine } from "../../../terminal/index.ts";
import { cwdFlag, openRecorded } from "../../open-workspace.ts";
import { shortId } from "../../states/short-id.ts";
import { textFlag, optionalArgument } from "../../common-flags.ts";

const args = z.object({
  link: optionalArgument("skein://state/ID or skein://conversation/ID, with ?workspace=PATH"),
  cwd: cwdFlag,
  open: z.enum(["branch", "restore"]).optional().meta({
    label: "how",
    preset: "branch",
    description: "Open it as a branch beside the workspace, or restore the workspace to it",
  }),
  make: textFlag("state", "Make links to a state and its conversation"),
});

const data = z.strictObject({
  link: z.string().describe("The link that was opened"),
  type: z.enum(["state", "conversation"]).describe("What the link leads to"),
  workspace: z.string().describe("The workspace that holds it"),
  state_id: z.string().describe("The state, or the last one of the conversation"),
  conversation_id: z.string().describe("The conversation of the state"),
  conversation_link: z.string().describe("The link to that conversation"),
  subject: z.string().describe("The prompt of the turn that led to it, or what it is"),
  recorded_at: z.string().describe("When the state was recorded, ISO 8601"),
  is_here: z.boolean().describe("Whether the directory is at this state"),
  open_with: z
    .strictObject({
      show: z.string().describe("Shows it"),
      branch: z.string().describe("Opens it as a live copy of its own"),
      restore: z.string().describe("Puts the directory back to it"),
    })
    .describe("The commands that open it"),
  opened: z
    .strictObject({
      how: z.enum(["branch", "restore"]).describe("Whether as a branch of its own, or in the directory itself"),
      directory: z.string().describe("Where its files are now"),
    })
    .nullable()
    .describe("Where it was opened; null where that was not asked for"),
});

export const deepLinkMode = defineCommand({
  name: "deep-link-mode",
  summary: "Follow or make a skein:// link",
  effects: { changes: "replaces", isRepeatable: false, reaches: "machine" },
  args,
  positional: ["link"],
  conflicts: ["open", "make"],
  data,
  examples: [
    "deep-link-mode --make @",
    "deep-link-mode skein://state/d218705ebbc8",
    "deep-link-mode skein://state/d218705ebbc8 --open restore",
  ],
  async run({ link, cwd, open, make }, context) {
    if ((link === undefined) === (make === undefined)) {
      throw usageError("deep-link-mode", "Give a link to follow, or --make STATE", { target: "link" });
    }
    const parsed = link === undefined ? undefined : parseDeepLink(link);
    await using workspace = await openRecorded(parsed?.workspace ?? cwd, context);
    const linked = parsed ?? { type: "state" as const, id: await workspace.states.resolve(make ?? "@") };
    const found = await describe(workspace, linked);
    return { ...found, opened: open === undefined ? null : await openState(found, open, context) };
  },
  format: formatLink,
});

type Found = Omit<z.infer<typeof data>, "opened">;

async function describe(workspace: Workspace, link: DeepLink): Promise<Found> {
  const { states, path } = workspace;
  const state = await readStateFile(states, await findLinked(workspace, link));
  const conversationId = link.type === "conversation" ? link.id : state.conversationId;
  const linkTo = (type: DeepLink["type"], id: string): string => formatDeepLink({ type, id, workspace: path });
  const withCwd = (command: string): string =>
    ["skein", command, state.id, "--cwd", path].map((word) => shellWord(word)).join(" ");
  return {
    link: linkTo(link.type, link.type === "state" ? state.id : conversationId),
    type: link.type,
    workspace: path,
    state_id: state.id,
    conversation_id: conversationId,
    conversation_link: linkTo("conversation", conversationId),
    subject: state.subject,
    recorded_at: state.recordedAt,
    is_here: (await states.head())?.stateId === state.id,
    open_with: { show: withCwd("show"), branch: withCwd("branch"), restore: withCwd("restore") },
  };
}

/** A link is to an id: a checkpoint that is called like one does not take its place. */
async function findLinked({ states, path }: Workspace, { type, id }: DeepLink): Promise<string> {
  const found = type === "state" ? await states.resolve(id) : (await states.conversations()).get(id);
  if (found !== undefined && (type === "conversation" || found.startsWith(id))) return found;
  throw new SkeinError(`There is no ${type} ${id} in the record of ${path}`, {
    kind: "state_not_found",
    target: id,
    hint: "skein pull REMOTE fetches what was recorded on another machine",
  });
}

async function openState(
  { state_id: state, workspace: cwd }: Found,
  how: "branch" | "restore",
  context: CommandContext,
): Promise<z.infer<typeof data>["opened"]> {
  const command = await context.commands.load(how);
  const done = await command.run(command.args.parse({ state, cwd }), context);
  return { how, directory: how === "branch" ? String(done["directory"]) : cwd };
}

function formatLink(found: z.infer<typeof data>, { terminal }: CommandContext): string {
  const { yellow, bold, cyan } = terminal.colors;
  return formatCard(
    [
      ["Link", found.link],
      ["State", `${yellow(shortId(found.state_id))}  ${plainLine(found.subject)}`],
      ["Path", plainLine(found.workspace)],
      ...(found.opened
        ? ([["Opened", `${found.opened.how} in ${bold(plainLine(found.opened.directory))}`]] as const)
        : ([["Open", cyan(found.open_with.branch), cyan(found.open_with.restore)]] as const)),
    ],
    terminal,
  );
}
