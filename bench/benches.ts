import { branches } from "./branches.ts";
import { engineOverhead } from "./engine-overhead.ts";
import { explorations } from "./explorations.ts";
import type { Bench } from "./harness/bench.ts";
import { growth } from "./growth.ts";
import { lists } from "./lists.ts";
import { longConversations } from "./long-conversations.ts";
import { monitoredTurns } from "./monitored-turns.ts";
import { page } from "./page.ts";
import { recordedTurns } from "./recorded-turns.ts";
import { replaySpeed } from "./replay-speed.ts";
import { serverThroughput } from "./server-throughput.ts";
import { snapshots } from "./snapshots.ts";
import { startup } from "./startup.ts";
import { transcriptExtremes } from "./transcript-extremes.ts";
import { transcripts } from "./transcripts.ts";
import { warmTurns } from "./warm-turns.ts";

/** All of them, in the order in which they are run. */
export const BENCHES: readonly Bench[] = [
  startup,
  transcripts,
  transcriptExtremes,
  snapshots,
  branches,
  recordedTurns,
  monitoredTurns,
  explorations,
  warmTurns,
  engineOverhead,
  longConversations,
  growth,
  lists,
  page,
  serverThroughput,
  replaySpeed,
];
