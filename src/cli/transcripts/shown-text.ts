/** What of a message people are shown: the tags in which Claude Code wraps commands and their output are not for them. */
export function shownText(text: string): string {
  const [, command] = /<command-name>([^<]*)<\/command-name>/u.exec(text) ?? [];
  const [, args = ""] = /<command-args>([\s\S]*?)<\/command-args>/u.exec(text) ?? [];
  if (command !== undefined) return `${command} ${args}`.trim();
  return text.replaceAll(/<\/?(?:local-command|bash)-(?:stdout|stderr|caveat|input)>/gu, "").trim();
}
