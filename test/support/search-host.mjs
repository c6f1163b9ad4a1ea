// A host of a search, in a process of its own: it says which branches end, in lines, until it is killed.
import { createFileJournal, mcts } from "skein/search";
import { createMemoryEnvironment } from "skein/testing";

const { path, delayMs, ...options } = JSON.parse(process.argv[2]);
const environment = createMemoryEnvironment({
  start: [],
  step: (world, prompt) => [...world, prompt],
  reward: (world) => (world.join("").length * 7) % 5,
  delayMs: () => delayMs,
});
const journal = createFileJournal(path);
const expand = () => ["a", "bb", "ccc"];
const search = mcts(environment, { ...options, from: await environment.checkpoint(), expand, journal });
for await (const event of search) {
  if (event.type === "branch-end") process.stdout.write(`${event.node.isReused ? "reused" : "explored"}\n`);
}
process.stdout.write(`best ${(await search).best.id}\n`);
