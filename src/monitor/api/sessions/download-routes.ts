import { SkeinError } from "../../../core/internal.ts";
import {
  describeTranscript,
  renderPage,
  sourceOfTranscripts,
  toIndexedSessionData,
  toSessionPage,
} from "../../../page/index.ts";
import { readTranscript } from "../../../trace/internal.ts";
import { load } from "../../../transcript/internal.ts";
import { notFound } from "../not-found.ts";
import type { Download } from "../route.ts";
import { sessionParameters } from "./session-routes.ts";
import { findState, stateParameters } from "../workspaces/state-routes.ts";

/** Larger ones would hold the server up for seconds; the command has a process of its own. */
const MOST_BYTES = 64 * 1024 ** 2;

const downloadSession: Download = {
  path: "/api/sessions/{session}/page.html",
  operation: "downloadSession",
  summary: "A session as one HTML page that needs nothing else",
  parameters: sessionParameters,
  async answer({ session: given }, { transcripts }) {
    const session = await transcripts.useTotals((totals) => totals.session(String(given)));
    requireSmall(session.sizeBytes, session.id);
    const own = session.files.filter(({ isSubagent, isPurged }) => !isSubagent && !isPurged);
    if (own.length === 0) throw notFound("transcript of the session", session.id);
    const loaded = await Promise.all(own.map(({ path }) => load(path)));
    const html = renderPage(toSessionPage(toIndexedSessionData(session), sourceOfTranscripts(loaded)));
    return { html, name: `session-${session.id}` };
  },
};

const downloadState: Download = {
  path: "/api/workspaces/{workspace}/states/{state}/page.html",
  operation: "downloadState",
  summary: "The session up to a state as one HTML page that needs nothing else",
  parameters: stateParameters,
  async answer({ workspace: id, state: name }, { workspaces }) {
    return await workspaces.use(String(id), async (opened) => {
      const state = await findState(opened, String(name));
      const transcript = await readTranscript(opened.workspace.states, state);
      if (!transcript) throw notFound("session of the state", state.id);
      requireSmall(transcript.sizeBytes, state.id);
      const source = sourceOfTranscripts([transcript]);
      const named = { session_id: state.conversationId, project: opened.workspace.origin };
      const head = describeTranscript(transcript, source.messages, named);
      return { html: renderPage(toSessionPage(head, source)), name: `state-${state.id.slice(0, 12)}` };
    });
  },
};

/** What is answered as a file. */
export const DOWNLOADS: readonly Download[] = [downloadSession, downloadState];

function requireSmall(sizeBytes: number, target: string): void {
  if (sizeBytes <= MOST_BYTES) return;
  throw new SkeinError(`The session has ${sizeBytes} bytes, and ${MOST_BYTES} are made a page here`, {
    kind: "resource_exhausted",
    target,
    hint: "skein session ID --format html makes one of any size",
  });
}
