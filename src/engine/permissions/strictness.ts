import type { PermissionMode } from "../options/claude-options.ts";

/** The permission modes from the strictest to the loosest. */
const FROM_STRICTEST: readonly PermissionMode[] = [
  "plan",
  "dontAsk",
  "default",
  "acceptEdits",
  "auto",
  "bypassPermissions",
];

/** Whether a mode lets an agent do no more than another one. Of one that is not known nothing can be said: then it is not. */
export function isNoLooser(mode: string, than: string | undefined): boolean {
  const [own, other] = [mode, than].map((each) => FROM_STRICTEST.indexOf(each as PermissionMode));
  return own !== undefined && other !== undefined && own >= 0 && own <= other;
}
