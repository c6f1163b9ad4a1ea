import { SkeinError } from "../../core/index.ts";
import type { PromptSessionOptions } from "../session.ts";
import type { SessionFile, SessionHead } from "./session-file.ts";

/** The beginning of the session in the file, where there is one and the options do not contradict it. */
export function checkHead(
  { id, parent, file: path }: PromptSessionOptions,
  file?: SessionFile,
): SessionHead | undefined {
  if (parent && path !== undefined) {
    throw new SkeinError("A child session is stored in its parent's file, not in its own", {
      kind: "usage",
      target: path,
      hint: "Give the file to the parent",
    });
  }
  const head = file?.records[0];
  if (head?.type !== "session") return undefined;
  if (id !== undefined && id !== head.session) {
    throw new SkeinError(`The file holds the session ${head.session}, not ${id}`, {
      kind: "usage",
      target: path,
      hint: "Leave the id out, or give another file",
    });
  }
  return head;
}
