import type { IncomingHttpHeaders } from "node:http";
import { isSecretName } from "../../core/internal.ts";
import { substitute, type Substitution } from "./substitution.ts";

/** Shorter keys are dummies, and words of a text may be like them. */
const MIN_KEY_LENGTH = 16;

/** The keys that a request was sent with, each to be replaced wherever a tool or the model has repeated it. */
export function keysToScrub(headers: IncomingHttpHeaders, path = "/"): readonly Substitution[] {
  const sent = Object.entries(headers).filter(([name]) => isSecretName(name));
  const asked = [...new URLSearchParams(path.split("?")[1] ?? "")].filter(([name]) => isSecretName(name));
  const values = [...sent.flatMap(([, value]) => value ?? []), ...asked.map(([, value]) => value)];
  const keys = values
    .flatMap((value) => value.split(/[\s;,]+/u))
    .flatMap((word) => [word, word.replace(/^[^=]*=/u, "")]);
  const long = [...new Set(keys)].filter((key) => key.length >= MIN_KEY_LENGTH);
  return long.map((from) => ({ from, to: "{{key}}", kind: "exact" }));
}

/** A request's path without the keys in its query. */
export function scrubPath(path: string, keys: readonly Substitution[]): string {
  const named = path.replaceAll(/([?&])([^=&]+)=([^&]*)/gu, (whole, mark: string, name: string) =>
    isSecretName(decoded(name)) ? `${mark}${name}={{key}}` : whole,
  );
  return substitute([named], keys)[0] ?? named;
}

/** A request's body without its user's id, without the keys it was sent with, and without tokens for MCP servers. */
export function scrubBody(body: unknown, keys: readonly Substitution[]): unknown {
  if (typeof body === "string") return substitute([body], keys)[0];
  if (Array.isArray(body)) return body.map((part) => scrubBody(part, keys));
  if (typeof body !== "object" || body === null) return body;
  const entries = Object.entries(body).map(([name, part]) => [
    substitute([name], keys)[0] ?? name,
    scrubField(name, part, keys),
  ]);
  return Object.fromEntries(entries);
}

function scrubField(name: string, value: unknown, keys: readonly Substitution[]): unknown {
  if (name === "metadata" && typeof value === "object" && value !== null && "user_id" in value) {
    return { ...(scrubBody(value, keys) as object), user_id: "{{user}}" };
  }
  if (name === "authorization_token" && typeof value === "string") return "{{key}}";
  return scrubBody(value, keys);
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
