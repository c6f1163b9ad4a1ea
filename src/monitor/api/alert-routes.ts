import { z } from "zod";
import { ALERT_KINDS, AlertData, toAlertData } from "../alerts/alert-data.ts";
import { pageFields, pageOf, pageQuery, route } from "./route.ts";

const WebhookData = z.strictObject({
  name: z.string().describe("Where it leads: the host, and nothing that opens it"),
  waiting: z.int().describe("How many messages wait for it"),
  error: z.string().nullable().describe("Why the last one was not taken; null where nothing is wrong"),
});

export const listAlerts = route({
  path: "/api/alerts",
  operation: "listAlerts",
  summary: "Alerts that hold and that are over, newest first, and how it stands with the webhooks",
  query: z.strictObject({
    ...pageQuery,
    state: z.enum(["held", "cleared"]).optional().describe("Only those that hold, or only those that are over"),
  }),
  data: z.strictObject({
    alerts: z.array(AlertData).describe("The alerts"),
    webhooks: z.array(WebhookData).describe("Who is told"),
    ...pageFields,
  }),
  async answer({ limit, offset, state }, { alerts }) {
    const which = state === undefined ? {} : { isHeld: state === "held" };
    const found = await alerts.store.list({ ...which, limit: limit + 1, offset });
    const { items, next_offset } = pageOf(found, { limit, offset });
    return { alerts: items.map(toAlertData), webhooks: [...(await alerts.webhooks())], next_offset };
  },
});

export const listLimits = route({
  path: "/api/limits",
  operation: "listLimits",
  summary: "What is watched, as configured under alerts, such as the cost of a day: how much of its bound is used now",
  data: z.strictObject({
    limits: z
      .array(
        z.strictObject({
          kind: z.enum(ALERT_KINDS).describe("What is watched"),
          subject: z.string().nullable().describe("The run or process that it is of; null where it is of all"),
          workspace: z.string().nullable().describe("The workspace that it is of; null where it is of all"),
          value: z
            .number()
            .describe("What it is now: dollars, a share of turns, MB, minutes or a factor, as its kind says"),
          threshold: z.number().describe("The bound above which an alert fires"),
          is_over: z.boolean().describe("Whether it is above the bound"),
          message: z.string().describe("The words of the alert, as it would say it now"),
        }),
      )
      .describe("The limits; nothing of what is not watched, or of what there is too little to judge by"),
  }),
  async answer(_, { alerts }) {
    const readings = await alerts.readings();
    return {
      limits: readings.map(({ kind, subject, workspace, value, threshold, message }) => ({
        kind,
        subject: subject || null,
        workspace: workspace ?? null,
        value,
        threshold,
        is_over: value > threshold,
        message,
      })),
    };
  },
});
