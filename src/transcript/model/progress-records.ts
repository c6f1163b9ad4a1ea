import { parseRecord, type TranscriptRecord } from "../records/transcript-record.ts";
import { isObject, string } from "./content.ts";

/** What progress records tell of one sub-agent: its messages, whole, and the call that started it. */
export interface AgentProgress {
  readonly agentId: string;
  readonly parentToolUseId: string | undefined;
  readonly records: readonly TranscriptRecord[];
}

/** The messages of sub-agents that stand inside progress records, as versions 2.1.12 to 2.1.47 wrote them. */
export function collectAgentProgress(records: readonly TranscriptRecord[]): readonly AgentProgress[] {
  const byAgent = new Map<string, { parentToolUseId: string | undefined; records: TranscriptRecord[] }>();
  for (const record of records) {
    if (record.type !== "progress" || record.data.type !== "agent_progress") continue;
    const inner = record.data["message"];
    if (!isObject(inner)) continue;
    const parentToolUseId = string(record.parentToolUseID);
    const agentId = string(record.data["agentId"]) ?? parentToolUseId ?? "";
    const agent = byAgent.get(agentId) ?? { parentToolUseId, records: [] };
    byAgent.set(agentId, agent);
    const place = { sessionId: record.sessionId, cwd: record.cwd, isSidechain: true, agentId };
    agent.records.push(parseRecord({ ...place, ...inner }).record);
  }
  return [...byAgent].map(([agentId, agent]) => ({ agentId, ...agent }));
}
