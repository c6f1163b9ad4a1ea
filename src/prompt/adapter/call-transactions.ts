import type { Workspace } from "../../workspace/internal.ts";
import type { PromptSession } from "../session/prompt-session.ts";
import type { ToolCall } from "../tools/tool-policy.ts";
import { createCallLock } from "./call-lock.ts";

interface OpenCall {
  readonly release: () => void;
  readonly takeBack?: () => Promise<void>;
  readonly keep?: () => void;
  readonly run?: <Result>(work: () => Result) => Result;
}

/**
 * Tools of Claude Code that write no files of the directory: they run beside a transaction, and cost no snapshot. What a sub-agent
 * does are calls of their own: it must not wait for itself.
 */
const WRITES_NOTHING = new Set([
  "Read",
  "NotebookRead",
  "Glob",
  "Grep",
  "LS",
  "WebFetch",
  "WebSearch",
  "ToolSearch",
  "BashOutput",
  "TaskOutput",
  "StructuredOutput",
  "TodoWrite",
  "AskUserQuestion",
  "KillShell",
  "TaskStop",
  "Task",
  "Agent",
  "Skill",
  "SendMessage",
  "Workflow",
]);

/**
 * Makes tool calls transactions: one that fails leaves neither files nor the session's state behind.
 * Calls that may write files run together, and a transaction alone: so what changes in the directory while it runs is its own.
 * Work that a shell command left in the background breaks that; from then on no file is taken back, because it could be the
 * background's. The session's state needs no such care: it knows who changed it.
 */
export function createCallTransactions(
  { session, workspace }: { readonly session: PromptSession; readonly workspace: Workspace },
  isTransaction: (call: ToolCall) => boolean,
) {
  const lock = createCallLock();
  const open = new Map<string, OpenCall>();
  let hasBackground = false;
  return {
    /** To be awaited before the call: a transaction waits until no other call can write files, and holds others up. */
    async begin(call: ToolCall, signal: AbortSignal) {
      if (!call.isBridged && WRITES_NOTHING.has(call.tool)) return;
      const isAlone = isTransaction(call);
      const release = await lock.take(isAlone ? "alone" : "together", signal);
      try {
        open.set(call.callId, isAlone ? await openTransaction(release) : { release });
      } catch (error) {
        release();
        throw error;
      }
      if (call.input["run_in_background"] === true) hasBackground = true;
    },
    /** Runs a handler as a part of its call, so that what it changes in the session is known as the call's. */
    run<Result>(callId: string, work: () => Result): Result {
      const run = open.get(callId)?.run;
      return run ? run(work) : work();
    },
    /** Keeps what the call did, or takes it back where it failed. A second end does nothing. */
    async end(callId: string, isError: boolean) {
      const call = open.get(callId);
      open.delete(callId);
      try {
        if (isError) await call?.takeBack?.();
        else call?.keep?.();
      } finally {
        call?.release();
      }
    },
  };

  async function openTransaction(release: () => void): Promise<OpenCall> {
    const before = await workspace.snapshot();
    const changes = session.begin();
    return {
      release,
      run: (work) => changes.run(work),
      keep: () => changes.commit(),
      async takeBack() {
        changes.rollback();
        // The turn holds the directory's claim.
        if (!hasBackground) await workspace.restore(before.id, { isClaimed: true });
      },
    };
  }
}
