import { splitSaid } from "../../../../src/page/said.ts";
import { plainLine } from "../../parts/plain.ts";

/** What a session is called: its title, else what it was first asked, without the words that Claude Code puts around it. */
export function sessionName({
  title,
  first_prompt: prompt,
}: {
  readonly title: string | null;
  readonly first_prompt: string | null;
}): string {
  return plainLine(title ?? "", 200) || saidLine(prompt ?? "") || "A session without words";
}

/** What was said in a message, in one line. */
export function saidLine(text: string): string {
  const { command, text: rest } = splitSaid(text.slice(0, 20_000));
  return plainLine(command ?? rest, 300);
}
