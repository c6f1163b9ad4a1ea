import { z } from "zod";
import { asData } from "../../protocol/index.ts";

/** What an alert can be about. */
export const ALERT_KINDS = [
  "error-rate",
  "cost-per-hour",
  "cost-per-day",
  "memory",
  "stalled-run",
  "slower-turns",
] as const;

/** What an alert is about. */
export type AlertKind = (typeof ALERT_KINDS)[number];

export const AlertData = z.strictObject({
  alert_id: z.string().describe("The alert's id: the same when it fires and when it clears"),
  kind: z.enum(ALERT_KINDS).describe("What it is about"),
  subject: z.string().nullable().describe("The run or the process that it is about; null where it is about all"),
  message: z.string().describe("What is the matter, as a sentence"),
  value: z.number().describe("The figure for which it fired"),
  threshold: z.number().describe("What the figure went beyond"),
  workspace: z.string().nullable().describe("The workspace of the run that it is about; null of others"),
  fired_at: z.string().describe("When it fired, ISO 8601"),
  cleared_at: z.string().nullable().describe("When it was over, ISO 8601; null while it holds"),
});

export type AlertData = Readonly<z.infer<typeof AlertData>>;

/** Something that a person should know: it fires once, and is over once. */
export interface Alert {
  readonly alertId: string;
  readonly kind: AlertKind;
  /** The run or the process that it is about, where it is about one. */
  readonly subject?: string | undefined;
  /** What is the matter, as a sentence. */
  readonly message: string;
  /** The figure for which it fired. */
  readonly value: number;
  /** What the figure went beyond. */
  readonly threshold: number;
  /** The workspace of the run that it is about. */
  readonly workspace?: string | undefined;
  /** ISO 8601. */
  readonly firedAt: string;
  /** When it was over, ISO 8601; none while it holds. */
  readonly clearedAt?: string | undefined;
}

export function toAlertData(alert: Alert): AlertData {
  return asData(AlertData, alert);
}
