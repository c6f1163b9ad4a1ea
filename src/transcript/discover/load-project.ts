import { realpath } from "node:fs/promises";
import { basename } from "node:path";
import { emptyRecord, groupBy, SkeinError } from "../../core/internal.ts";
import { type SkippedPath, toSkipped } from "../problem.ts";
import { spokenText } from "../records/content.ts";
import { createTitleFinder } from "../records/session-title.ts";
import { scanFile, type ScannedRecord } from "../scan/scan-file.ts";
import { scanUsage, type ScanUsageOptions } from "../scan/scan-usage.ts";
import { findProjects, type ProjectFolder } from "./find-projects.ts";
import { findSessionSubagents, type SessionFile } from "./find-sessions.ts";

type Project = Awaited<ReturnType<typeof loadProject>>;
type SessionSummary = NonNullable<ReturnType<typeof summarizeSession>>;

/** Reads all sessions of a project: by its real path, its folder, or a name that only one project has. */
export async function loadProject(identifier: string, options: ScanUsageOptions & { readonly base?: string } = {}) {
  const found = await findProjects(options);
  const project = await choose(identifier, found.projects);
  const skipped = found.skipped.filter(({ path }) => path.startsWith(project.folder));
  const sessions: SessionSummary[] = [];
  const paths: string[] = [];
  for (const session of project.sessions.toReversed()) {
    const subagents = await findSessionSubagents(session);
    paths.push(session.path, ...subagents);
    const summary = summarizeSession(session, subagents, skipped);
    if (summary !== undefined) sessions.unshift(summary);
  }
  const usage = await scanUsage(paths, options);
  const begun = sessions.map(({ firstTimestamp }) => firstTimestamp).filter((time) => time !== undefined);
  return {
    name: project.name,
    path: project.path,
    folder: project.folder,
    /** The newest first. */
    sessions,
    /** Sub-agents included; a message that several sessions hold counts once. */
    usage,
    totalCostUsd: usage.total.costUsd,
    totalMessages: sum(sessions.map(({ messages }) => messages)),
    toolUsageCount: addCounts(sessions.map(({ toolUsageCount }) => toolUsageCount)),
    totalDurationMs: sum(sessions.map(({ durationMs }) => durationMs)),
    firstSessionAt: begun.toSorted()[0],
    lastSessionAt: begun.toSorted().at(-1),
    /** Session ids by the day on which they began, in UTC. */
    sessionsByDate: byDate(sessions),
    problems: usage.problems,
    skipped: [...skipped, ...usage.skipped.filter(({ path }) => !skipped.some((known) => known.path === path))],
  };
}

/** The sessions of a project that called a tool. */
export function sessionsWithTool(project: Project, tool: string): Project["sessions"] {
  return project.sessions.filter(({ toolUsageCount }) => Object.hasOwn(toolUsageCount, tool));
}

async function choose(identifier: string, projects: readonly ProjectFolder[]): Promise<ProjectFolder> {
  const real = await realpath(identifier).catch(() => identifier);
  const exact = projects.find(({ path, folder }) =>
    [path, folder].some((place) => place === identifier || place === real),
  );
  const named = projects.filter(({ name, folder }) => name === identifier || basename(folder) === identifier);
  const matching = named.length > 0 ? named : projects.filter((project) => hasPart(project, identifier));
  const chosen = exact ?? (matching.length === 1 ? matching[0] : undefined);
  if (chosen !== undefined) return chosen;
  const names = (matching.length > 0 ? matching : projects).map(({ path, folder }) => path ?? folder);
  throw new SkeinError(
    matching.length > 1 ? `Several projects are called ${identifier}` : `There is no project ${identifier}`,
    {
      kind: "usage",
      target: identifier,
      hint: names.length === 0 ? "No transcripts were found" : `Give one of: ${names.slice(0, 10).join(", ")}`,
    },
  );
}

function hasPart({ path, folder }: ProjectFolder, part: string): boolean {
  return part !== "" && (path ?? basename(folder)).includes(part);
}

function byDate(sessions: readonly SessionSummary[]): Readonly<Record<string, readonly string[]>> {
  const dates = emptyRecord<string[]>();
  for (const { firstTimestamp, sessionId } of sessions) {
    if (firstTimestamp !== undefined) (dates[firstTimestamp.slice(0, 10)] ??= []).push(sessionId);
  }
  return dates;
}

function addCounts(counts: readonly Readonly<Record<string, number>>[]): Readonly<Record<string, number>> {
  const byName = groupBy(counts.flatMap(Object.entries<number>), ([name]) => name);
  return Object.fromEntries([...byName].map(([name, own]) => [name, sum(own.map(([, count]) => count))]));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Sums a session up; undefined where its own file cannot be read, which is then listed. */
export function summarizeSession(session: SessionFile, subagents: readonly string[], skipped: SkippedPath[]) {
  const [answers, models, versions] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const [titles, tools] = [createTitleFinder(), new Map<string, number>()];
  const said: { firstPrompt?: string; first?: string; last?: string } = {};
  let [users, prompts] = [0, 0];
  const add = (record: ScannedRecord): void => {
    titles.add(record);
    if (record.recordType !== "user" && record.recordType !== "assistant") return;
    if (record.recordType === "user") users += 1;
    else answers.add(record.messageId ?? record.uuid ?? "");
    if (record.isPrompt && !record.isSidechain) {
      prompts += 1;
      said.firstPrompt ??= spokenText(record.text);
    }
    if (record.model !== undefined) models.add(record.model);
    if (record.version !== undefined) versions.add(record.version);
    for (const { name } of record.toolUses) tools.set(name, (tools.get(name) ?? 0) + 1);
    const time = record.timestamp;
    if (time === undefined) return;
    if (said.first === undefined || time < said.first) said.first = time;
    if (said.last === undefined || time > said.last) said.last = time;
  };
  for (const path of [session.path, ...subagents]) {
    try {
      for (const record of scanFile(path)) if (record.type === "record") add(record);
    } catch (error) {
      skipped.push(toSkipped(path, error));
      if (path === session.path) return undefined;
    }
  }
  return {
    sessionId: session.sessionId,
    path: session.path,
    subagents: subagents.length,
    sizeBytes: session.sizeBytes,
    title: titles.title(),
    firstPrompt: said.firstPrompt,
    /** Of sub-agents too; an answer over several lines is one. */
    messages: users + answers.size,
    prompts,
    models: [...models],
    versions: [...versions],
    toolUsageCount: Object.fromEntries(tools) as Readonly<Record<string, number>>,
    firstTimestamp: said.first,
    lastTimestamp: said.last,
    durationMs: Math.max(0, Date.parse(said.last ?? "") - Date.parse(said.first ?? "")) || 0,
  };
}
