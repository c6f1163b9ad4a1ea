import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { failedResult, SkeinError, type TurnResult } from "../../core/internal.ts";
import { clearLeftovers } from "../../engine/internal.ts";
import { orphanBranches, removeOwned, Workspace, type Head } from "../../workspace/internal.ts";
import { readTransitionOf } from "../record/history.ts";
import { tellsTotal } from "../turn/ledger.ts";
import { messagesOf, type SessionSegment } from "../session/session-entry.ts";
import { readStateFile } from "../record/state.ts";
import { readTransitionFile } from "../record/transition-file.ts";
import { finishTurn, nameState, type FinishedTurn } from "../turn/finish-turn.ts";
import { dropJournal, findJournals, type JournalRecord } from "../turn/journal.ts";

/** A turn that was cut off by the end of its process, and is not recorded yet. */
export interface InterruptedTurn {
  readonly transitionId: string;
  readonly conversationId: string;
  readonly prompt: string;
  readonly startedAt: string;
  readonly beforeStateId: string;
  /** Whether it had ended, and only the recording was cut off. */
  readonly hadEnded: boolean;
  readonly toolsUsed: readonly string[];
}

export async function findInterruptedTurns(workspace: Workspace): Promise<readonly InterruptedTurn[]> {
  const found: InterruptedTurn[] = [];
  for (const record of await findJournals(workspace)) {
    if (await findRecorded(workspace, record)) continue;
    const { transitionId, conversationId, prompt, startedAt, beforeStateId } = record.head;
    const about = { transitionId, conversationId, prompt: prompt.text, startedAt, beforeStateId };
    const toolsUsed = record.tools.map(({ tool }) => tool);
    found.push({ ...about, hadEnded: record.result !== undefined, toolsUsed });
  }
  return found;
}

/** Records them as interrupted turns, with the files as they are. They can be undone like any other. */
export async function keepInterruptedTurns(workspace: Workspace): Promise<readonly FinishedTurn[]> {
  const kept: FinishedTurn[] = [];
  // An agent that outlived its host would go on writing to what is recorded, or restored, next.
  await clearLeftovers();
  for (const record of await findJournals(workspace)) {
    const recorded = await findRecorded(workspace, record);
    if (!recorded) kept.push((await keepUnnamed(workspace, record)) ?? (await keep(workspace, record)));
    else if (await isHere(workspace, record)) await workspace.states.setHead(recorded);
    await dropJournal(workspace, record);
  }
  return kept;
}

/** A directory that nobody else writes to until it is let go. */
export interface TakenDirectory extends AsyncDisposable {
  /** Turns that were cut off in it, and are recorded now. */
  readonly kept: readonly FinishedTurn[];
}

/** Longer than it takes to record the files of a large directory, so that those who only do that wait for each other; a turn takes longer still. */
export const RECORDING_MS = 10_000;

/** Takes a directory for a turn or a restore. What was cut off in it is recorded first, while the files are as it left them. */
export async function takeDirectory(
  workspace: Workspace,
  options: Parameters<Workspace["claim"]>[0] = {},
): Promise<TakenDirectory> {
  const claim = await workspace.claim(options);
  try {
    return { kept: await keepInterruptedTurns(workspace), [Symbol.asyncDispose]: () => claim[Symbol.asyncDispose]() };
  } catch (error) {
    await claim[Symbol.asyncDispose]();
    throw error;
  }
}

/** Removes the branches that a process which was killed was to remove, and gives what was cut off in them and is recorded now. */
export async function clearDeadBranches(workspace: Workspace): Promise<readonly FinishedTurn[]> {
  const kept: FinishedTurn[] = [];
  for (const path of await orphanBranches(workspace)) kept.push(...(await removeDeadBranch(workspace, path)));
  return kept;
}

export async function removeDeadBranch({ home, clock }: Workspace, path: string): Promise<readonly FinishedTurn[]> {
  let kept: readonly FinishedTurn[] = [];
  if (existsSync(path)) {
    await using branch = await Workspace.open(path, { home: resolve(home, "../.."), clock });
    await using taken = await takeDirectory(branch, { isHalfRestored: true });
    ({ kept } = taken);
  }
  await removeOwned(path);
  return kept;
}

/** Whether the head is still where the turn began: nobody has restored anything in the directory since. */
async function isHere({ states }: Workspace, { head: { headStateId } }: JournalRecord): Promise<boolean> {
  return ((await states.head())?.stateId ?? null) === headStateId;
}

/** A turn that was overtaken is named by a conversation of its own, which is younger than it: ids begin with the time. */
async function findRecorded({ states }: Workspace, { head }: JournalRecord): Promise<Head | undefined> {
  for (const [conversationId, tip] of await states.conversations()) {
    if (conversationId !== head.conversationId && conversationId < head.transitionId) continue;
    for (const id of await states.list([tip], [head.beforeStateId])) {
      const state = await states.read(id);
      if (state.parentId !== head.beforeStateId || !state.entries.has("transition.json")) continue;
      const { id: transitionId } = await readTransitionFile(states, state);
      if (transitionId === head.transitionId) return id === tip ? { stateId: id, conversationId } : { stateId: id };
    }
  }
  return undefined;
}

/** The state was written, and its name was not, or a disk has lost it: it is named now. */
async function keepUnnamed(workspace: Workspace, record: JournalRecord): Promise<FinishedTurn | undefined> {
  const { states } = workspace;
  const { transitionId, beforeStateId } = record.head;
  for (const id of await states.unnamed()) {
    if ((await states.read(id)).parentId !== beforeStateId) continue;
    const transition = await readTransitionOf(workspace, id);
    if (transition?.id !== transitionId) continue;
    const state = await readStateFile(states, id);
    const conversationId = await nameState(workspace, state, record.head);
    if (await isHere(workspace, record)) await states.setHead({ stateId: id, conversationId });
    return { conversationId, state, transition };
  }
  return undefined;
}

async function keep(workspace: Workspace, record: JournalRecord): Promise<FinishedTurn> {
  const { head, segment, tools, result } = record;
  const { startedAt } = head;
  const ended = result
    ? { result, hasTotal: tellsTotal(result) }
    : { result: withoutResult(segment, startedAt), hasTotal: false, outcome: "interrupted" as const };
  const before = await readStateFile(workspace.states, head.beforeStateId);
  const seen = { ...ended, segment, tools, startedAt };
  return await finishTurn(workspace, { ...head, before, seen }, !(await isHere(workspace, record)));
}

function withoutResult(segment: SessionSegment, startedAt: string): TurnResult {
  const messages = messagesOf(segment);
  const startedMs = Date.parse(startedAt);
  const lastMs = Math.max(...messages.map(({ timestamp = startedAt }) => Date.parse(timestamp)), startedMs);
  const said = messages.filter(({ role, subagent }) => role === "assistant" && subagent === undefined);
  const texts = said.flatMap(({ content }) => content).filter(({ type }) => type === "text");
  const last = texts.at(-1)?.["text"];
  const error = new SkeinError("The process running the turn ended before the turn did", {
    kind: "process",
    hint: "skein undo takes back what it changed; you can also continue the conversation",
  });
  return {
    ...failedResult(error, { model: said.at(-1)?.model }),
    text: typeof last === "string" ? last : "",
    durationMs: lastMs - startedMs,
    responses: new Set(said.map(({ id }) => id)).size,
  };
}
