import { projectFolderName } from "../../core/internal.ts";
import { isCommandText, spokenText } from "../records/content.ts";
import { isTitle } from "../records/session-title.ts";
import type { ScannedRecord } from "../scan/scan-file.ts";
import type { FileFacts } from "./file-digest.ts";

/** A first prompt is shown on one line: more of it would only fill the table. */
const PROMPT_CHARACTERS = 1000;

export type SaidFacts = Pick<
  FileFacts,
  | "lines"
  | "brokenLines"
  | "sessionId"
  | "sessionIds"
  | "versions"
  | "title"
  | "isTitleGiven"
  | "firstPrompt"
  | "cwd"
  | "summaries"
  | "names"
>;

/** Gathers what the records of a file say of it as a whole. `ownName` is the session's that the file is named after. */
export function createFacts(
  file: { readonly ownName: string; readonly folder: string; readonly parentSessionId: string | undefined },
  before?: SaidFacts,
) {
  const sessionIds = new Set(before?.sessionIds);
  const versions = new Set(before?.versions);
  const summaries = [...(before?.summaries ?? [])];
  const names = new Map((before?.names ?? []).map((name, index) => [name, index]));
  let { sessionId, title, isTitleGiven, firstPrompt, cwd, lines, brokenLines } = before ?? {
    ...NOTHING_SAID,
    sessionId: file.parentSessionId ?? null,
  };
  return {
    sawSession(id: string): void {
      sessionIds.add(id);
      // A file that was resumed by copying begins with the records of another session.
      if (sessionId === null || id === file.ownName) sessionId = id;
    },
    sawVersion: (version: string) => void versions.add(version),
    sawDirectory: (next: string) => void (cwd = betterCwd(cwd, next, file.folder)),
    sawLine: () => void (lines += 1),
    sawLines: (count: number) => void (lines += count),
    sawBroken: () => void (brokenLines += 1),
    /** What only a record that was parsed tells. */
    sawText(record: Pick<ScannedRecord, "recordType" | "text" | "isPrompt" | "isSidechain" | "leafUuid">): void {
      const { recordType, text, leafUuid } = record;
      if (isTitle(record, isTitleGiven)) {
        title = text;
        isTitleGiven = recordType === "custom-title";
      }
      if (isSaid(record)) firstPrompt ??= spokenText(text).slice(0, PROMPT_CHARACTERS);
      if (recordType === "summary" && leafUuid !== undefined) summaries.push([leafUuid, text]);
    },
    /** The number of a model's or a tool's name. */
    numberOf(name: string): number {
      const known = names.get(name);
      if (known !== undefined) return known;
      names.set(name, names.size);
      return names.size - 1;
    },
    finish: (): SaidFacts => ({
      lines,
      brokenLines,
      sessionId,
      sessionIds: [...sessionIds],
      versions: [...versions],
      title,
      isTitleGiven,
      firstPrompt,
      cwd,
      summaries,
      names: [...names.keys()],
    }),
  };
}

const NOTHING_SAID = { title: null, isTitleGiven: false, firstPrompt: null, cwd: null, lines: 0, brokenLines: 0 };

/** A slash command, such as `/clear`, says nothing of what a session is about. */
function isSaid({ isPrompt, isSidechain, text }: Pick<ScannedRecord, "isPrompt" | "isSidechain" | "text">): boolean {
  return isPrompt && !isSidechain && !isCommandText(text);
}

/** An agent may have changed its directory: the one that the folder is named after is the project's. */
function betterCwd(known: string | null, next: string, folder: string): string {
  if (known === null || next === known) return next;
  return projectFolderName(known) !== folder && projectFolderName(next) === folder ? next : known;
}
