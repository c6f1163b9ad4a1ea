import { throughTurn } from "../engine.ts";
import { secretVariables, type SecretPattern, type SkeinEvent, type TurnStream } from "../../core/internal.ts";
import type { EnvVariables } from "../processes/env-variables.ts";
import { findSecrets, replaceSecrets, secretsOfVariables, toSecretFinder } from "./find-secrets.ts";
import { createTurnRedactor, redactValue } from "./turn-redactor.ts";

export type SecretRedactor = ReturnType<typeof createSecretRedactor>;

/**
 * Takes the secrets of a process out of what is about to be shown or recorded: the values of all variables that hold secrets, by name or
 * by looks, in the environments that it is given. Nothing that merely looks like a key is taken out: a program under test may well need it.
 */
export function createSecretRedactor(environments: readonly EnvVariables[]) {
  const patterns = environments.flatMap((env) => {
    const names = secretVariables(env).filter((name) => isTelling(env[name] ?? ""));
    return [...secretsOfVariables(env, names), ...passwordsInAddresses(env)];
  });
  const finders = patterns.map(toSecretFinder);
  return {
    /** Plain data with a mark in the place of each secret. */
    value: <Value>(value: Value): Value =>
      finders.length === 0 ? value : redactValue(value, (text) => replaceSecrets(text, findSecrets(text, finders))),
    /** The events of a turn, likewise; texts that come in pieces are held back where a secret may have begun. */
    events(events: AsyncIterable<SkeinEvent>): TurnStream {
      const turn = createTurnRedactor(finders, () => {});
      return throughTurn(events, (event) => (finders.length === 0 ? [event] : [turn.read(event)].flat()));
    },
  };
}

/** Paths, words and small numbers are values of such variables too; a text is full of them, and they give nothing away. */
function isTelling(value: string): boolean {
  return !/^[~./]|^[A-Za-z]{1,15}$|^\d{1,11}$|^https?:\/\/[^@]*$/u.test(value.trim());
}

/** The password by itself, which a tool may print without the address around it. */
function passwordsInAddresses(env: EnvVariables): readonly SecretPattern[] {
  const passwords = Object.entries(env).map(([name, value]) => {
    const encoded = /^[\w+.:-]*:\/\/[^\s:@/]*:([^\s@/]+)@/u.exec(value ?? "")?.[1] ?? "";
    return [name, isTelling(encoded) ? encoded : ""];
  });
  return secretsOfVariables(Object.fromEntries(passwords), Object.keys(env));
}
