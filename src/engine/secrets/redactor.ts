import type { EnvVariables } from "../processes/env-variables.ts";
import { SECRET_PATTERNS, type SecretPattern } from "../../core/internal.ts";
import type { ClaudeOptions } from "../options/claude-options.ts";
import type { PluginTurn, SkeinPlugin } from "../plugins/skein-plugin.ts";
import type { Attachment } from "../prompts/attachment.ts";
import { secretsOfVariables, toSecretFinder } from "./find-secrets.ts";
import { createTurnRedactor, redactValue, type Redact, type TurnRedactor } from "./turn-redactor.ts";

/** What a redactor looks for. */
export interface RedactorOptions {
  /** Kinds of secrets beside `SECRET_PATTERNS`. */
  readonly patterns?: readonly SecretPattern[];
  /** Environment variables whose values are secret, beside those that hold the CLI's own credentials. */
  readonly names?: readonly string[];
  /** Where the variables are looked up, beside the turn's own `env`; the environment of this process by default. */
  readonly env?: EnvVariables;
}

/**
 * Takes secrets out of prompts before they leave, and out of every event and result before anybody sees it. What tools
 * read is sent to the model by the CLI itself, and is out of its reach.
 */
export function createRedactor(options: RedactorOptions = {}): SkeinPlugin {
  const patterns = [...SECRET_PATTERNS, ...(options.patterns ?? [])].map(toSecretFinder);
  const turns = new Map<string, TurnRedactor>();
  const counts: Record<string, number> = {};

  const redactorOf = ({ id, options: { env } }: PluginTurn): TurnRedactor => {
    const known = turns.get(id);
    if (known) return known;
    const named = [options.env ?? process.env, env ?? {}].flatMap((each) => secretsOfVariables(each, options.names));
    const made = createTurnRedactor([...named.map(toSecretFinder), ...patterns], ({ name }, place) => {
      counts[`${place}.${name}`] = (counts[`${place}.${name}`] ?? 0) + 1;
    });
    turns.set(id, made);
    return made;
  };

  return {
    name: "redactor",
    beforeQuery(turn) {
      const { redact } = redactorOf(turn);
      const { text, attachments } = turn.prompt;
      const redacted = attachments.map((attachment) => redactAttachment(attachment, redact));
      const prompt = { ...turn.prompt, text: redact(text), attachments: redacted };
      return { prompt, options: redactOptions(turn.options, redact) };
    },
    onMessage: (event, turn) => redactorOf(turn).read(event),
    afterQuery(_result, { id }) {
      turns.delete(id);
    },
    metrics: () => ({ ...counts }),
  };
}

/** The options that the model reads, without their secrets. Others, such as `env` and `mcpServers`, need theirs. */
function redactOptions({ systemPrompt, planModeInstructions, agents }: ClaudeOptions, redact: Redact): ClaudeOptions {
  const redacted = Object.entries(agents ?? {}).map(([name, agent]) => {
    const { description, prompt } = agent;
    return [name, { ...agent, ...redactValue({ description, prompt }, redact) }] as const;
  });
  return {
    ...(planModeInstructions === undefined ? {} : { planModeInstructions: redact(planModeInstructions) }),
    ...(systemPrompt === undefined ? {} : { systemPrompt: redactValue(systemPrompt, redact) }),
    ...(agents === undefined ? {} : { agents: Object.fromEntries(redacted) }),
  };
}

/** What is inside images and PDFs is not looked at. */
function redactAttachment(attachment: Attachment, redact: Redact): Attachment {
  const name = redact(attachment.name);
  return attachment.type === "text" ? { ...attachment, name, text: redact(attachment.text) } : { ...attachment, name };
}
