import { createHash, createHmac } from "node:crypto";
import { messageOf, SkeinError, webhookAddressMistake } from "../../core/internal.ts";
import { readSecretFile } from "../access/token.ts";
import type { WebhookSettings, WebhookTopic } from "./alert-settings.ts";
import { noticeBody, type Notice } from "./notice.ts";

/** Who is told, with its address and its secret read. */
export interface Webhook {
  /** By which it is known again: nothing of its address can be read from it. */
  readonly key: string;
  /** Where it leads, without what opens it. */
  readonly name: string;
  readonly tell: readonly WebhookTopic[];
  /** Sends a notice; fails with what was wrong. */
  send(notice: Notice, how: { readonly nowMs: number; readonly signal?: AbortSignal }): Promise<void>;
}

const MOST_MS = 10_000;

/** Reads the address and the secret of each webhook. Fails with the kind `config` where one cannot be had or must not be used. */
export async function readWebhooks(
  settings: readonly WebhookSettings[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly Webhook[]> {
  const webhooks = await Promise.all(
    settings.map(async (each, index) => await readWebhook(each, `alerts.webhooks[${index}]`, env)),
  );
  const twice = webhooks.findIndex(({ key }, index) => webhooks.findIndex((other) => other.key === key) < index);
  if (twice === -1) return webhooks;
  throw wrong(`alerts.webhooks[${twice}]: its address is there twice`, `alerts.webhooks[${twice}]`);
}

async function readWebhook(
  settings: WebhookSettings,
  place: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Webhook> {
  const { url, urlEnv, urlFile, secretEnv, secretFile, preset = "json", tell = ["alerts"] } = settings;
  const address = url ?? (await readSecret({ name: urlEnv, file: urlFile, place, env }));
  const mistake = webhookAddressMistake(address ?? "");
  if (address === undefined || mistake !== undefined) throw wrong(`${place}: the address ${mistake}`, place);
  const secret = await readSecret({ name: secretEnv, file: secretFile, place, env });
  const key = createHash("sha256").update(`${preset} ${address}`).digest("hex").slice(0, 16);
  return {
    key,
    name: new URL(address).host,
    tell,
    async send(notice, { nowMs, signal }) {
      const body = noticeBody(notice, preset);
      const headers = { ...HEADERS, "skein-notice": notice.id, ...signature(secret, nowMs, body) };
      await post(address, { headers, body, ...(signal ? { signal } : {}) });
    },
  };
}

const HEADERS = { "content-type": "application/json", "user-agent": "skein" };

/** By which whoever has the secret knows that a message is ours, and is not an old one that is sent again. */
function signature(secret: string | undefined, nowMs: number, body: string): Readonly<Record<string, string>> {
  const timestamp = `${Math.floor(nowMs / 1000)}`;
  if (secret === undefined) return { "skein-timestamp": timestamp };
  const hex = createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex");
  return { "skein-timestamp": timestamp, "skein-signature": `sha256=${hex}` };
}

async function post(
  address: string,
  {
    signal,
    ...request
  }: { readonly headers: Record<string, string>; readonly body: string; readonly signal?: AbortSignal },
): Promise<void> {
  const timeout = AbortSignal.timeout(MOST_MS);
  // A redirect is followed nowhere: what was meant for one is not sent to another.
  const how = { method: "POST", redirect: "manual", ...request } as const;
  const response = await fetch(address, { ...how, signal: signal ? AbortSignal.any([timeout, signal]) : timeout });
  await response.body?.cancel();
  if (!response.ok) throw new SkeinError(`It answered with ${response.status}`, { kind: "network", retryable: true });
}

/** What went wrong, without the address. */
export function deliveryError(error: unknown): string {
  if (error instanceof SkeinError) return error.message;
  if (error instanceof Error && error.name === "TimeoutError") return `It did not answer within ${MOST_MS / 1000} s`;
  const { code } = ((error as Error).cause ?? {}) as { readonly code?: unknown };
  return typeof code === "string" ? `It could not be reached: ${code}` : `It could not be reached: ${messageOf(error)}`;
}

interface SecretPlace {
  readonly name: string | undefined;
  readonly file: string | undefined;
  readonly place: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

async function readSecret({ name, file, place, env }: SecretPlace): Promise<string | undefined> {
  if (file !== undefined) return await readSecretFile(file);
  if (name === undefined) return undefined;
  const value = env[name]?.trim();
  if (value) return value;
  throw wrong(`${place}: the variable ${name} is not set where skein serve runs`, name);
}

function wrong(message: string, target: string): SkeinError {
  return new SkeinError(message, { kind: "config", target, hint: "See docs/guide/alerts.md" });
}
