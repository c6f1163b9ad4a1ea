import { z } from "zod";
import { defined } from "../../../core/internal.ts";
import { asData, ToolCallData, toWire } from "../../../protocol/index.ts";
import { readMark, readNote, setMark, readStateFile, type State, type StateMark } from "../../../trace/internal.ts";
import { notFound } from "../not-found.ts";
import { markFields } from "./state-data.ts";
import { route } from "../route.ts";
import type { OpenedWorkspace } from "./open-workspaces.ts";
import { workspaceParameter } from "./workspace-routes.ts";

/** Any of a state's names. */
export const stateName = z.string().min(1).max(500);

export const stateParameters = z.strictObject({
  ...workspaceParameter,
  state: stateName.describe("A state by any of its names: its id or the beginning of it, a checkpoint, `@`"),
});

const TransitionData = z.strictObject({
  id: z.string().describe("The transition's id, and its run's"),
  conversation_id: z.string().describe("The conversation that it belongs to"),
  turn: z.int().describe("The turn's number in its session, from 1"),
  recorded_at: z.string().describe("When it was recorded, ISO 8601"),
  prompt: z.looseObject({ text: z.string() }).describe("What was asked: `text`, and the names of `attachments`"),
  execution: z
    .looseObject({ outcome: z.string() })
    .describe("What came of it: response, outcome, error, usage, money and where the numbers come from"),
  metadata: z.record(z.string(), z.unknown()).describe("What the caller recorded with the turn"),
  tools: z.array(ToolCallData).describe("The tool calls of the turn, in order"),
});

const Left = z.looseObject({ path: z.string() });

export const getState = route({
  path: "/api/workspaces/{workspace}/states/{state}",
  operation: "getState",
  summary: "A state, and the turn that led to it with its tool calls",
  parameters: stateParameters,
  data: z.strictObject({
    state_id: z.string().describe("The state's id"),
    parent_id: z.string().nullable().describe("The state before it; null for the first"),
    kind: z.enum(["start", "turn", "edit"]).describe("What led to it"),
    conversation_id: z.string().describe("The conversation that it belongs to"),
    session_id: z
      .string()
      .nullable()
      .describe("The Claude Code session that goes on from it; null where there is none"),
    checkpoints: z.array(z.string()).describe("The names that it was given"),
    is_here: z.boolean().describe("Whether the directory is at this state"),
    settings: z.record(z.string(), z.unknown()).describe("What the agent ran with"),
    rewards: z.record(z.string(), z.number()).describe("The rewards that it was given, by name"),
    ...markFields,
    left_out: z.array(Left).describe("What was in the directory and is not in the state"),
    transition: TransitionData.nullable().describe("The turn that led to it; null where none did"),
  }),
  async answer({ workspace: id, state: name }, { workspaces }) {
    return await workspaces.use(id, async (opened) => {
      const state = await findState(opened, name);
      const { states } = opened.workspace;
      const found = state.kind === "turn" ? await transitionOf(opened, state) : undefined;
      const { rewards } = await readNote(opened.workspace, state.id);
      return {
        state_id: state.id,
        parent_id: state.parentId ?? null,
        kind: state.kind,
        conversation_id: state.conversationId,
        session_id: state.sessionId ?? null,
        checkpoints: [...(await states.checkpoints())].filter(([, at]) => at === state.id).map(([named]) => named),
        is_here: (await states.head())?.stateId === state.id,
        settings: { ...toWire(state.settings) },
        rewards: { ...rewards, ...found?.rewards },
        ...toMarkData(await readMark(opened.workspace, state.id)),
        left_out: state.leftOut.map((each) => ({ ...toWire(each), path: each.path })),
        transition: found?.transition ?? null,
      };
    });
  },
});

