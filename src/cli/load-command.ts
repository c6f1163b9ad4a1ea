import type { TerminalCommand } from "./define-command.ts";

/** Loads a command by its name: `offline serve` is `offlineServe` of `commands/offline-serve`. */
export async function loadCommand(name: string): Promise<TerminalCommand> {
  const file = name.replaceAll(" ", "-");
  const exported = file.replaceAll(/-(\w)/gu, (_, letter: string) => letter.toUpperCase());
  const loaded = (await import(`./commands/${file}.js`)) as Readonly<Record<string, TerminalCommand | undefined>>;
  const command = loaded[exported];
  if (!command) throw new Error(`commands/${file} has no ${exported}`);
  return command;
}
