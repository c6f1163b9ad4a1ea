import { z } from "zod";
import { Check, runChecks } from "../../../protocol/index.ts";
import type { CommandContext } from "../../command-context.ts";
import { SkeinError, dataHome } from "../../../core/index.ts";
import { defineCommand } from "../../define-command.ts";
import { switchFlag } from "../../common-flags.ts";

export const doctor = defineCommand({
  name: "doctor",
  summary: "Check what Skein needs on this machine",
  effects: { changes: "replaces", isRepeatable: true, reaches: "world" },
  args: z.object({
    fix: switchFlag(
      "End processes left over from a killed host, close a data folder that other users can read, repair damage from a power cut",
    ),
  }),
  data: z.strictObject({ checks: z.array(Check) }),
  async run(given, context) {
    const checks = await runChecks({ env: context.env, dataHome: dataHome(), signal: context.signal, fix: given.fix });
    context.signal.throwIfAborted();
    await context.print(checks.map((check) => checkLines(check, context)).join(""));
    const failed = checks.filter(({ status }) => status === "fail");
    if (failed.length === 0) return { checks };
    throw new SkeinError(`Not ready: ${failed.map(({ name }) => name).join(", ")}`, {
      kind: "config",
      hint: failed.flatMap(({ fix }) => fix ?? []).join(" "),
      details: { checks },
    });
  },
});

function checkLines({ name, status, detail, fix }: Check, { terminal: { colors } }: CommandContext): string {
  const mark = { ok: colors.green("✓"), warn: colors.yellow("!"), fail: colors.red("✗") }[status];
  const line = `  ${mark} ${colors.bold(name.padEnd(12))} ${detail}\n`;
  return fix === undefined ? line : `${line}    ${colors.dim(`→ ${fix}`)}\n`;
}
