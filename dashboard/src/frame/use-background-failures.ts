import { useEffect } from "react";
import { ApiError } from "../data/ask.ts";
import { queries } from "../data/live.ts";
import { addressOf } from "../data/url.ts";
import { tellFailure } from "../parts/tell-failure.ts";
import { tellPerson } from "../parts/toast-list.ts";
import { endText } from "./ended-run.ts";
import { useRunEnds } from "./use-run-ends.ts";

/** Tells a person of what failed where they do not look: a run on another view, a picture that could not be renewed. */
export function useBackgroundFailures(): void {
  useRunEnds((run) => {
    const address = addressOf.run(run.run);
    const hasFailed = run.is_error === true || run.state === "interrupted";
    if (!hasFailed || run.end_reason === "cancelled" || location.pathname === address) return;
    tellPerson({ text: endText(run), address, meaning: "bad" });
  });
  useEffect(
    () =>
      queries.getQueryCache().subscribe((event) => {
        if (event.type !== "updated" || event.action.type !== "error") return;
        const { data, error } = event.query.state;
        // What has nothing to show says so in its place, and the status line that there is no connection.
        const isToldElsewhere = data === undefined || (error instanceof ApiError && error.status === 0);
        if (!isToldElsewhere) tellFailure("What is shown could not be renewed", error);
      }),
    [],
  );
}
