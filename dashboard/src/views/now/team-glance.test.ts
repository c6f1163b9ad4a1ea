import { expect, it } from "vitest";
import { glanceAtTeam } from "./team-glance.ts";

const lines = (...events: readonly { readonly type: string; readonly [field: string]: unknown }[]) =>
  events.map((event, place) => ({ line: place + 1, event }));

it("says how far a team is, what its workers cost, and what happened last; what is told again counts once", () => {
  const begun = [
    { type: "plan-made", items: [{ id: "a" }, { id: "b" }] },
    { type: "item-started", item: "a" },
    { type: "worker-finished", item: "a", cost_usd: 0.25, is_reused: false },
  ] as const;
  expect(glanceAtTeam(lines())).toEqual({ items: 0, merged: 0, costUsd: 0, last: "" });
  expect(glanceAtTeam(lines(...begun))).toEqual({ items: 2, merged: 0, costUsd: 0.25, last: "a: the gates run" });
  const sentBack = { type: "verdict", item: "a", by: "gates", verdict: { approved: false } };
  expect(glanceAtTeam(lines(...begun, sentBack)).last).toBe("a sent back by the gates");
  const reused = { type: "worker-finished", item: "a", cost_usd: 0.25, is_reused: true };
  const merged = { type: "item-merged", item: "a" };
  expect(glanceAtTeam(lines(...begun, reused, merged))).toEqual({
    items: 2,
    merged: 1,
    costUsd: 0.25,
    last: "a merged",
  });
});
