import type { LogLine } from "../../data/run-log.ts";
import { plainLine } from "../../parts/plain.ts";
import { textOf } from "../../parts/tool-words.ts";

/** What can be seen of a team at a glance. */
export interface TeamGlance {
  readonly items: number;
  readonly merged: number;
  readonly costUsd: number;
  /** What happened last, in a few words. */
  readonly last: string;
}

/** Reads how far a team is from its lines. */
export function glanceAtTeam(lines: readonly LogLine[]): TeamGlance {
  const items = new Set<string>();
  const merged = new Set<string>();
  let [costUsd, last] = [0, ""];
  for (const { event } of lines) {
    const item = textOf(event, "item");
    if (event.type === "plan-made" && Array.isArray(event["items"])) {
      for (const each of event["items"] as readonly { readonly id?: unknown }[]) items.add(String(each.id));
    }
    if (item !== "") items.add(item);
    if (event.type === "item-merged") merged.add(item);
    const { cost_usd: cost, is_reused: isReused } = event;
    if (event.type === "worker-finished" && typeof cost === "number" && isReused !== true) costUsd += cost;
    last = wordsFor(event) ?? last;
  }
  return { items: items.size, merged: merged.size, costUsd, last };
}

function wordsFor(event: LogLine["event"]): string | undefined {
  const item = plainLine(textOf(event, "item"), 60);
  switch (event.type) {
    case "item-started":
      return `${item} begun`;
    case "worker-finished":
      return `${item}: the gates run`;
    case "evidence-gathered":
      return `${item} is looked at`;
    case "verdict": {
      const isApproved = (event["verdict"] as { readonly approved?: unknown } | undefined)?.approved === true;
      return `${item} ${isApproved ? "approved" : "sent back"} by the ${textOf(event, "by")}`;
    }
    case "item-merged":
      return `${item} merged`;
    case "item-conflict":
      return `${item} settles a conflict`;
    case "escalated":
      return "waits for you";
    default:
      return undefined;
  }
}
