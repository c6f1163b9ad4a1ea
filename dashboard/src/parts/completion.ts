/** What of a prompt is being completed: `@src/ca` or `/rev`, where it stands, and what is looked for. */
export interface Completing {
  readonly kind: "files" | "commands";
  readonly words: string;
  readonly start: number;
  readonly end: number;
}

/** What stands before the caret that can be completed: `@` at the beginning of a word, `/` at the beginning of the prompt. */
export function completingAt(text: string, caret: number): Completing | undefined {
  const before = text.slice(0, caret);
  const file = /(?:^|\s)@([^\s@]*)$/u.exec(before)?.[1];
  if (file !== undefined) return { kind: "files", words: file, start: caret - file.length - 1, end: caret };
  const command = /^\/([^\s/]*)$/u.exec(before)?.[1];
  if (command !== undefined) return { kind: "commands", words: command, start: 0, end: caret };
  return undefined;
}

/** The prompt with what was chosen in it, and where the caret goes. */
export function complete(
  text: string,
  { kind, start, end }: Completing,
  name: string,
): { readonly text: string; readonly caret: number } {
  const written = `${kind === "files" ? "@" : "/"}${name} `;
  // The rest of the word that the caret stood in is a part of what was meant.
  const after = text.slice(end).replace(/^\S*\s?/u, "");
  return { text: text.slice(0, start) + written + after, caret: start + written.length };
}
