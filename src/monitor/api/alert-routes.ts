import { z } from "zod";
import { ALERT_KINDS, AlertData, toAlertData } from "../alerts/alert-data.ts";
import { isoTime } from "../../core/internal.ts";
import { asData } from "../../protocol/index.ts";
import { readBudgets, type BudgetState } from "../budgets/read-budgets.ts";
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

const BudgetData = z.strictObject({
  workspace_id: z.string().describe("The workspace's id"),
  workspace: z.string().describe("Its path"),
  max_cost_usd: z.number().nullable().describe("What one call of a command may spend; null where that is not limited"),
  max_conversation_cost_usd: z
    .number()
    .nullable()
    .describe("What a conversation may spend, earlier turns included; null where that is not limited"),
  problem: z.string().nullable().describe("Why its limits cannot be told, as its configuration is wrong; else null"),
  conversations: z
    .array(
      z.strictObject({
        id: z.string().describe("The conversation"),
        first_prompt: z.string().describe("The beginning of its first prompt"),
        updated_at: z.string().describe("When its last state was recorded, ISO 8601"),
        spent_usd: z
          .number()
          .describe("What its own turns cost, those of the offline model by the price list, as the limit counts them"),
        is_over: z.boolean().describe("Whether nothing is left of its limit"),
      }),
    )
    .describe("Of the conversations that were changed last, the five that spent most; none where that is not limited"),
});

function toBudgetData({ conversations, ...budget }: BudgetState): z.infer<typeof BudgetData> {
  const { maxConversationCostUsd: most = Number.POSITIVE_INFINITY } = budget;
  const told = conversations.map(({ updatedAtMs, ...conversation }) => ({
    ...conversation,
    updatedAt: isoTime(updatedAtMs),
    isOver: conversation.spentUsd >= most,
  }));
  return asData(BudgetData, { ...budget, conversations: told });
}

export const listLimits = route({
  path: "/api/limits",
  operation: "listLimits",
  summary:
    "What is watched, as configured under alerts, such as the cost of a day: how much of its bound is used now; and what agents in a workspace may spend, beside what was spent",
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
    budgets: z.array(BudgetData).describe("What agents may spend, of the workspaces for which that is configured"),
  }),
  async answer(_, context) {
    const { alerts } = context;
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
      budgets: (await readBudgets(context)).map(toBudgetData),
    };
  },
});
