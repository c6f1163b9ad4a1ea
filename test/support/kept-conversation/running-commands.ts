import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, vi } from "vitest";
import type { TurnOptions } from "../../../src/engine/index.ts";
import { checkMemory, checkCounted, checkOutcome, checkProcess, inTime, readPending } from "./check-turn.ts";
import { command, isQuiet, type KeptCommand } from "./commands.ts";
import type { Face } from "./face.ts";
import { moneyLeft, nextWord, spentUsd, type Expected, type KeptModel, type RunningTurn } from "./kept-model.ts";
import { IDLE_LIMIT_MS } from "./kept-parts.ts";

/** Begins a turn that goes on until somebody ends it: in a tool, or in an answer that is stuck. */
export function beginTurn(type: RunningTurn["type"], options: TurnOptions = {}): KeptCommand {
  const suffix = Object.keys(options).length === 0 ? "" : ` with ${JSON.stringify(options)}`;
  return command(`begin ${type}${suffix}`, isQuiet, async (model, face) => {
    if (moneyLeft(model, options) === 0) return;
    const word = nextWord(model);
    const given = face.hasQueue ? {} : options;
    const heard = face.heard();
    await inTime("sending", face.send(`${type === "tool" ? "Wait" : "Stall"} ${word}`, given));
    const response = face.read();
    const running: RunningTurn = {
      type,
      word,
      response,
      model: given.model ?? model.model,
      options: given,
      added: [],
      silentMs: 0,
      hasEnded: false,
    };
    const ended = response.then(
      () => (running.hasEnded = true),
      () => (running.hasEnded = true),
    );
    const hasBegun = (): void =>
      expect(type === "tool" ? existsSync(join(face.cwd, `waiting-${word}`)) : face.heard() > heard).toBe(true);
    await Promise.race([vi.waitFor(hasBegun, 20_000), ended]);
    await checkProcess(model, face, given);
    model.running = running;
    // What it cost until here may have been too much already.
    if (running.hasEnded) await end(model, face, { texts: [], kinds: ["budget"] });
  });
}

/** Says more while a turn runs. */
export const addPrompt = command(
  "add",
  ({ running }) => running !== undefined && running.added.length < 2,
  async (model, face) => {
    const { running } = model;
    if (!running || running.hasEnded) return;
    const word = nextWord(model);
    await inTime("adding", face.add(`Say ${word}`));
    running.added = [...running.added, word];
  },
);

/** Lets the tool of the turn come to its end. What was said meanwhile was taken into the turn. */
export const release = command(
  "release",
  ({ running }) => running?.type === "tool",
  async (model, face) => {
    const { word = "" } = model.running ?? {};
    writeFileSync(join(face.cwd, `go-${word}`), "");
    const texts = [`waited ${word}`];
    await end(model, face, { texts, kinds: [undefined] }, { texts, kinds: [undefined], isFolded: true });
  },
);

/** Stops the turn that runs. What was said meanwhile is run then, or has gone with it where it was part of it. */
export const interrupt = command("interrupt", () => true, stopTurn);

/** Kills the process: what runs in it and what waits for it is lost, and the next turn has another. */
export const kill = command("kill", ({ pid }) => pid !== undefined, killProcess);

/** Lets time go by. Only a turn that has nothing to say and no tool to wait for is given up. */
export function letTimePass(ms: number): KeptCommand {
  return command(
    `idle ${ms}`,
    () => true,
    async (model, face) => {
      // Of turns that end by themselves it cannot be said when they are heard of.
      if (model.pending.length > 0 && face.connectsFirst) return;
      face.idle(ms);
      const { running } = model;
      if (!running || running.type === "tool") return;
      running.silentMs += ms;
      if (running.silentMs >= IDLE_LIMIT_MS) await end(model, face, { texts: [], kinds: ["timeout"] });
    },
  );
}

/** A reader who leaves in the middle of a turn. */
export const leave = command("leave", isQuiet, leaveTurn);

async function stopTurn(model: KeptModel, face: Face): Promise<void> {
  if (model.pending.length > 0) {
    if (!face.tellsFolded) return;
    // Whether they have been answered by now is not known.
    loosen(model, "cancelled");
  }
  if (model.running) {
    await inTime("interrupting", face.interrupt());
    return await end(model, face, { texts: [], kinds: ["cancelled"] });
  }
  // Where nothing runs there is nothing to stop, and what comes next is not stopped for it.
  const kind = expect.toBeOneOf(["usage", "process"]);
  await inTime("interrupting", face.interrupt()).catch((error: unknown) => expect(error).toMatchObject({ kind }));
}

async function killProcess(model: KeptModel, face: Face): Promise<void> {
  if (model.pending.length > 0 && !face.tellsFolded) return;
  loosen(model, "process");
  if (model.pid !== undefined) process.kill(model.pid, "SIGKILL");
  await vi.waitFor(() => expect(face.pids()).toEqual([]), 10_000);
  const lost: Expected = { texts: [], kinds: ["process"] };
  if (model.running) await end(model, face, lost, lost);
  model.pid = undefined;
}

async function leaveTurn(model: KeptModel, face: Face): Promise<void> {
  if (!face.leave || moneyLeft(model) === 0) return;
  await face.send(`Wait ${nextWord(model)}`);
  await inTime("leaving", face.leave());
  await checkProcess(model, face);
  // Nobody heard what it cost, but it is counted.
  const costUsd = face.counted().costUsd - spentUsd(model);
  expect(costUsd).toBeGreaterThan(0);
  model.turns += 1;
  model.errors += 1;
  model.isWhole = false;
  model.costsUsd = [...model.costsUsd, costUsd];
  model.recordedModel = model.model;
  checkCounted(model, face);
}

/** What was sent may have been answered before it came to another end, and for several at once. */
function loosen(model: KeptModel, kind: string): void {
  model.isWhole = false;
  model.pending = model.pending.map((each) =>
    each.isRefused ? each : { ...each, kinds: [...each.kinds, kind], isFolded: each.isFolded ?? "maybe" },
  );
}

/** The end of the turn that runs, and what became of the prompts that were sent meanwhile. */
async function end(model: KeptModel, face: Face, expected: Expected, ofAdded?: Expected): Promise<void> {
  const { running } = model;
  if (!running) return;
  const outcome = await inTime(`the response to ${running.word}`, running.response);
  model.running = undefined;
  const isStopped = outcome.kind === "budget";
  checkOutcome(model, expected, outcome, { options: running.options });
  // The model that gave the last answer: a turn that came to its end has one from after the tool.
  expect(outcome.model).toBe((outcome.kind === undefined ? running.nextModel : undefined) ?? running.model);
  if (outcome.kind === undefined) {
    expect(outcome.models).toEqual([...new Set([running.model, running.nextModel ?? running.model])].toSorted());
    expect(outcome.responses).toBe(2);
  } else model.isWhole = false;
  model.recordedModel = model.model;
  if (outcome.kind === undefined) {
    checkMemory(model, face);
    model.remembered = [...model.remembered, outcome.text];
  }
  if (face.hasQueue) {
    model.pending = running.added.map((word) => ({
      answer: word,
      ...(ofAdded && !isStopped ? ofAdded : { texts: [word], kinds: [undefined] }),
    }));
  }
  if (expected.kinds.includes("process")) model.pid = undefined;
  await readPending(model, face);
}
