import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type { ServerNotification, ServerRequest } from "@modelcontextprotocol/sdk/types.js";

/** Tells the events of a command as progress, where the caller asked for it. */
export function createProgress(
  extra: RequestHandlerExtra<ServerRequest, ServerNotification>,
): (event: unknown) => Promise<void> {
  const { _meta: meta } = extra;
  const progressToken = meta?.progressToken;
  let progress = 0;
  return async (event) => {
    const message = wordsOf(event);
    if (progressToken === undefined || message === undefined || extra.signal.aborted) return;
    progress += 1;
    await extra.sendNotification({ method: "notifications/progress", params: { progressToken, progress, message } });
  };
}

/** An event in one line: its type, and what it is about. Pieces of what is being written are none. */
function wordsOf(event: unknown): string | undefined {
  const { type, tool, status, prompt } = event as Readonly<Record<string, unknown>>;
  if (typeof type !== "string" || type.endsWith("-delta")) return undefined;
  const about = [tool, status, prompt].find((word) => typeof word === "string");
  return about === undefined ? type : `${type}: ${about}`;
}
