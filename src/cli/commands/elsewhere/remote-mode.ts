import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { z } from "zod";
import { SkeinError, toSkeinError } from "../../../core/internal.ts";
import { PERMISSION_MODES } from "../../../engine/internal.ts";
import { cutOffError, RunData, type MonitorClient } from "../../../monitor/internal.ts";
import { errorFromData, toWire } from "../../../protocol/index.ts";
import { argument, listFlag, switchFlag, textFlag } from "../../common-flags.ts";
import { defineCommand, type CommandContext } from "../../define-command.ts";
import { limitFlags } from "../../turn/agent-flags.ts";
import { readInput } from "../../turn/read-input.ts";
import { TurnData } from "../../turn/turn-data.ts";
import { turnSummary } from "../../turn/turn-summary.ts";
import { createTurnView } from "../../turn/turn-view.ts";
import { openServer, serverFlags, showRun } from "./monitor-server.ts";

const args = z.object({
  target: argument("The server's address, as http://127.0.0.1:4269"),
  prompt: textFlag("prompt", "What the agent should do (default: what is on standard input)"),
  ...serverFlags,
  remoteCwd: textFlag("directory", "The absolute path of the directory there"),
  workspace: textFlag("id", "A workspace there, as its list has it, in place of --remote-cwd"),
  model: textFlag("model", "The model to use"),
  permissionMode: z.enum(PERMISSION_MODES).optional().meta({
    label: "mode",
    description: "How to decide calls that no rule allows (default: as is configured there)",
  }),
  offline: z.string().optional().meta({
    label: "scenario",
    preset: "todo",
    description: "Use the embedded model there instead of the API, with a built-in scenario",
  }),
  ...limitFlags,
  attach: listFlag("file", "Images, PDFs or text files from here to send along"),
  continue: switchFlag("Continue the conversation at the directory's head there"),
  from: textFlag("state", "Continue from this state there, which must be the directory's head"),
});

type Args = z.infer<typeof args>;

export const remoteMode = defineCommand({
  name: "remote-mode",
  summary: "Run an agent by a Skein server elsewhere",
  effects: { changes: "replaces", isRepeatable: false, reaches: "world" },
  args,
  positional: ["target"],
  conflicts: ["continue", "from"],
  data: z.strictObject({
    target: z.string().describe("The server's address"),
    run: RunData.describe("The run, as it is known there"),
    turn: TurnData.describe("What the turn came to over there"),
  }),
  streaming: "on-request",
  hasTurnEvents: true,
  errorDetails: z.object({
    run: z.string().optional().describe("The run's id there; absent where none was begun"),
    turn: TurnData.optional().describe("What the turn came to; absent where none was begun"),
  }),
  examples: [
    'remote-mode http://127.0.0.1:4269 --prompt "Make the tests pass" --remote-cwd /home/me/app --token-file ./token',
    'remote-mode https://build.example --prompt "Now add tests" --remote-cwd /srv/app --continue',
  ],
  async run(given, context) {
    const server = await openServer(given, context);
    const prompt = given.prompt ?? (await readInput(context));
    const { run } = await server.start(await toBody({ ...given, prompt }));
    const stopping = stopOnAbort(server, run, context);
    try {
      const view = createTurnView(context, { isOffline: given.offline !== undefined });
      await showRun(server.follow(run, { signal: stopping.patience, notice: context.notice }), { view, context });
      const envelope = await server.result(run, stopping.patience);
      if (envelope?.error) throw Object.assign(errorFromData(envelope.error), { run });
      const { data: turn } = TurnData.safeParse(envelope?.data);
      if (!turn) throw cutOffError(run);
      const found = await server.read(run);
      const isOffline = turn.offline;
      await context.print(turnSummary(turn, { terminal: context.terminal, cwd: found.directory, isOffline }));
      return { target: given.target, run: found, turn };
    } finally {
      stopping.end();
    }
  },
});

async function toBody({ prompt, remoteCwd, attach, ...given }: Args): Promise<object> {
  const { target: _, tokenFile: _token, caFile: _ca, ...flags } = given;
  const attachments = await Promise.all(
    attach.map(async (path) => ({ name: basename(path), contentBase64: (await readFile(path)).toString("base64") })),
  );
  return toWire({ ...flags, prompt, directory: remoteCwd, attachments });
}

/** How long a run that was told to stop may take to end. */
const STOP_MS = 60_000;

/** Has the run stopped there when this command is to stop here, and waits for what it then comes to. */
function stopOnAbort(
  server: MonitorClient,
  run: string,
  { signal, notice }: CommandContext,
): { readonly patience: AbortSignal; end(): void } {
  const patience = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    const goesOn = new SkeinError("The run was told to stop, and still goes on there", {
      kind: "cancelled",
      target: run,
    });
    timer = setTimeout(() => patience.abort(goesOn), STOP_MS);
    server.interrupt(run).catch((error: unknown) => {
      notice(`The run could not be stopped there: ${toSkeinError(error).message}`);
      patience.abort(toSkeinError(error));
    });
  };
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  return {
    patience: patience.signal,
    end() {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    },
  };
}
