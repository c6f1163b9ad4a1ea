import { MARK_VARIABLE } from "./marked-processes.ts";

const FLAG = "--settings";

/**
 * The arguments with settings that no other process has. The CLI names a temporary file by the content of settings that
 * are given as text; its sandbox makes that file before each command and removes it afterwards. Of two agents with the
 * same settings, one would remove what the other is about to mount, and the other's command would fail.
 */
export function withOwnSettings(args: readonly string[], mark: string): string[] {
  return args.map((arg, index) => (args[index - 1] === FLAG && arg.startsWith("{") ? marked(arg, mark) : arg));
}

function marked(text: string, mark: string): string {
  const settings = JSON.parse(text) as Record<string, unknown>;
  return JSON.stringify({ ...settings, env: { ...(settings["env"] as object | undefined), [MARK_VARIABLE]: mark } });
}
