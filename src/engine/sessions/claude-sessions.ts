import type * as sdkModule from "@anthropic-ai/claude-agent-sdk";
import type { ForkSessionResult, SDKSessionInfo } from "@anthropic-ai/claude-agent-sdk";
import { resolve } from "node:path";
import { z } from "zod";
import { defined, SkeinError } from "../../core/internal.ts";

/** Where to look for a session of Claude Code's own. */
export interface ClaudeSessionPlace {
  /** The folder that it was held in, and its git worktrees; all folders by default. */
  readonly cwd?: string;
}

/** Which sessions to list. */
export interface ClaudeSessionList extends ClaudeSessionPlace {
  readonly limit?: number;
  readonly offset?: number;
  /** Whether sessions of programs are listed, such as those of Skein's own agents; true by default. */
  readonly includeProgrammatic?: boolean;
}

const PLACE = { cwd: z.string().min(1).optional() };
const Place = z.strictObject(PLACE);
const List = z.strictObject({
  ...PLACE,
  limit: z.int().positive().optional(),
  offset: z.int().nonnegative().optional(),
  includeProgrammatic: z.boolean().optional(),
});
const Fork = z.strictObject({ ...PLACE, title: z.string().min(1).optional(), upToMessageId: z.guid().optional() });
const Title = z.string().trim().min(1);

/**
 * Claude Code's own sessions, the newest first: those of the person as well as those of programs. Like all of these functions it
 * looks where `CLAUDE_CONFIG_DIR` of this process says, `~/.claude` by default; what is recorded in a trace is not touched.
 */
export async function listClaudeSessions(options: ClaudeSessionList = {}): Promise<readonly SDKSessionInfo[]> {
  const { cwd, ...rest } = parse(List, options, "options");
  const { listSessions } = await sdk();
  return await listSessions({ ...toDir(cwd), ...defined(rest) });
}

/** What is known of a session of Claude Code's own; undefined where there is none. */
export async function findClaudeSession(
  sessionId: string,
  options: ClaudeSessionPlace = {},
): Promise<SDKSessionInfo | undefined> {
  const { cwd } = parse(Place, options, "options");
  if (!z.guid().safeParse(sessionId).success) return undefined;
  const { getSessionInfo } = await sdk();
  return await getSessionInfo(sessionId, toDir(cwd));
}

/** Gives a session of Claude Code's own another title. */
export async function renameClaudeSession(
  sessionId: string,
  title: string,
  options: ClaudeSessionPlace = {},
): Promise<void> {
  const named = parse(Title, title, "title");
  await change(sessionId, options, async ({ renameSession }, dir) => await renameSession(sessionId, named, dir));
}

/** Tags a session of Claude Code's own; null takes its tag away. */
export async function tagClaudeSession(
  sessionId: string,
  tag: string | null,
  options: ClaudeSessionPlace = {},
): Promise<void> {
  const named = parse(Title.nullable(), tag, "tag");
  await change(sessionId, options, async ({ tagSession }, dir) => await tagSession(sessionId, named, dir));
}

/** Puts a session of Claude Code's own away, or back again: it stays on disk, and is listed as `archived`. */
export async function archiveClaudeSession(
  sessionId: string,
  { isArchived = true, ...options }: ClaudeSessionPlace & { readonly isArchived?: boolean } = {},
): Promise<void> {
  await change(sessionId, options, async ({ archiveSession, unarchiveSession }, dir) => {
    await (isArchived ? archiveSession : unarchiveSession)(sessionId, dir);
  });
}

/** Copies a session of Claude Code's own, up to a message or whole, and gives the copy's id, for `resume`. */
export async function forkClaudeSession(
  sessionId: string,
  options: ClaudeSessionPlace & { readonly title?: string; readonly upToMessageId?: string } = {},
): Promise<ForkSessionResult> {
  const { cwd, ...rest } = parse(Fork, options, "options");
  return await change(
    sessionId,
    cwd === undefined ? {} : { cwd },
    async ({ forkSession }, dir) => await forkSession(sessionId, { ...dir, ...defined(rest) }),
  );
}

/** Deletes a session of Claude Code's own with its subagents' transcripts, on this machine; there is no way back. */
export async function deleteClaudeSession(sessionId: string, options: ClaudeSessionPlace = {}): Promise<void> {
  await change(sessionId, options, async ({ deleteSession }, dir) => await deleteSession(sessionId, dir));
}

type Sdk = typeof sdkModule;

/** The SDK takes a quarter of a second to load: who changes no session does not wait for it. */
async function sdk(): Promise<Sdk> {
  return await import("@anthropic-ai/claude-agent-sdk");
}

async function change<Value>(
  sessionId: string,
  options: ClaudeSessionPlace,
  make: (functions: Sdk, dir: { readonly dir?: string }) => Promise<Value>,
): Promise<Value> {
  const { cwd } = parse(Place, options, "options");
  if (!z.guid().safeParse(sessionId).success) throw notFound(sessionId);
  try {
    return await make(await sdk(), toDir(cwd));
  } catch (cause) {
    // The SDK tells by its words alone whether there is none: it is looked for instead.
    if (!(await findClaudeSession(sessionId, options))) throw notFound(sessionId, cause);
    const message = `The session ${sessionId} could not be changed: ${(cause as Error).message}`;
    throw new SkeinError(message, { kind: "filesystem", target: sessionId, hint: "Look at its file's rights.", cause });
  }
}

function notFound(sessionId: string, cause?: unknown): SkeinError {
  return new SkeinError(`Claude Code has no session ${sessionId}`, {
    kind: "session_not_found",
    target: sessionId,
    hint: "listClaudeSessions() has those that there are; ids are UUIDs.",
    cause,
  });
}

function toDir(cwd: string | undefined): { readonly dir?: string } {
  return cwd === undefined ? {} : { dir: resolve(cwd) };
}

function parse<Schema extends z.ZodType>(schema: Schema, value: unknown, name: string): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const target = [name, ...(issue?.path ?? [])].join(".");
  const message = `${target} cannot be used: ${issue?.message ?? "it is wrong"}`;
  throw new SkeinError(message, { kind: "usage", target, hint: "docs/guide/running-agents.md says what they take." });
}
