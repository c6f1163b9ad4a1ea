import { useMemo, type ReactNode } from "react";
import type { QuestionData } from "../../../src/monitor/api-types.ts";
import { useRunLog } from "../data/use-run-log.ts";
import { AskedMarkdown } from "./long-text.tsx";
import { planIn } from "./plan-in.ts";

/** A plan that the call itself does not hold: the file that it was written into, else what the agent said last. */
export function PlanText({ question }: { readonly question: QuestionData }): ReactNode {
  const { lines, isComplete } = useRunLog(question.run);
  const plan = useMemo(() => planIn(lines, question.tool_use_id), [lines, question.tool_use_id]);
  if (plan !== undefined) return <AskedMarkdown text={plan} label="Plan" />;
  return <p className="quiet">{isComplete ? "The agent wrote no plan down. Look at its run." : "Reading the plan…"}</p>;
}