export const markState = route({
  method: "PUT",
  path: "/api/workspaces/{workspace}/states/{state}/mark",
  operation: "markState",
  summary: "Writes a remark on a state, or gives it a bookmark; both go along with push and pull",
  parameters: stateParameters,
  body: z.strictObject({
    remark: z.string().max(10_000).optional().describe("The remark; an empty one takes it away"),
    bookmark: z.string().max(100).optional().describe("The name of the bookmark; an empty one takes it away"),
  }),
  data: z.strictObject({ state_id: z.string().describe("The state's id"), ...markFields }),
  async answer({ workspace: id, state: name, body }, { workspaces }) {
    return await workspaces.use(id, async (opened) => {
      const state = await findState(opened, name);
      return { state_id: state.id, ...toMarkData(await setMark(opened.workspace, state.id, defined(body))) };
    });
  },
});

function toMarkData({ remark = null, bookmark = null }: { [Part in keyof StateMark]: string | null | undefined }) {
  return { remark, bookmark };
}

export async function findState({ workspace: { states } }: OpenedWorkspace, name: string): Promise<State> {
  return await readStateFile(states, await states.resolve(name));
}

async function transitionOf({ index }: OpenedWorkspace, state: State) {
  const transition = await index.load(state.id);
  if (!transition) return undefined;
  const { id, conversationId, turn, recordedAt, prompt, execution, metadata, rewards } = transition;
  const tools = (await transition.toolExecutions()).map(({ input, output, ...call }) =>
    asData(ToolCallData, { ...call, input: input ?? null, output: output ?? null }),
  );
  const { tools: _, ...came } = execution;
  return {
    rewards,
    transition: {
      id,
      conversation_id: conversationId,
      turn,
      recorded_at: recordedAt,
      prompt: { ...toWire(prompt), text: prompt.text },
      execution: { ...toWire(came), outcome: execution.outcome },
      metadata: { ...metadata },
      tools,
    },
  };
}

export const getMessages = route({
  path: "/api/workspaces/{workspace}/states/{state}/messages",
  operation: "listMessages",
  summary: "What the turn that led to a state added to its session",
  parameters: stateParameters,
  data: z.strictObject({
    messages: z
      .array(
        z.strictObject({
          role: z.enum(["user", "assistant"]).describe("Who said it"),
          timestamp: z.string().nullable().describe("When it was said, ISO 8601; null where the record does not say"),
          model: z.string().nullable().describe("The model that wrote it; null of a message of the user's"),
          subagent: z.string().nullable().describe("The sub-agent that it belongs to; null in the main conversation"),
          content: z.array(z.looseObject({ type: z.string() })).describe("Its content blocks, as the API has them"),
        }),
      )
      .describe("The messages, oldest first; none where no turn led to the state"),
    directory: z
      .string()
      .nullable()
      .describe("Where the agent worked, another place on a branch; null where no message tells it"),
  }),
  async answer({ workspace: id, state: name }, { workspaces }) {
    return await workspaces.use(id, async (opened) => {
      const state = await findState(opened, name);
      const transition = state.kind === "turn" ? await opened.index.load(state.id) : undefined;
      const messages = (await transition?.newMessages()) ?? [];
      return {
        messages: messages.map(({ role, timestamp = null, model = null, subagent = null, content }) => ({
          role,
          timestamp,
          model,
          subagent,
          content: content.map((block) => ({ ...block })),
        })),
        directory: messages.map(({ raw }) => raw["cwd"]).find((cwd) => typeof cwd === "string") ?? null,
      };
    });
  },
});

const MOST_PATCH_CHARACTERS = 2 * 1024 ** 2;

export const getDiff = route({
  path: "/api/workspaces/{workspace}/states/{state}/diff",
  operation: "getDiff",
  summary: "What is different in a state from the one before it, or from another",
  parameters: stateParameters,
  query: z.strictObject({
    from: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe("The state to compare with; the one before it where it is left out"),
    path: z.string().min(1).max(4096).optional().describe("Only the patch of this file"),
  }),
  data: z.strictObject({
    from: z.string().nullable().describe("The state that is compared with; null where there is none before"),
    to: z.string().describe("The state"),
    changes: z
      .array(
        z.strictObject({
          type: z.enum(["created", "modified", "deleted", "renamed"]).describe("What became of the file"),
          path: z.string().describe("Its path below the workspace"),
          from: z.string().nullable().describe("Its path before, where it was renamed; null otherwise"),
        }),
      )
      .describe("The files that are different"),
    patch: z.string().describe("The same as a unified patch"),
    is_cut: z.boolean().describe("Whether the patch was too long and is cut; ask for one file by `path`"),
  }),
  async answer({ workspace: id, state: name, from, path }, { workspaces }) {
    return await workspaces.use(id, async (opened) => {
      const { workspace } = opened;
      const to = await findState(opened, name);
      const before = from === undefined ? to.parentId : (await findState(opened, from)).id;
      if (before === undefined) return { from: null, to: to.id, changes: [], patch: "", is_cut: false };
      const changes = await workspace.diff(before, to.id);
      const patch = await workspace.patch(before, to.id, path);
      return {
        from: before,
        to: to.id,
        changes: changes.map((change) => ({
          type: change.type,
          path: change.path,
          from: change.type === "renamed" ? change.from : null,
        })),
        patch: patch.slice(0, MOST_PATCH_CHARACTERS),
        is_cut: patch.length > MOST_PATCH_CHARACTERS,
      };
    });
  },
});

