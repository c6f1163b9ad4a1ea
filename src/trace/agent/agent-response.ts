import type { Transcript } from "../../transcript/internal.ts";
import type { SessionMessage } from "../session/session-entry.ts";
import type { Transition } from "../record/transition.ts";

/** What an agent answered, and what it did to get there. */
export class AgentResponse {
  /** The answer. */
  readonly text: string;
  readonly sessionId: string;
  /** Paths below the workspace, sorted. A renamed file is a deleted and a created one. */
  readonly filesCreated: readonly string[];
  readonly filesModified: readonly string[];
  readonly filesDeleted: readonly string[];
  readonly costUsd: number;
  readonly durationMs: number;
  /** The names of the tools that were called, in order, as often as they were. */
  readonly toolsUsed: readonly string[];
  /** Whether the turn failed, or a tool call did. */
  readonly hasErrors: boolean;
  /** What was said in the turn, tool calls and their results included. */
  readonly messages: readonly SessionMessage[];
  /** The turn as it was recorded. */
  readonly transition: Transition;

  private constructor(
    transition: Transition,
    messages: readonly SessionMessage[],
    files: Record<"created" | "modified" | "deleted", readonly string[]>,
  ) {
    const { execution } = transition;
    this.transition = transition;
    this.text = execution.response;
    this.sessionId = execution.sessionId;
    this.costUsd = execution.costUsd;
    this.durationMs = execution.durationMs;
    this.toolsUsed = transition.toolsUsed();
    this.hasErrors = execution.isError || transition.hasToolErrors();
    this.filesCreated = files.created.toSorted();
    this.filesModified = files.modified.toSorted();
    this.filesDeleted = files.deleted.toSorted();
    this.messages = messages;
  }

  /** Reads a recorded turn as a response. */
  static async of(transition: Transition): Promise<AgentResponse> {
    const files = { created: [] as string[], modified: [] as string[], deleted: [] as string[] };
    for (const change of await transition.filesChanged()) {
      if (change.type === "renamed") files.deleted.push(change.from);
      files[change.type === "renamed" ? "created" : change.type].push(change.path);
    }
    return new AgentResponse(transition, await transition.newMessages(), files);
  }

  /** Every path that was created, modified or deleted, sorted. */
  get allFilesChanged(): readonly string[] {
    return [...new Set([...this.filesCreated, ...this.filesModified, ...this.filesDeleted])].toSorted();
  }

  /** The whole session as it was after the turn, parsed. */
  async sessionAfter(): Promise<Transcript | undefined> {
    return await this.transition.sessionAfter();
  }

  toString(): string {
    return this.text;
  }
}
