import { z } from "zod";
import { SkeinError } from "../../../core/index.ts";
import type { TransferredRef } from "../../../workspace/index.ts";
import type { CommandContext } from "../../command-context.ts";
import { formatNumberOf } from "../../format-amounts.ts";
import { plainLine } from "../../plain-text.ts";
import { shownRef } from "../../states/short-id.ts";

export const TransferData = z.strictObject({
  remote: z.string(),
  refs: z.array(z.strictObject({ ref: z.string(), status: z.enum(["new", "moved", "same"]) })),
});
export type TransferData = z.infer<typeof TransferData>;

/** Where some were refused, that is the command's error; what went through is told with it. */
export function toTransferData(remote: string, refs: readonly TransferredRef[], hint: string): TransferData {
  const done = refs.flatMap(({ ref, status }) => (status === "rejected" ? [] : [{ ref, status }]));
  const rejected = refs.flatMap(({ ref, status, reason }) =>
    status === "rejected" ? [{ ref, reason: reason ?? null }] : [],
  );
  if (rejected.length === 0) return { remote, refs: done };
  const names = rejected.map(
    ({ ref, reason }) => `\n  ${shownRef(ref)}${reason === null ? "" : `: ${plainLine(reason)}`}`,
  );
  const problem = refs.find((each) => each.problem)?.problem;
  const why = problem ? "not taken" : "continued differently on the two sides";
  throw new SkeinError(`${formatNumberOf(rejected.length, "name")} ${why}:${names.join("")}`, {
    kind: problem?.kind ?? "usage",
    target: remote,
    retryable: problem?.retryable,
    hint: problem?.hint ?? hint,
    details: { refs: done, rejected },
  });
}

export function formatTransfer({ refs }: TransferData, { terminal: { colors } }: CommandContext): string {
  const changed = refs.filter(({ status }) => status !== "same");
  const lines = changed.map(({ ref, status }) => {
    const mark = status === "new" ? colors.green("+") : colors.yellow("~");
    return `  ${mark} ${shownRef(ref)}\n`;
  });
  if (changed.length === 0) return "Nothing new\n";
  return `${lines.join("")}\n${formatNumberOf(changed.length, "name")} new or moved\n`;
}
