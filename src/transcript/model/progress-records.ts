import { parseRecord, type TranscriptRecord } from "../records/transcript-record.ts";
import { isObject, string } from "./content.ts";

type Json = Readonly<Record<string, unknown>>;

/** What progress records tell of one sub-agent: its messages, whole, and the call that started it. */
export interface AgentProgress {
  readonly agentId: string;
  readonly parentToolUseId: string | undefined;
  readonly records: readonly TranscriptRecord[];
}

/** The record of a sub-agent's message inside of a progress record, as it would stand in the sub-agent's own file. */
export function unwrapProgress(record: Readonly<Record<string, unknown>>): Json | undefined {
  const data = record["data"];
  if (record["type"] !== "progress" || !isObject(data) || data["type"] !== "agent_progress") return undefined;
  const inner = data["message"];
  if (!isObject(inner)) return undefined;
  const { sessionId, cwd, version, timestamp } = record;
  const agentId = data["agentId"] ?? record["agentId"] ?? record["parentToolUseID"];
  return { sessionId, cwd, version, timestamp, ...inner, agentId, isSidechain: true };
}

/** The messages of sub-agents that stand inside progress records, as versions 2.1.12 to 2.1.47 wrote them. */
export function collectAgentProgress(records: readonly TranscriptRecord[]): readonly AgentProgress[] {
  const byAgent = new Map<string, { parentToolUseId: string | undefined; records: TranscriptRecord[] }>();
  for (const record of records) {
    const inner = record.type === "progress" ? unwrapProgress(record) : undefined;
    if (record.type !== "progress" || inner === undefined) continue;
    const parentToolUseId = string(record.parentToolUseID);
    const agentId = string(inner["agentId"]) ?? "";
    const agent = byAgent.get(agentId) ?? { parentToolUseId, records: [] };
    byAgent.set(agentId, agent);
    agent.records.push(parseRecord(inner).record);
  }
  return [...byAgent].map(([agentId, agent]) => ({ agentId, ...agent }));
}
