import { defined, offlineMark, SkeinError, type OfflineMark, type TurnResult } from "../../core/internal.ts";
import type { ClaudePrompt } from "../../engine/internal.ts";
import { compareLeftOut, type FileChange, type SnapshotStore, type UnheldChange } from "../../snapshot/index.ts";
import type { Transcript } from "../../transcript/internal.ts";
import { settle } from "../turn/ledger.ts";
import { EMPTY_SEGMENT, messagesOf, type SessionMessage, type SessionSegment } from "../session/session-entry.ts";
import type { State } from "./state.ts";
import type { Execution, Outcome, RecordedPrompt, TransitionFile } from "./transition-file.ts";
import { toToolExecutions, toToolRecords, type ToolExecution } from "../turn/tool-recorder.ts";

/** The state of things before or after a turn. */
export interface TransitionPoint {
  /** The snapshot of the files. */
  readonly snapshotId: string;
  /** The session, where there was one. */
  readonly sessionId?: string;
  /** The recorded state; none where it was made by hand and not recorded. */
  readonly stateId?: string;
}

/** Where a transition finds what it does not hold itself. */
export interface TransitionSource {
  readonly snapshots?: Pick<SnapshotStore, "diff" | "patch">;
  readonly leftOut?: { readonly before: State["leftOut"]; readonly after: State["leftOut"] };
  segment(): Promise<SessionSegment>;
  session?(): Promise<Transcript | undefined>;
}

/** One turn: the state before, what was asked, what was done, the state after. */
export class Transition {
  readonly id: string;
  readonly conversationId: string;
  /** The turn's number in its session, from 1. */
  readonly turn: number;
  readonly before: TransitionPoint;
  readonly prompt: RecordedPrompt;
  readonly execution: Execution;
  readonly after: TransitionPoint;
  readonly recordedAt: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly rewards: Readonly<Record<string, number>>;
  readonly #source: TransitionSource;

  constructor(file: TransitionFile, points: TransitionPoints, source: TransitionSource) {
    this.id = file.id;
    this.conversationId = file.conversationId;
    this.turn = file.turn;
    this.before = points.before;
    this.prompt = file.prompt;
    this.execution = file.execution;
    this.after = points.after;
    this.recordedAt = file.recordedAt;
    this.metadata = file.metadata;
    this.rewards = file.rewards;
    this.#source = source;
  }

