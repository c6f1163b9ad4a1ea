import type { UsageLine } from "../usage/usage-line.ts";
import type { ContentBlock, Image } from "./content.ts";
import type { UserKind } from "./user-kind.ts";

/** What a tool gave back. */
export interface ToolResult {
  readonly toolUseId: string;
  readonly text: string;
  readonly isError: boolean;
  /** Whether the user stopped it. */
  readonly isInterrupted: boolean;
  /** The record that holds it. */
  readonly uuid: string | undefined;
  readonly timestamp: string | undefined;
  readonly images: readonly Image[];
  /** The tool's own account, in its own shape: an object, a list, or the text of an error. */
  readonly details: unknown;
}

/** A tool that the model called. */
export interface ToolUse {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly timestamp: string | undefined;
  /** Missing where the file has none: the tool is running, or the session ended before it did. */
  readonly result: ToolResult | undefined;
  /** From the call to its result, or what the tool states. */
  readonly durationMs: number | undefined;
}

/** A message of a conversation. A response of the model is one message, over however many lines it was written. */
export interface TranscriptMessage {
  readonly role: "user" | "assistant";
  /** Why it is there; `answer` is the model's. */
  readonly kind: UserKind | "answer";
  /** The first record's uuid. */
  readonly uuid: string | undefined;
  /** The uuids of all records that it was written in. */
  readonly uuids: readonly string[];
  readonly parentUuid: string | undefined;
  /** The API's id, of a response. */
  readonly messageId: string | undefined;
  readonly requestId: string | undefined;
  readonly text: string;
  readonly thinking: string;
  readonly toolUses: readonly ToolUse[];
  readonly toolResults: readonly ToolResult[];
  readonly images: readonly Image[];
  readonly blocks: readonly ContentBlock[];
  readonly model: string | undefined;
  readonly stopReason: string | undefined;
  /** As the last record states it. Where `isFinal` is false the counts are a lower bound. */
  readonly usage: UsageLine | undefined;
  readonly timestamp: string | undefined;
  /** The time of the last record. */
  readonly endTimestamp: string | undefined;
  readonly sessionId: string | undefined;
  readonly agentId: string | undefined;
  readonly isSidechain: boolean;
  readonly cwd: string | undefined;
  readonly gitBranch: string | undefined;
  /** Whether it stands for an error of the API instead of an answer. */
  readonly isApiError: boolean;
}
