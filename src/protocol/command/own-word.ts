import { ownValue } from "../../core/internal.ts";
import { nearestName } from "../../engine/internal.ts";
import type { Command } from "./command.ts";
import { flagsOf, toWords } from "./describe-command.ts";
import { toWireKey } from "./wire-keys.ts";

/** Words for flags that other tools have, or that Skein once had; each has one word here. */
const OWN_WORDS: Readonly<Record<string, string>> = {
  "--directory": "--cwd",
  "--folder": "--cwd",
  "--remote-directory": "--remote-cwd",
  "--timeout-seconds": "--timeout",
  "--max-turns": "--max-responses",
  "--budget-usd": "--max-cost-usd",
  "--max-budget-usd": "--max-cost-usd",
  "--max-conversation-budget-usd": "--max-conversation-cost-usd",
  "--max-budget-tokens": "--max-tokens",
  "--min-cost": "--min-cost-usd",
  "--reward": "--rewarded",
  "--record": "--upstream",
  "--structured-output": "--json-schema",
  "--dangerously-skip-permissions": "--permission-mode bypassPermissions",
  "--verbose": "--output-format stream-json",
  "--print": "the prompt alone",
  "-p": "the prompt alone",
};

/** What a command calls what another tool calls so; undefined where it has no word of its own for it. */
export function ownFlag(typed: string | undefined, command: Command): string | undefined {
  const word = ownValue(OWN_WORDS, typed?.split("=")[0] ?? "") ?? "";
  if (word === "the prompt alone")
    return command.positional?.[0] === "prompt" ? `${word}, without ${typed}` : undefined;
  const [flag] = word.split(" ");
  if (flag === "--output-format") return command.streaming === undefined ? undefined : word;
  return flagsOf(command).some(({ name }) => name === flag) ? word : undefined;
}

/** The field that a program probably meant, of those that it may give: by the word of another tool, or one like it. */
export function meantField(given: string, fields: readonly string[]): string | undefined {
  const flag = `--${toWords(toWireKey(given)).replaceAll("_", "-")}`;
  const own = ownValue(OWN_WORDS, flag)?.replace(/^--/u, "").replaceAll("-", "_") ?? "";
  return fields.includes(own) ? own : nearestName(given, fields);
}