const FileData = z.strictObject({
  path: z.string().describe("Its path below the workspace"),
  kind: z.enum(["file", "symlink"]).describe("Whether it is a file or a symbolic link"),
  mode: z.string().describe("The permission bits, octal"),
  size_bytes: z.int().describe("Its size"),
});

export const listFiles = route({
  path: "/api/workspaces/{workspace}/states/{state}/files",
  operation: "listFiles",
  summary: "The files that a state holds, by path",
  parameters: stateParameters,
  query: z.strictObject({
    after: z.string().max(4096).optional().describe("Only files whose path comes after this one"),
    limit: z.coerce.number().int().min(1).max(10_000).default(1000).describe("How many at most"),
  }),
  data: z.strictObject({
    files: z.array(FileData).describe("The files"),
    next_after: z
      .string()
      .nullable()
      .describe("The path after which the next page begins; null where this is the last"),
  }),
  async answer({ workspace: id, state: name, after, limit }, { workspaces }) {
    return await workspaces.use(id, async (opened) => {
      const state = await findState(opened, name);
      const files: z.infer<typeof FileData>[] = [];
      let isWanted = after === undefined;
      for await (const { path, kind, mode, sizeBytes } of opened.workspace.files(state.id)) {
        if (!isWanted) isWanted = path === after;
        else if (files.length < limit) files.push({ path, kind, mode: mode.toString(8), size_bytes: sizeBytes });
        else return { files, next_after: files.at(-1)?.path ?? null };
      }
      return { files, next_after: null };
    });
  },
});

const MOST_CONTENT_BYTES = 1024 ** 2;

export const getFile = route({
  path: "/api/workspaces/{workspace}/states/{state}/file",
  operation: "getFile",
  summary: "The content of a file as a state has it; of a link where it leads. Nothing is read from the disk",
  parameters: stateParameters,
  query: z.strictObject({ path: z.string().min(1).max(4096).describe("The file's path below the workspace") }),
  data: z.strictObject({
    path: z.string().describe("The file's path"),
    size_bytes: z.int().describe("Its size"),
    encoding: z.enum(["utf8", "base64"]).describe("How the content is told: as text, or where it is none as base64"),
    content: z.string().describe("The content, or the beginning of it"),
    is_cut: z.boolean().describe("Whether there is more than is told"),
  }),
  async answer({ workspace: id, state: name, path }, { workspaces }) {
    return await workspaces.use(id, async (opened) => {
      const state = await findState(opened, name);
      const bytes = await opened.workspace.read(state.id, path).catch((error: unknown) => {
        throw (error as { readonly kind?: unknown }).kind === "filesystem" ? notFound("file", path) : error;
      });
      const part = bytes.subarray(0, MOST_CONTENT_BYTES);
      const text = asText(part);
      return {
        path,
        size_bytes: bytes.length,
        encoding: text === undefined ? ("base64" as const) : ("utf8" as const),
        content: text ?? part.toString("base64"),
        is_cut: part.length < bytes.length,
      };
    });
  },
});

/** A text that was cut may end within a character: that is left out. */
function asText(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  const text = bytes.toString("utf8").replace(/\uFFFD$/u, "");
  return text.includes("\uFFFD") ? undefined : text;
}
