import { ownValue } from "../../core/index.ts";
import type { TranscriptMessage } from "../../transcript/index.ts";
import { formatMoment } from "../format-time.ts";
import { costText, tokensText } from "../transcripts/usage-data.ts";
import type { SessionHead } from "./session-page.ts";

/** Who speaks. */
export function labelOf({ role, kind, model }: Pick<TranscriptMessage, "role" | "kind" | "model">): string {
  // What the CLI itself says in the model's name is marked so.
  if (role === "assistant") return model === "<synthetic>" ? "Claude Code" : (model ?? "Claude");
  return ownValue(LABELS, kind) ?? "User";
}

const LABELS: Readonly<Record<string, string>> = {
  meta: "Claude Code",
  "tool-result": "Tool",
  "command-output": "Command",
  interrupt: "Interrupted",
  "compact-summary": "Summary of what came before",
};

/** The models that answered; what the CLI says in a model's name is none. */
export function modelsOf({ models }: SessionHead): string {
  return models.filter((model) => model !== "<synthetic>").join(", ");
}

/** What there is to know of a session, in one line. */
export function factsOf(head: SessionHead): string {
  return [
    head.project ?? "",
    head.started_at === null ? "" : formatMoment(Date.parse(head.started_at)),
    modelsOf(head),
    `${tokensText(head.usage)} tokens`,
    costText(head.usage),
    head.session_id,
  ]
    .filter((fact) => fact !== "")
    .join(" · ");
}

/** A time of a transcript by the clock on the wall; nothing where it is none. */
export function momentOf(timestamp: string | undefined): string {
  const at = Date.parse(timestamp ?? "");
  return Number.isNaN(at) ? "" : formatMoment(at);
}
