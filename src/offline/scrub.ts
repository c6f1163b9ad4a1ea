import type { IncomingHttpHeaders } from "node:http";
import { substitute, type Substitution } from "./substitution.ts";

/** Shorter keys are dummies, and words of a text may be like them. */
const MIN_KEY_LENGTH = 16;

/** The keys that a request was sent with, each to be replaced wherever a tool or the model has repeated it. */
export function keysToScrub(headers: IncomingHttpHeaders): readonly Substitution[] {
  const values = [headers["x-api-key"], headers.authorization, headers.cookie].flat();
  const keys = values.flatMap((value) => value?.split(/\s+/) ?? []).filter((key) => key.length >= MIN_KEY_LENGTH);
  return keys.map((from) => ({ from, to: "{{key}}", kind: "exact" }));
}

/** A request's body without its user's id, without the keys it was sent with, and without tokens for MCP servers. */
export function scrubBody(body: unknown, keys: readonly Substitution[]): unknown {
  if (typeof body === "string") return substitute([body], keys)[0];
  if (Array.isArray(body)) return body.map((part) => scrubBody(part, keys));
  if (typeof body !== "object" || body === null) return body;
  const entries = Object.entries(body).map(([name, part]) => [name, scrubField(name, part, keys)]);
  return Object.fromEntries(entries);
}

function scrubField(name: string, value: unknown, keys: readonly Substitution[]): unknown {
  if (name === "metadata" && typeof value === "object" && value !== null && "user_id" in value) {
    return { ...value, user_id: "{{user}}" };
  }
  if (name === "authorization_token" && typeof value === "string") return "{{key}}";
  return scrubBody(value, keys);
}
