import type { Clock } from "../../core/internal.ts";
import type { AlertStore } from "./alert-store.ts";
import { deliveryError, type Webhook } from "./webhook.ts";

const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 3_600_000;

/**
 * Sends what waits for a webhook and is due, one message after the other: what is not taken is tried again later, and what comes after
 * it waits too, so that nobody is told that something is over before it began. What was taken is taken out only then: whoever
 * is killed in between sends it once more, with the same id.
 */
export async function deliverDue(
  webhook: Webhook,
  { store, clock, signal }: { readonly store: AlertStore; readonly clock: Clock; readonly signal?: AbortSignal },
): Promise<void> {
  for (;;) {
    const waiting = await store.next(webhook.key);
    if (!waiting || waiting.nextAtMs > clock.now()) return;
    try {
      await webhook.send(waiting.notice, { nowMs: clock.now(), ...(signal ? { signal } : {}) });
    } catch (error) {
      // The server ends: nothing is wrong with whoever was to be told.
      if (signal?.aborted) return;
      const nextAtMs = clock.now() + Math.min(FIRST_WAIT_MS * 2 ** waiting.attempts, LONGEST_WAIT_MS);
      return await store.failed(waiting.row, { error: deliveryError(error), nextAtMs });
    }
    await store.delivered(waiting.row);
  }
}
