import { basename } from "node:path";
import type { PlaceOptions } from "./transcript-totals.ts";
import type { SessionSum } from "./sum-sessions.ts";

/** Whether a session is of a project: by its path, the path's last part, or Claude Code's folder. */
export function isOfProject({ project, folder }: Pick<SessionSum, "project" | "folder">, wanted?: string): boolean {
  if (wanted === undefined) return true;
  const place = wanted.length > 1 ? wanted.replace(/[/\\]+$/u, "") : wanted;
  return place === folder || (project !== undefined && (place === project || place === basename(project)));
}

/** Whether it is of a project and of a session. `session` is the id of a logical session. */
export function isOfPlace(sum: SessionSum, { project, session }: PlaceOptions): boolean {
  return (session === undefined || sum.id === session) && isOfProject(sum, project);
}

/** Whether a moment is within a time; one that is not known is in none. */
export function isInTime(atMs: number, { sinceMs, untilMs }: PlaceOptions): boolean {
  return (sinceMs === undefined || atMs >= sinceMs) && (untilMs === undefined || atMs < untilMs);
}
