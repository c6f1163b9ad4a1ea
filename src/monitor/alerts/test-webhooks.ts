import { createId, systemClock } from "../../core/internal.ts";
import type { AlertSettings } from "./alert-settings.ts";
import { testNotice } from "./notice.ts";
import { deliveryError, readWebhooks } from "./webhook.ts";

/** What became of a test. */
export interface WebhookTest {
  /** The host of the webhook. */
  readonly name: string;
  /** Why it was not taken; none where it was. */
  readonly error?: string;
}

export async function sendTests(
  { webhooks = [] }: AlertSettings,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly WebhookTest[]> {
  const nowMs = systemClock.now();
  const notice = testNotice(createId(), nowMs);
  return await Promise.all(
    (await readWebhooks(webhooks, env)).map(async ({ name, send }): Promise<WebhookTest> => {
      try {
        await send(notice, { nowMs });
        return { name };
      } catch (error) {
        return { name, error: deliveryError(error) };
      }
    }),
  );
}
