import { useEffect, useRef } from "react";
import type { RunData, ServerMessage } from "../../../src/monitor/api-types.ts";
import { stream } from "../data/live.ts";
import { endedBy } from "./ended-run.ts";

/** Hears of each run that ends while the page is open, once. */
export function useRunEnds(hear: (run: RunData) => void): void {
  const current = useRef(hear);
  useEffect(() => {
    current.current = hear;
  });
  useEffect(() => {
    const states: Record<string, RunData["state"]> = {};
    return stream.onMessage((message: ServerMessage) => {
      const ended = endedBy(message, states);
      if (message.type === "snapshot") for (const { run, state } of message.runs) states[run] = state;
      if (message.type === "run") states[message.run.run] = message.run.state;
      if (ended) current.current(ended);
    });
  }, []);
}
