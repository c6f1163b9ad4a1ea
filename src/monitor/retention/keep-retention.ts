import { readRetentionFile, type Clock } from "../../core/internal.ts";
import { keepDoing } from "../server/keep-doing.ts";
import { applyRetention, type RetentionOptions, type RetentionSettings } from "./apply-retention.ts";

const DAY_MS = 86_400_000;

const LOOK_EVERY_MS = 3_600_000;

/** Applies what is configured once a day, whoever did it last. What fails, as on a full disk, is tried again an hour later. */
export function keepRetention(
  settings: RetentionSettings,
  { clock, ...options }: RetentionOptions & { readonly home: string; readonly clock: Clock },
): AsyncDisposable {
  return keepDoing(async () => await applyIfDue(settings, { ...options, clock }), LOOK_EVERY_MS, clock);
}

async function applyIfDue(
  settings: RetentionSettings,
  options: RetentionOptions & { readonly home: string; readonly clock: Clock },
): Promise<void> {
  const last = await readRetentionFile(options.home);
  const sinceMs = options.clock.now() - Date.parse(last?.appliedAt ?? "");
  // A clock that was put back must not keep it from being done.
  if (sinceMs >= 0 && sinceMs < DAY_MS) return;
  await applyRetention(settings, { ...options, waitMs: -1 });
}