  /** The messages that the turn added to its session. */
  async newMessages(): Promise<readonly SessionMessage[]> {
    return messagesOf(await this.#source.segment());
  }

  /** The whole session as it was after the turn, parsed; undefined where it is not known, or nothing was said. */
  async sessionAfter(): Promise<Transcript | undefined> {
    return await this.#source.session?.();
  }

  /** The tool calls, in the order in which they began, with input, output, duration and error. */
  async toolExecutions(): Promise<readonly ToolExecution[]> {
    return toToolExecutions(this.execution.tools, await this.#source.segment());
  }

  /** The names of the tools that were called, in order, as often as they were. */
  toolsUsed(): readonly string[] {
    return this.execution.tools.map(({ tool }) => tool);
  }

  /** Whether a tool call failed or was denied. */
  hasToolErrors(): boolean {
    return this.execution.tools.some(({ isError, isDenied }) => isError || isDenied);
  }

  /** What became of the files, by whatever way they were changed. What a state left out is neither created nor deleted. */
  async filesChanged(): Promise<readonly FileChange[]> {
    return (await this.#compare()).changes;
  }

  /** What became of files that the states around the turn do not hold: no undo brings these back. */
  async unheldChanges(): Promise<readonly UnheldChange[]> {
    return (await this.#compare()).unheld;
  }

  async #compare(): Promise<ReturnType<typeof compareLeftOut>> {
    const changes = (await this.#source.snapshots?.diff(this.before.snapshotId, this.after.snapshotId)) ?? [];
    const { before = [], after = [] } = this.#source.leftOut ?? {};
    return compareLeftOut({ before, after, changes });
  }

  /** The same as a unified patch, of all files or of one. */
  async patch(path?: string): Promise<string> {
    return (await this.#source.snapshots?.patch(this.before.snapshotId, this.after.snapshotId, path)) ?? "";
  }

  /** The same turn with all that it would read from its store in memory, for one whose store is about to go. */
  async detach(): Promise<Transition> {
    return new Transition(this.toJSON(), this, await detachSource(this.#source, this));
  }

  /** The turn as data, as `transition.json` has it. */
  toJSON(): TransitionFile & TransitionPoints {
    const { id, conversationId, turn, before, prompt, execution, after, recordedAt, metadata, rewards } = this;
    return { id, conversationId, turn, before, prompt, execution, after, recordedAt, metadata, rewards };
  }
}

interface TransitionPoints {
  readonly before: TransitionPoint;
  readonly after: TransitionPoint;
}

export interface SeenTurn {
  readonly result: TurnResult;
  readonly hasTotal: boolean;
  readonly segment: SessionSegment | undefined;
  readonly tools: readonly ToolExecution[];
  readonly startedAt: string;
  /** How it ended, where the result does not say. */
  readonly outcome?: Outcome;
}

export function toExecution({ result, hasTotal, segment, tools, startedAt, outcome }: SeenTurn): Execution {
  const { usage, costUsd, usageByModel, ledger } = settle(result, { hasTotal, segment });
  const { text: response, sessionId, model, isError, durationMs, responses } = result;
  const { error, stopReason, terminalReason, structuredOutput, permissionDenials } = result;
  const { subtype, uuid, durationApiMs } = result;
  return {
    response,
    sessionId,
    model,
    outcome: outcome ?? outcomeOf(result),
    isError,
    ...defined({ error: error && { ...error }, subtype, uuid, stopReason, terminalReason }),
    costUsd,
    ...markOf(result, segment),
    usage: { ...usage },
    usageByModel: { ...usageByModel },
    durationMs,
    ...defined({ durationApiMs }),
    responses,
    startedAt,
    permissionDenials: [...permissionDenials],
    ...defined({ structuredOutput }),
    tools: toToolRecords(tools, segment ?? EMPTY_SEGMENT),
    ledger,
  };
}

/** A turn that was cut off, or made by hand, is known by what was written into its session. */
function markOf({ offline, scenario }: TurnResult, segment: SessionSegment | undefined): Partial<OfflineMark> {
  if (offline && scenario !== undefined) return { offline, scenario };
  const responses = messagesOf(segment ?? EMPTY_SEGMENT).filter(
    ({ role, model }) => role === "assistant" && model !== "<synthetic>",
  );
  return offlineMark(responses.map(({ id = "" }) => id)) ?? {};
}

/** A prompt as it is written down: what was sent along is in the session. */
export function toRecordedPrompt({ text, attachments }: ClaudePrompt): RecordedPrompt {
  return { text, attachments: attachments.map(({ type, name }) => ({ type, name })) };
}

function outcomeOf({ isError, error }: TurnResult): Outcome {
  if (!isError) return "completed";
  return error?.kind === "cancelled" ? "cancelled" : "failed";
}

/** A patch that is larger is not kept: an agent may have made any amount of files. */
const MOST_PATCH_CHARACTERS = 16 * 1024 ** 2;

const HINT = "Give the evaluation a workspace or a record that stays";

/** Reads what a turn finds in its store. What could not be read is told when it is asked for, not before. */
async function detachSource(
  { snapshots, leftOut, segment, session }: TransitionSource,
  { before, after }: TransitionPoints,
): Promise<TransitionSource> {
  const ids = [before.snapshotId, after.snapshotId] as const;
  const diff = snapshots && (await remember(async () => await snapshots.diff(...ids)));
  const patch = snapshots && (await remember(async () => sized(await snapshots.patch(...ids))));
  return {
    segment: await remember(segment),
    ...defined({ leftOut, session: session && (await remember(session)) }),
    ...(diff && patch
      ? { snapshots: { diff, patch: async (_, __, path) => (path === undefined ? await patch() : onlyWhole(path)) } }
      : {}),
  };
}

/** What a function gives or throws now, to be given or thrown later. */
async function remember<Value>(read: () => Promise<Value>): Promise<() => Promise<Value>> {
  try {
    const value = await read();
    return async () => value;
  } catch (error) {
    return async () => {
      throw error;
    };
  }
}

function sized(patch: string): string {
  if (patch.length <= MOST_PATCH_CHARACTERS) return patch;
  const message = `The patch of the turn has ${patch.length} characters, too many to keep without a record`;
  throw new SkeinError(message, { kind: "resource_exhausted", hint: HINT });
}

function onlyWhole(path: string | Uint8Array): never {
  throw new SkeinError("The record of the turn is gone: there is a patch of all files, but not of a single one", {
    kind: "state_not_found",
    target: path.toString(),
    hint: `Call patch() without a path. ${HINT}`,
  });
}
