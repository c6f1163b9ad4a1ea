/** From best to worst; `unknown` decides only where nothing is known. */
export const HEALTH_LEVELS = ["unknown", "healthy", "warning", "critical", "failed"] as const;

/**
 * How well something is: `warning` will need care, `critical` keeps turns from succeeding now but may pass or be done
 * without, `failed` is broken until somebody mends it, `unknown` was not looked at.
 */
export type HealthLevel = (typeof HEALTH_LEVELS)[number];

/** One thing that was looked at. */
export interface HealthCheck {
  readonly name: "claude-cli" | "credentials" | "endpoint" | "breakers" | "disk";
  readonly level: HealthLevel;
  readonly detail: string;
  /** What to do, where something is wrong. */
  readonly fix?: string;
}

/** The worst of several levels. */
export function worstLevel(levels: readonly HealthLevel[]): HealthLevel {
  return HEALTH_LEVELS.findLast((level) => levels.includes(level)) ?? "unknown";
}
