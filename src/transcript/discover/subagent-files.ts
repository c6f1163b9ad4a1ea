import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isObject, string } from "../model/content.ts";
import type { SubagentFile } from "../model/subagents.ts";
import { loadRecords, type LoadedFile } from "../load-records.ts";
import { scanFile } from "../scan-file.ts";

const AGENT_FILE = /^agent-(.+)\.jsonl$/u;

/** Finds the files of a session's sub-agents: in `<session>/subagents/`, and beside it, where 2.0 wrote them. */
export async function findSubagentFiles(path: string, sessionId: string): Promise<readonly string[]> {
  const folder = dirname(path);
  if (AGENT_FILE.test(basename(path))) return [];
  const below = await listAgentFiles(join(folder, basename(path, ".jsonl"), "subagents"));
  const beside = (await list(folder))
    .filter((entry) => AGENT_FILE.test(entry.name))
    .map((entry) => join(folder, entry.name))
    .filter((file) => sessionOf(file) === sessionId);
  return [...below, ...beside].toSorted();
}

/** Every sub-agent's file below a folder; links to folders are not followed, so that none leads round in a circle. */
export async function listAgentFiles(folder: string): Promise<readonly string[]> {
  const files: string[] = [];
  for (const entry of await list(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) files.push(...(await listAgentFiles(path)));
    else if (AGENT_FILE.test(entry.name)) files.push(path);
  }
  return files;
}

/** Reads a sub-agent's file and the small one beside it that names the call it came from. */
export async function readSubagentFile(path: string, signal?: AbortSignal): Promise<SubagentFile> {
  const file = await loadRecords(path, signal);
  return toSubagentFile(path, file, await readMeta(path.replace(/\.jsonl$/u, ".meta.json")));
}

/** A sub-agent's file of its records; its name tells the sub-agent's id where no record does. */
export function toSubagentFile(
  path: string,
  { records, problems }: Pick<LoadedFile, "records" | "problems">,
  meta: SubagentFile["meta"] = {},
): SubagentFile {
  const own = records.map(({ record }) => record);
  const stated = own.map((record) => ("agentId" in record ? string(record.agentId) : undefined)).find(Boolean);
  const agentId = stated ?? AGENT_FILE.exec(basename(path))?.[1] ?? basename(path);
  return { path, agentId, meta, records: own, problems };
}

async function readMeta(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const meta: unknown = JSON.parse(await readFile(path, "utf8"));
    return isObject(meta) ? meta : {};
  } catch {
    // Older versions wrote none, and a running one may be writing it now: the call is then found by other signs.
    return {};
  }
}

/** The session that the first record naming one belongs to. */
function sessionOf(path: string): string | undefined {
  try {
    for (const record of scanFile(path, { blockBytes: 64 * 1024 })) {
      if (record.type === "record" && record.sessionId !== undefined) return record.sessionId;
    }
  } catch {
    // It was deleted since the folder was listed, or is not ours to read: it is no sub-agent that could be shown.
  }
  return undefined;
}

async function list(folder: string) {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}
