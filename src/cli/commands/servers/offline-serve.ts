import { once } from "node:events";
import { z } from "zod";
import {
  loadScenario,
  offlineEnvironment,
  startOfflineServer,
  startRecordingProxy,
  startReplayServer,
  type LoopbackServer,
} from "../../../offline/internal.ts";
import { defineCommand } from "../../define-command.ts";
import { usageError } from "../../../protocol/index.ts";
import { textFlag } from "../../common-flags.ts";

const NAME = "offline serve";

const args = z.object({
  scenario: textFlag("scenario", "Play a built-in scenario or a scenario file (default: todo)"),
  upstream: z
    .url({ protocol: /^https?$/u })
    .optional()
    .meta({
      label: "upstream",
      description: "Forward requests to this base URL and record them",
    }),
  cassette: textFlag("file", "The file to record to"),
  replay: textFlag("file", "Answer from this recording"),
  port: z.coerce.number().int().min(0).max(65_535).default(0).meta({
    label: "number",
    description: "The port on 127.0.0.1; 0 picks a free one",
  }),
});

type Args = z.infer<typeof args>;

const Served = z.strictObject({
  mode: z
    .enum(["scenario", "record", "replay"])
    .describe("Whether it plays a scenario, records real traffic or replays it"),
  url: z.string().describe("The address to send requests to"),
  port: z.int().describe("The port that it listens on"),
  environment: z.record(z.string(), z.string()).describe("What to set for a program that is to use it"),
});

export const offlineServe = defineCommand({
  name: NAME,
  summary: "Serve a scenario or a cassette as the Messages API",
  effects: { changes: "adds", isRepeatable: false, reaches: "world" },
  args,
  conflicts: ["scenario", "upstream", "replay"],
  data: Served,
  streaming: "always",
  events: [
    z
      .strictObject({ type: z.literal("listening").describe("What happened"), ...Served.shape })
      .describe("It answers requests from now on"),
  ],
  examples: [
    "offline serve --scenario todo",
    "offline serve --upstream https://api.anthropic.com --cassette run.jsonl",
    "offline serve --replay run.jsonl --port 4010",
  ],
  async run(given, { signal, print, emit, notice }) {
    const mode = modeOf(given);
    await using server = await start(given);
    const { url, port } = server;
    const served = { mode, url, port, environment: environmentOf(mode, url) };
    await emit({ type: "listening", ...served });
    const lines = Object.entries(served.environment).map(([name, value]) => `export ${name}=${value}\n`);
    await print(lines.join(""));
    notice(`Serving on ${url} until Ctrl-C.`);
    if (!signal.aborted) await once(signal, "abort");
    return served;
  },
});

function modeOf({ upstream, cassette, replay }: Args): z.infer<typeof Served>["mode"] {
  if ((upstream === undefined) !== (cassette === undefined)) {
    throw usageError(NAME, "--upstream and --cassette must be given together", {
      target: upstream === undefined ? "--cassette" : "--upstream",
    });
  }
  if (replay !== undefined) return "replay";
  return upstream === undefined ? "scenario" : "record";
}

async function start({ scenario = "todo", upstream, cassette, replay, port }: Args): Promise<LoopbackServer> {
  if (replay !== undefined) return await startReplayServer({ cassettePath: replay, port });
  if (upstream === undefined || cassette === undefined) {
    return await startOfflineServer({ scenario: await loadScenario(scenario), port });
  }
  return await startRecordingProxy({ upstream, cassettePath: cassette, port });
}

/** A recording needs the user's own key, so only the address is given. */
function environmentOf(mode: z.infer<typeof Served>["mode"], url: string): Record<string, string> {
  return mode === "record" ? { ANTHROPIC_BASE_URL: url } : { ...offlineEnvironment(url) };
}
