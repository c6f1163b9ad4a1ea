import { SECRET_PATTERNS, type SecretPattern } from "../../core/index.ts";
import { toSecretFinder, type FoundSecret } from "./find-secrets.ts";
import { redactOptions, redactPrompt } from "./redact-prompt.ts";
import { secretsOfEnvironment, type NamedValues } from "./secrets-of-environment.ts";
import type { PluginTurn, SkeinPlugin } from "./skein-plugin.ts";
import { createTurnRedactor, type TurnRedactor } from "./turn-redactor.ts";

/** What a redactor looks for. */
export interface RedactorOptions {
  /** Kinds of secrets beside `SECRET_PATTERNS`. */
  readonly patterns?: readonly SecretPattern[];
  /** Environment variables whose values are secret, beside those that hold the CLI's own credentials. */
  readonly names?: readonly string[];
  /** Where the variables are looked up, beside the turn's own `env`; the environment of this process by default. */
  readonly env?: NamedValues;
}

/**
 * Takes secrets out of prompts before they leave, and out of every event and result before anybody sees it. What tools
 * read is sent to the model by the CLI itself, and is out of its reach.
 */
export function createRedactor(options: RedactorOptions = {}): SkeinPlugin {
  const patterns = [...SECRET_PATTERNS, ...(options.patterns ?? [])].map(toSecretFinder);
  const turns = new Map<string, TurnRedactor>();
  const counts: Record<string, number> = {};

  const count = ({ name }: FoundSecret, place: "prompt" | "event"): void => {
    const metric = `${place}.${name}`;
    counts[metric] = (counts[metric] ?? 0) + 1;
  };

  const redactorOf = ({ id, options: { env } }: PluginTurn): TurnRedactor => {
    const known = turns.get(id);
    if (known) return known;
    const named = [options.env ?? process.env, env ?? {}].flatMap((each) => secretsOfEnvironment(each, options.names));
    const made = createTurnRedactor([...named.map(toSecretFinder), ...patterns], count);
    turns.set(id, made);
    return made;
  };

  return {
    name: "redactor",
    beforeQuery(turn) {
      const { redact } = redactorOf(turn);
      return { prompt: redactPrompt(turn.prompt, redact), options: redactOptions(turn.options, redact) };
    },
    onMessage: (event, turn) => redactorOf(turn).read(event),
    afterQuery(_result, { id }) {
      turns.delete(id);
    },
    metrics: () => ({ ...counts }),
  };
}
