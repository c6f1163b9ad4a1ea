import { z } from "zod";
import { configuredValues, loadConfig } from "../../../config/internal.ts";
import { SkeinError } from "../../../core/internal.ts";
import { testWebhooks } from "../../../monitor/internal.ts";
import { formatList, plainLine } from "../../../terminal/index.ts";
import { defineCommand } from "../../define-command.ts";

export const alertsTest = defineCommand({
  name: "alerts test",
  summary: "Send a test to each webhook of your configuration",
  effects: { changes: "nothing", isRepeatable: false, reaches: "world" },
  args: z.object({}),
  data: z.strictObject({ webhooks: z.array(z.string()).describe("The hosts that have taken it") }),
  examples: ["alerts test"],
  async run(_, { env }) {
    const { alerts = {} } = configuredValues(await loadConfig({ env }));
    const tests = await testWebhooks(alerts, env);
    if (tests.length === 0) throw noWebhooks();
    const failed = tests.filter(({ error }) => error !== undefined);
    if (failed.length > 0) {
      const each = failed.map(({ name, error }) => `${name}: ${error}`).join("; ");
      throw new SkeinError(`${failed.length} of ${tests.length} webhooks did not take the test. ${each}`, {
        kind: "network",
        target: failed[0]?.name ?? "",
        hint: "See the address with skein config, and docs/guide/alerts.md",
        details: { webhooks: tests },
      });
    }
    return { webhooks: tests.map(({ name }) => name) };
  },
  format({ webhooks }, { terminal }) {
    const mark = terminal.colors.green("✓");
    return formatList(
      webhooks.map((name) => ({ mark, text: `${plainLine(name)} took the test`, notes: [] })),
      terminal,
    );
  },
});

function noWebhooks(): SkeinError {
  return new SkeinError("Your configuration names no webhook", {
    kind: "config",
    target: "alerts.webhooks",
    hint: "skein config shows where the file lies; docs/guide/alerts.md says what stands in it",
  });
}
