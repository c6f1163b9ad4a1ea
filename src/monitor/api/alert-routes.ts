import { z } from "zod";
import { AlertData, toAlertData } from "../alerts/alert-data.ts";
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
