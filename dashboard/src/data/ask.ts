import type { ErrorData } from "../../../src/monitor/api-types.ts";

/** What the server refused, or that it did not answer: `kind` says which, as in every envelope. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly kind: string;
  readonly hint: string | undefined;
  readonly target: string | undefined;
  readonly status: number;

  constructor({ message, kind, hint, target }: Partial<ErrorData> & { readonly message: string }, status: number) {
    super(message);
    this.kind = kind ?? "runtime";
    this.hint = hint ?? undefined;
    this.target = target ?? undefined;
    this.status = status;
  }
}

export type QueryValue = string | number | boolean | undefined;

interface Asking {
  readonly query?: Readonly<Record<string, QueryValue>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Reads from the server. */
export async function read<Answer>(address: string, { query, signal }: Asking = {}): Promise<Answer> {
  return await ask<Answer>(address + queryText(query), signal ? { signal } : {});
}

/** Changes something by the server. */
export async function send<Answer>(method: "POST" | "PUT" | "DELETE", address: string, body?: object): Promise<Answer> {
  const content =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  return await ask<Answer>(address, { method, ...content });
}

/** An address with each of its parts encoded: ``path`/api/runs/${run}` ``. */
export function path(parts: TemplateStringsArray, ...values: readonly string[]): string {
  return String.raw({ raw: parts }, ...values.map((value) => encodeURIComponent(value)));
}

function queryText(query: Readonly<Record<string, QueryValue>> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === "" ? "" : `?${text}`;
}

async function ask<Answer>(address: string, request: RequestInit): Promise<Answer> {
  const response = await fetch(address, request).catch((cause: unknown) => {
    if (request.signal?.aborted) throw cause;
    throw new ApiError({ message: "The server does not answer", kind: "network", hint: "Is skein serve running?" }, 0);
  });
  const text = await response.text();
  const answer = parse(text);
  if (response.ok && answer !== undefined) return answer as Answer;
  const { error } = (answer ?? {}) as { readonly error?: ErrorData };
  throw new ApiError(error ?? { message: `The server answered ${response.status} and no JSON` }, response.status);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
