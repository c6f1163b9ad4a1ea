import { realpath } from "node:fs/promises";
import { basename } from "node:path";
import { SkeinError, emptyRecord } from "../../core/index.ts";
import type { SkippedPath, TranscriptProblem } from "../problem.ts";
import { scanUsage, type ScanUsageOptions } from "../scan-usage.ts";
import type { UsageReport } from "../usage/usage-counter.ts";
import { findProjects, type ProjectFolder } from "./find-projects.ts";
import { findSessionSubagents } from "./find-sessions.ts";
import { summarizeSession, type SessionSummary } from "./summarize-session.ts";

/** All sessions of one project, added up. */
export interface Project {
  readonly name: string;
  /** The real path, as the records name it. */
  readonly path: string | undefined;
  readonly folder: string;
  /** The newest first. */
  readonly sessions: readonly SessionSummary[];
  /** Money and tokens, sub-agents included; a message that several sessions hold counts once. */
  readonly usage: UsageReport;
  readonly totalCostUsd: number;
  readonly totalMessages: number;
  readonly toolUsageCount: Readonly<Record<string, number>>;
  readonly totalDurationMs: number;
  readonly firstSessionAt: string | undefined;
  readonly lastSessionAt: string | undefined;
  /** Session ids by the day on which they began, in UTC. */
  readonly sessionsByDate: Readonly<Record<string, readonly string[]>>;
  readonly problems: readonly TranscriptProblem[];
  readonly skipped: readonly SkippedPath[];
}

/** Where a project is looked for, and how its usage is counted. */
export interface LoadProjectOptions extends ScanUsageOptions {
  readonly base?: string;
}

/** Reads all sessions of a project: by its real path, its folder, or a name that only one project has. */
export async function loadProject(identifier: string, options: LoadProjectOptions = {}): Promise<Project> {
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
    sessions,
    usage,
    totalCostUsd: usage.total.costUsd,
    totalMessages: sum(sessions.map(({ messages }) => messages)),
    toolUsageCount: addCounts(sessions.map(({ toolUsageCount }) => toolUsageCount)),
    totalDurationMs: sum(sessions.map(({ durationMs }) => durationMs)),
    firstSessionAt: begun.toSorted()[0],
    lastSessionAt: begun.toSorted().at(-1),
    sessionsByDate: byDate(sessions),
    problems: usage.problems,
    skipped: [...skipped, ...usage.skipped.filter(({ path }) => !skipped.some((known) => known.path === path))],
  };
}

/** The sessions of a project that called a tool. */
export function sessionsWithTool(project: Project, tool: string): readonly SessionSummary[] {
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
  const total = new Map<string, number>();
  for (const [name, count] of counts.flatMap((one) => Object.entries(one)))
    total.set(name, (total.get(name) ?? 0) + count);
  return Object.fromEntries(total);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
