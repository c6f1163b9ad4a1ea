import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import { z } from "zod";
import { claudeHome, parseJson, systemClock, type Clock } from "../../core/internal.ts";
import type { EnvVariables } from "../processes/env-variables.ts";
import { readFailure } from "./classify-error.ts";

/** How much of the end of a transcript is read: the record is among the last. */
const TAIL_BYTES = 1 << 18;

/** The CLI writes its record and tells of it at the same time: neither comes first for certain. */
const LOOKS = 20;
const LOOK_MS = 50;

/** What the API said when it broke off a response half way: the CLI tells only that the server failed; the word is in its record. */
export async function findStreamErrorType(
  message: SDKMessage,
  env: EnvVariables = {},
  clock: Clock = systemClock,
): Promise<string | undefined> {
  if (message.type !== "assistant") return undefined;
  const failure = readFailure(message);
  if (failure?.word !== "server_error" || failure.isConnection || failure.status !== undefined) return undefined;
  const { session_id: sessionId, uuid } = message;
  for (let look = 0; look < LOOKS; look += 1) {
    if (look > 0) await clock.sleep(LOOK_MS);
    const lines = await readTail(claudeHome(env), sessionId);
    // Later records name it as what they follow.
    const records = lines.filter((line) => line.includes(uuid)).map((line) => RECORD.safeParse(parseJson(line)).data);
    const record = records.find((each) => each?.uuid === uuid);
    if (record) return API_ERROR.safeParse(parseJson(record.streamCutError?.message ?? "")).data?.error.type;
  }
  return undefined;
}

const RECORD = z.object({
  uuid: z.string(),
  /** What the API sent: its error event, as text. */
  streamCutError: z.object({ message: z.string() }).optional(),
});
const API_ERROR = z.object({ error: z.object({ type: z.string() }) });

/** The last whole lines of a session's transcript. Its folder is named after a directory in a way that is the CLI's own. */
async function readTail(configFolder: string, sessionId: string): Promise<readonly string[]> {
  const projects = join(configFolder, "projects");
  for (const folder of await readdir(projects).catch(() => [])) {
    await using file = await open(join(projects, folder, `${sessionId}.jsonl`)).catch(() => undefined);
    if (!file) continue;
    const { size } = await file.stat();
    const start = Math.max(0, size - TAIL_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
    return buffer.toString("utf8", 0, bytesRead).split("\n").slice(0, -1);
  }
  return [];
}
