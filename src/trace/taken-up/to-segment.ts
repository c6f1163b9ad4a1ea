import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { rawOf, type Subagent, type Transcript, type TranscriptRecord } from "../../transcript/index.ts";
import type { SessionEntry, SessionSegment } from "../session-entry.ts";

/** A transcript as the segment of a session: every record whole, and those of sub-agents by their path in the session. */
export function toSegment(transcript: Transcript): SessionSegment {
  const subagents = new Map<string, readonly SessionEntry[]>();
  // What is known of the others stands in the main file.
  for (const subagent of transcript.subagents) {
    if (subagent.source === "file" && subagent.path !== undefined) {
      subagents.set(pathInSession(subagent.path, transcript.path), toEntries(subagent.records, aboutOf(subagent)));
    }
  }
  return { main: toEntries(transcript.records.map(({ record }) => record)), subagents };
}

/** Lines without a type are none that any version of the CLI reads. */
function toEntries(records: readonly TranscriptRecord[], first: readonly SessionEntry[] = []): readonly SessionEntry[] {
  const raw = records.map((record) => rawOf(record) as SessionEntry);
  const entries = raw.filter(({ type }) => typeof type === "string");
  return entries.some(({ type }) => type === ABOUT) ? entries : [...first, ...entries];
}

/** What Claude Code keeps in a small file beside a sub-agent's transcript, its SDK has as a record of this type. */
const ABOUT = "agent_metadata";

function aboutOf({ agentType, description, parentToolUseId: toolUseId }: Subagent): readonly SessionEntry[] {
  const known = { agentType, description, toolUseId };
  return toolUseId === undefined ? [] : [JSON.parse(JSON.stringify({ type: ABOUT, ...known })) as SessionEntry];
}

/** The CLI has them below the session's folder; 2.0 wrote them beside it. What a state would not take for a path is written otherwise. */
function pathInSession(path: string, session: string): string {
  const name = path.slice(0, -".jsonl".length);
  const below = isAbsolute(path) ? relative(join(dirname(session), basename(session, ".jsonl")), name) : name;
  const parts = below.startsWith("..") ? ["subagents", basename(name)] : below.split(sep);
  return parts.map((part) => part.replaceAll(/[^\w.-]|\.(?=\.)|^\./gu, "-").slice(0, MOST_OF_A_NAME)).join("/");
}

const MOST_OF_A_NAME = 100;
