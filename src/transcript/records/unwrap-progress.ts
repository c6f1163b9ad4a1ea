import { isObject, type Fields } from "./content.ts";

/** The record of a sub-agent's message inside of a progress record, as it would stand in the sub-agent's own file. */
export function unwrapProgress(record: Fields): Fields | undefined {
  const data = record["data"];
  if (record["type"] !== "progress" || !isObject(data) || data["type"] !== "agent_progress") return undefined;
  const inner = data["message"];
  if (!isObject(inner)) return undefined;
  const { sessionId, cwd, version, timestamp } = record;
  const agentId = data["agentId"] ?? record["agentId"] ?? record["parentToolUseID"];
  return { sessionId, cwd, version, timestamp, ...inner, agentId, isSidechain: true };
}
