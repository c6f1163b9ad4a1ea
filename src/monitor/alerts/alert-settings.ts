/** What a monitor tells of by itself. What is not said is not watched. */
export interface AlertSettings {
  /** Fires when more than this share of the turns of the last `minutes` (60 unless given) failed, if there were `leastTurns` (5). */
  readonly errorRate?: LastTurns<{ readonly above: number }> | undefined;
  /** Fires when the last 60 minutes cost more, in US dollars. */
  readonly costPerHourUsd?: number | undefined;
  /** Fires when the last 24 hours cost more, in US dollars. */
  readonly costPerDayUsd?: number | undefined;
  /** Fires when one of Skein's processes holds more, in MB. */
  readonly memoryMb?: number | undefined;
  /** Fires when a run that works has had no event for so long. */
  readonly stalledMinutes?: number | undefined;
  /** Fires when turns take more than `factor` times as long as in the week before, by their medians. */
  readonly slowerThanLastWeek?: LastTurns<{ readonly factor: number }> | undefined;
  readonly webhooks?: readonly WebhookSettings[] | undefined;
}

type LastTurns<Bound> = Bound & {
  readonly minutes?: number | undefined;
  readonly leastTurns?: number | undefined;
};

/** What a webhook can be told. */
export type WebhookTopic = "alerts" | "session-started" | "session-completed" | "session-failed";

/** Who is told, and how. One of `url`, `urlEnv` and `urlFile` has the address. */
export interface WebhookSettings {
  readonly url?: string | undefined;
  /** The variable that has the address. */
  readonly urlEnv?: string | undefined;
  /** The file that has the address, readable by its owner alone. */
  readonly urlFile?: string | undefined;
  /** The variable that has the secret with which messages are signed. */
  readonly secretEnv?: string | undefined;
  /** The file that has the secret, readable by its owner alone. */
  readonly secretFile?: string | undefined;
  /** What the message looks like; `json` unless given. */
  readonly preset?: "json" | "slack" | "discord" | undefined;
  /** What is told; `["alerts"]` unless given. */
  readonly tell?: readonly WebhookTopic[] | undefined;
}
