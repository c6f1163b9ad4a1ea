// Works on a workspace that lies with its store on one disk, and tells each thing that was done. It goes on when it is told to:
// whoever listens may look at the disk as it is at that moment.
import { join } from "node:path";
import { createInterface } from "node:readline";
import { addNote, Conversation } from "skein/trace";
import { recordPresent } from "../../dist/trace/internal.js";
import { Workspace } from "skein/workspace";
import { createFileEngine } from "./file-engine.mjs";

const { directory, home, turns } = JSON.parse(process.argv[2]);
const answers = createInterface(process.stdin)[Symbol.asyncIterator]();
const parts = { engine: createFileEngine() };

const workspace = await Workspace.open(directory, { home });
await tell({ type: "opened" });
for (let turn = 0; turn < turns; turn += 1) {
  const isNew = turn % 3 === 0;
  const talk = isNew ? await Conversation.start(workspace, parts) : await Conversation.load(workspace, "@", parts);
  const content = `content of turn ${turn}`;
  const state = await runTurn(talk, `file-${turn % 2} ${content}\nmore-${turn} ${"x".repeat(turn * 1000)}`);
  await tell({ type: "state", state, conversation: talk.id, file: `file-${turn % 2}`, content });
  await talk.close();
  await addNote(workspace, state, { rewards: { turn } });
  await tell({ type: "note", state, turn });
  const { id } = await recordPresent(workspace);
  await workspace.states.setCheckpoint(`point-${turn}`, id);
  await tell({ type: "checkpoint", name: `point-${turn}`, state: id });
  if (turn % 3 === 2) {
    const branch = await workspace.branch("@", join(directory, "..", `branch-${turn}`));
    const onBranch = await Conversation.start(branch, parts);
    const said = await runTurn(onBranch, `file-0 on branch ${turn}`);
    await tell({ type: "state", state: said, conversation: onBranch.id, file: "file-0", content: `on branch ${turn}` });
    await onBranch.close();
    await branch.close();
    await workspace.restore(`point-${turn - 1}`);
    await tell({ type: "restored", state: (await workspace.states.head()).stateId });
  }
}
await workspace.close();
process.exit(0);

async function runTurn(talk, prompt) {
  let state;
  for await (const event of talk.stream(prompt)) if (event.type === "state-recorded") state = event.stateId;
  return state;
}

async function tell(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
  await answers.next();
}
