import type { MessagesRequest } from "../api/messages-request.ts";
import type { Conversation } from "./conversation.ts";

interface SideRequest {
  matches(request: MessagesRequest, conversation: Conversation): boolean;
  answer(conversation: Conversation): string;
}

/** What the CLI asks of a model beside the conversation. Each is answered sensibly and never advances a script. */
const SIDE_REQUESTS: readonly SideRequest[] = [
  {
    // The start-up check of credentials and limits.
    matches: (request, { prompt }) => prompt === "quota" && request.max_tokens === 1,
    answer: () => "ok",
  },
  {
    // A title for the session list, as JSON or as text.
    matches: (request, { system }) =>
      (request.tools ?? []).length === 0 &&
      /naming a coding session|generate a (concise|short).{0,40}title/is.test(system),
    answer: ({ prompt }) => JSON.stringify({ title: titleOf(prompt) }),
  },
  {
    // Compaction: the CLI accepts nothing but a summary in these tags.
    matches: (_, { prompt }) => /detailed summary of (the|this) (conversation|session)/i.test(prompt),
    answer: () =>
      "<analysis>The conversation so far was read.</analysis>\n<summary>\nThe work up to here is done and its files are in the working directory.\n</summary>",
  },
  {
    // A guess at what the user types next. Nothing is a good guess.
    matches: (_, { prompt }) => prompt.startsWith("[SUGGESTION MODE"),
    answer: () => "",
  },
  {
    // A page that WebFetch brought, to be cut down by a small model.
    matches: (request, { prompt }) => (request.tools ?? []).length === 0 && prompt.startsWith("Web page content:"),
    answer: ({ prompt }) => prompt.slice(0, 1000),
  },
];

/** The answer to a request that is not part of the conversation; undefined for one that is. */
export function answerSideRequest(request: MessagesRequest, conversation: Conversation): string | undefined {
  return SIDE_REQUESTS.find((side) => side.matches(request, conversation))?.answer(conversation);
}

function titleOf(prompt: string): string {
  const session = /<session>\s*([\s\S]*?)\s*<\/session>/.exec(prompt)?.[1] ?? prompt;
  return session.split(/\s+/).slice(0, 5).join(" ");
}
