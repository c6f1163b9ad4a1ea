import { z } from "zod";
import { webhookAddressMistake } from "../core/internal.ts";

const text = z.string().min(1);
const amount = z.number().positive();
const minutes = amount.max(60 * 24 * 7);
const leastTurns = z.int().positive();

/** An address is as secret as a password where it is all that a service asks for. */
const webhook = z
  .strictObject({
    url: text.describe("Where to send to: https://, or http:// on this machine"),
    urlEnv: text.describe("The variable of skein serve that has the address, in the place of url"),
    urlFile: text.describe("The file that has the address, readable by you alone, in the place of url"),
    secretEnv: text.describe("The variable of skein serve that has the secret with which messages are signed"),
    secretFile: text.describe("The file that has the secret, readable by you alone"),
    preset: z.enum(["json", "slack", "discord"]).describe("What the message looks like (default: json)"),
    tell: z
      .array(z.enum(["alerts", "session-started", "session-completed", "session-failed"]))
      .min(1)
      .describe("What is sent (default: alerts)"),
  })
  .partial()
  .superRefine(({ url, urlEnv, urlFile, secretEnv, secretFile }, context) => {
    const addresses = [url, urlEnv, urlFile].filter((each) => each !== undefined);
    if (addresses.length !== 1) context.addIssue("it needs one of url, urlEnv and urlFile");
    if (secretEnv !== undefined && secretFile !== undefined)
      context.addIssue("it takes one of secretEnv and secretFile");
    const mistake = url === undefined ? undefined : webhookAddressMistake(url);
    if (mistake !== undefined) context.addIssue({ code: "custom", path: ["url"], message: `it ${mistake}` });
  });

/** What `skein serve` tells of by itself. It stands in the user's own file alone: a workspace is not to say where your figures are sent. */
export const alertsPart = z.strictObject({
  errorRate: z
    .strictObject({
      above: z.number().positive().max(1).describe("The share of turns that may fail, such as 0.5"),
      minutes: minutes.optional().describe("How far back is looked (default: 60)"),
      leastTurns: leastTurns.optional().describe("Of fewer turns nothing is said (default: 5)"),
    })
    .describe("Too many turns failed"),
  costPerHourUsd: amount.describe("What the last 60 minutes may have cost, in US dollars"),
  costPerDayUsd: amount.describe("What the last 24 hours may have cost, in US dollars"),
  memoryMb: amount.describe("What one of Skein's processes may hold, in MB"),
  stalledMinutes: minutes.describe("A run that works has an event at least this often"),
  slowerThanLastWeek: z
    .strictObject({
      factor: z.number().gt(1).describe("How many times the median of the week before a turn may take"),
      minutes: minutes.optional().describe("Of which turns the median is compared: the last (default: 60)"),
      leastTurns: leastTurns.optional().describe("Of fewer turns, now or then, nothing is said (default: 5)"),
    })
    .describe("Turns take longer than they did in the week before"),
  webhooks: z.array(webhook).max(16).describe("Who is told"),
});

/** A value as it may be shown: of an address where it leads, and nothing that opens it. */
export function shownAlertsValue(key: string, value: unknown): unknown {
  if (key !== "alerts.webhooks" || !Array.isArray(value)) return value;
  return value.map((each: z.input<typeof webhook>) =>
    each.url === undefined ? each : { ...each, url: `${new URL(each.url).origin}/…` },
  );
}
