// Works on one workspace without end, in an order that a seed decides: turns, restores, checkpoints, branches, gc.
// Every state that was recorded is told in a line with the file that it wrote. What fails is told too.
import { collectGarbage, Conversation } from "skein/trace";
import { recordPresent } from "../../dist/trace/internal.js";
import { Workspace } from "skein/workspace";
import { createFileEngine } from "./file-engine.mjs";

const { directory, home, seed, rounds = Infinity, known = [] } = JSON.parse(process.argv[2]);
const random = createRandom(seed);
const parts = { engine: createFileEngine() };
const recorded = [...known];

try {
  const workspace = await Workspace.open(directory, { home });
  await patiently(() => recover(workspace));
  say({ ready: true });
  for (let round = 0; round < rounds; round += 1) await patiently(() => doSomething(workspace, round));
  await workspace.close();
} catch (error) {
  say({ error: error?.stack ?? String(error), kind: error?.kind });
  process.exitCode = 1;
}

/** A restore that the one before was killed in is ended first, as everything else demands. */
async function recover(workspace) {
  if (await workspace.halfRestore()) await workspace.recoverRestore(random() < 0.5 ? "finish" : "take-back");
}

async function doSomething(workspace, round) {
  const chance = random();
  if (round === 0 || chance < 0.6) await turn(workspace);
  else if (chance < 0.7 && recorded.length > 0) await goBack(workspace);
  else if (chance < 0.8) await inBranch(workspace);
  else if (chance < 0.9) await checkpoint(workspace);
  else await collectGarbage(workspace);
}

async function turn(workspace) {
  const head = await workspace.states.head();
  const goesOn = head !== undefined && random() < 0.7;
  const talk = goesOn ? await Conversation.load(workspace, "@", parts) : await Conversation.start(workspace, parts);
  const file = `file-${Math.floor(random() * 20)}`;
  const content = `${seed} ${random()}`;
  const lines = Array.from({ length: 3 }, (_, index) => `${file}-${index} ${content}`);
  try {
    for await (const event of talk.stream(lines.join("\n"))) {
      if (event.type !== "state-recorded") continue;
      recorded.push(event.stateId);
      say({ stateId: event.stateId, file: `${file}-0`, content });
    }
  } finally {
    await talk.close();
  }
}

async function goBack(workspace) {
  await workspace.restore(recorded[Math.floor(random() * recorded.length)]);
}

async function inBranch(workspace) {
  if (!(await workspace.states.head())) return;
  const branch = await workspace.branch("@");
  try {
    await turn(branch);
  } finally {
    await branch.close();
  }
}

async function checkpoint(workspace) {
  const claim = await workspace.claim();
  try {
    const { id } = await recordPresent(workspace);
    await workspace.states.setCheckpoint(`point-${Math.floor(random() * 10)}`, id, { replace: true });
  } finally {
    await claim[Symbol.asyncDispose]();
  }
}

/** Another process may be at work in the directory: then it is this one's turn a little later. */
async function patiently(work) {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (error?.kind !== "workspace_busy") throw error;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

/** Mulberry32: the same seed, the same row. */
function createRandom(start) {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

function say(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
