import fc from "fast-check";
import { expect } from "vitest";
import { inTime, readPending } from "./check-turn.ts";
import type { Face } from "./face.ts";
import { createKeptModel } from "./kept-model.ts";
import { FIRST_MODEL, type Setup } from "./kept-parts.ts";
import { addPrompt, beginTurn, interrupt, kill, leave, letTimePass, release } from "./running-commands.ts";
import { reopen, setModel, setPermissionMode } from "./setting-commands.ts";
import { readAll, runTurn, sendOnly, writeFile } from "./turn-commands.ts";

/** How much is tried, and from which seed on. */
export interface KeptRuns {
  readonly runs: number;
  readonly maxCommands: number;
  readonly seed: number;
  /** The way to the smallest failing run, as fast-check tells it. */
  readonly path?: string | undefined;
}

const OTHER_MODEL = "claude-haiku-5-5";

const setups = fc.record(
  {
    maxCostUsd: fc.constantFrom(0.03, 0.1),
    maxConversationCostUsd: fc.constantFrom(0.06, 0.2),
    permissionMode: fc.constantFrom("default" as const, "acceptEdits" as const),
  },
  { requiredKeys: ["permissionMode"] },
);

const turnOptions = fc.record(
  {
    model: fc.constantFrom(FIRST_MODEL, OTHER_MODEL),
    permissionMode: fc.constantFrom("default" as const, "acceptEdits" as const, "bypassPermissions" as const),
    maxResponses: fc.integer({ min: 1, max: 3 }),
    maxCostUsd: fc.constantFrom(0.000_01, 0.03, 1),
  },
  { requiredKeys: [] },
);

const say = (word: string) => ({ prompt: `Say ${word}`, answer: word, responses: 1 });
const work = (word: string) => ({ prompt: `Work ${word}`, answer: `worked ${word}`, responses: 3 });
const talk = (word: string) => ({ prompt: `Talk ${word}`, answer: `talked ${word}`, responses: 2 });
const fail = (word: string) => ({ prompt: `Fail ${word}`, answer: "", responses: 1, failure: "invalid_request" });

const commands = [
  fc.constant(runTurn(say, "say")),
  turnOptions.map((options) => runTurn(work, "work", options)),
  fc.constant(runTurn(talk, "talk")),
  fc.constant(runTurn(fail, "fail")),
  turnOptions.map((options) => writeFile(options)),
  fc.constantFrom(sendOnly, readAll),
  fc
    .constantFrom("tool" as const, "stream" as const)
    .chain((type) => turnOptions.map(({ model }) => beginTurn(type, model === undefined ? {} : { model }))),
  fc.constantFrom(addPrompt, release, interrupt),
  fc.constantFrom(addPrompt, release, interrupt),
  fc.constantFrom(1000, 30_000, 60_000, 300_000).map(letTimePass),
  fc.constantFrom(FIRST_MODEL, OTHER_MODEL).map(setModel),
  fc.constantFrom("default" as const, "acceptEdits" as const, "bypassPermissions" as const).map(setPermissionMode),
  fc.constantFrom(kill, leave, reopen),
];

/** Drives conversations with any commands, and holds each to the model. */
export async function runKeptModel(start: (setup: Setup) => Promise<Face>, how: KeptRuns): Promise<void> {
  const { runs, maxCommands, seed, path } = how;
  const any = fc.commands(commands, { maxCommands, size: "max" });
  await fc.assert(
    fc.asyncProperty(setups, any, async (setup, given) => {
      const face = await start(setup);
      const model = createKeptModel(setup);
      try {
        await fc.asyncModelRun(() => ({ model, real: face }), given);
        if (model.pending.length > 0) await readPending(model, face);
        if (model.isWhole && !model.running) expect(await face.tokensInTranscripts()).toBe(model.outputTokens);
      } finally {
        model.running?.response.catch(() => undefined);
        await inTime("closing", face.close());
      }
      expect(face.pids()).toEqual([]);
    }),
    { numRuns: runs, seed, ...(path === undefined ? {} : { path }), endOnFailure: true },
  );
}
