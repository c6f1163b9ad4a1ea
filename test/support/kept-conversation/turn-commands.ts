import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { TurnOptions } from "../../../src/engine/index.ts";
import { checkCounted, checkMemory, checkOutcome, checkProcess, inTime, readPending } from "./check-turn.ts";
import { command, isQuiet, type KeptCommand } from "./commands.ts";
import type { Face, Outcome } from "./face.ts";
import { moneyLeft, nextWord, type Expected, type KeptModel } from "./kept-model.ts";

/** A prompt, its answer, and how many responses that takes. */
interface Ask {
  readonly prompt: string;
  readonly answer: string;
  readonly responses: number;
  readonly failure?: string;
}

/** A turn that ends by itself. */
export function runTurn(ask: (word: string) => Ask, name: string, options: TurnOptions = {}): KeptCommand {
  return command(`${name}${suffix(options)}`, isQuiet, async (model, face) => {
    const word = nextWord(model);
    const asked = ask(word);
    const given = face.hasQueue ? {} : options;
    const outcome = await turn(model, face, { ...asked, options: given });
    if (outcome?.kind === undefined && outcome) checkModel(model, given, outcome);
  });
}

/** The agent is to write a file: whether it may is up to the permission mode. */
export function writeFile(options: TurnOptions = {}): KeptCommand {
  return command(`write${suffix(options)}`, isQuiet, async (model, face) => {
    const word = nextWord(model);
    const given = face.hasQueue ? {} : options;
    const { permissionMode = model.permissionMode } = given;
    const asked = { prompt: `Write ${word}`, answer: `written ${word}`, responses: 2, options: given };
    const outcome = await turn(model, face, asked);
    if (outcome?.kind !== undefined || !outcome) return;
    const mayWrite = permissionMode !== "default";
    expect(outcome.deniedTools).toEqual(mayWrite ? [] : ["Write"]);
    expect(existsSync(join(face.cwd, word))).toBe(mayWrite);
  });
}

/** A prompt whose response is left to be read later. */
export const sendOnly = command(
  "send",
  ({ running, pending }) => running === undefined && pending.length < 3,
  async (model, face) => {
    if (!face.hasQueue) return;
    const word = nextWord(model);
    const isRefused = moneyLeft(model) === 0;
    await inTime("sending", face.send(`Say ${word}`));
    if (!isRefused || face.connectsFirst) await checkProcess(model, face);
    const kinds = isRefused ? ["budget"] : [undefined];
    model.pending = [...model.pending, { answer: word, texts: [word], kinds, isRefused }];
  },
);

/** Reads what is due. */
export const readAll = command(
  "read",
  ({ running, pending }) => running === undefined && pending.length > 0,
  async (model, face) => await readPending(model, face),
);

async function turn(
  model: KeptModel,
  face: Face,
  { prompt, answer, responses, failure, options }: Ask & { readonly options: TurnOptions },
): Promise<Outcome | undefined> {
  const { length } = face.agent.requests;
  const limitUsd = moneyLeft(model, options);
  const pids = face.pids();
  await inTime(`sending ${prompt}`, face.send(prompt, options));
  const outcome = await inTime(`the response to ${prompt}`, face.read());
  if (limitUsd === 0) {
    const { countsRefused } = face;
    checkOutcome(model, { texts: [], kinds: ["budget"], isRefused: true }, outcome, { options, countsRefused });
    expect(face.agent.requests.slice(length)).toEqual([]);
    if (!face.connectsFirst || pids.length > 0) expect(face.pids()).toEqual(pids);
    else await checkProcess(model, face);
    return undefined;
  }
  const isCut = options.maxResponses !== undefined && options.maxResponses < responses;
  const expected: Expected = { texts: [answer], kinds: [isCut ? "budget" : failure] };
  await checkProcess(model, face, options);
  checkOutcome(model, expected, outcome, { options });
  model.recordedModel = model.model;
  if (failure === undefined) checkMemory(model, face);
  if (outcome.kind === undefined) {
    model.remembered = [...model.remembered, answer];
    expect(outcome.responses).toBe(responses);
  } else model.isWhole = false;
  checkCounted(model, face);
  return outcome;
}

function checkModel(model: KeptModel, options: TurnOptions, outcome: Outcome): void {
  const wanted = options.model ?? model.model;
  expect({ model: outcome.model, models: outcome.models }).toEqual({ model: wanted, models: [wanted] });
}

function suffix(options: TurnOptions): string {
  return Object.keys(options).length === 0 ? "" : ` with ${JSON.stringify(options)}`;
}
