import { SkeinError } from "../core/index.ts";
import type { Workspace } from "../workspace/index.ts";

/** Finds a conversation by its id, by the beginning of one, or as `@`, where the directory stands. */
export async function findConversation({ states }: Workspace, name: string): Promise<string> {
  const conversations = [...(await states.conversations()).keys()];
  const wanted = name === "@" ? (await states.head())?.conversationId : name;
  if (wanted === undefined) throw notFound(name, "The directory's head is not the end of a conversation");
  const found = conversations.filter((id) => id === wanted || (wanted.length >= 4 && id.startsWith(wanted)));
  const [first, second] = found;
  if (first === undefined) throw notFound(name, `There is no conversation ${name}`);
  if (second === undefined) return first;
  throw new SkeinError(`${name} matches ${found.length} conversations`, {
    kind: "usage",
    target: name,
    hint: `Give more of it: ${found.slice(0, 3).join(", ")}`,
  });
}

function notFound(name: string, message: string): SkeinError {
  return new SkeinError(message, {
    kind: "state_not_found",
    target: name,
    hint: "skein log --output-format json shows each state's conversation",
  });
}
