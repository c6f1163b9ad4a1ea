import { benchBranches } from "./branches.ts";
import { benchEngineOverhead } from "./engine-overhead.ts";
import { benchExplorations } from "./explorations.ts";
import { benchLongConversations } from "./long-conversations.ts";
import { benchRecordedTurns } from "./recorded-turns.ts";
import { benchReplay } from "./replay-speed.ts";
import { benchServer } from "./server-throughput.ts";
import { benchSnapshots } from "./snapshots.ts";
import { benchStartup } from "./startup.ts";
import { benchTranscriptExtremes } from "./transcript-extremes.ts";
import { benchTranscripts } from "./transcripts.ts";
import { benchWarmTurns } from "./warm-turns.ts";

process.stdout.write(`Node ${process.version}, ${process.platform} ${process.arch}\n`);
for (const bench of [
  benchStartup,
  benchServer,
  benchEngineOverhead,
  benchWarmTurns,
  replay,
  benchSnapshots,
  benchBranches,
  benchRecordedTurns,
  benchLongConversations,
  benchExplorations,
  benchTranscripts,
  benchTranscriptExtremes,
]) {
  for (const line of await bench()) process.stdout.write(`${line}\n`);
}

async function replay(): Promise<readonly string[]> {
  const { recordedMs, replayedMs, ratio } = await benchReplay();
  return [
    `cassette: ${recordedMs.toFixed(0)} ms recorded at a model's speed, ${replayedMs.toFixed(0)} ms replayed, ${ratio.toFixed(1)} times faster`,
  ];
}
