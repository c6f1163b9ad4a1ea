// Many explorations from one state, in a process of its own whose memory can be looked at. Prints one line of JSON.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { loadScenario } from "skein/offline";
import { ClaudeEnvironment } from "skein/search";
import { startOfflineAgent } from "skein/testing";

const { home, files, explorations, concurrency } = JSON.parse(process.argv[2]);
const agent = await startOfflineAgent(await loadScenario("direct"), { allowedTools: ["Bash"] });
for (let folder = 0; folder < files / 100; folder += 1) {
  await mkdir(join(agent.cwd, `f${folder}`));
  for (let file = 0; file < 100; file += 1)
    await writeFile(join(agent.cwd, `f${folder}`, `${file}.txt`), `${folder} ${file}\n`);
}
const environment = await ClaudeEnvironment.open(agent.cwd, { engine: agent.engine, workspace: { home } });
const start = await environment.checkpoint("start");
const before = await environment.workspace.snapshot();
const prompts = Array.from(
  { length: explorations },
  (_, index) => `Bash ${JSON.stringify({ command: `echo ${index} > f0/0.txt; echo ${index} > made.txt` })}`,
);
const states = new Set();
const heapsMb = [];
for await (const { state, transition } of environment.explore(start, prompts, { concurrency })) {
  if (!transition.execution.isError) states.add(state.id);
  agent.forget();
  if (states.size % 16 !== 0) continue;
  globalThis.gc();
  heapsMb.push(Math.round(process.memoryUsage().heapUsed / 2 ** 20));
}
const after = await environment.workspace.snapshot();
const { path } = environment.workspace;
await environment.close();
await agent.close();
process.stdout.write(JSON.stringify({ path, states: states.size, isSame: before.id === after.id, heapsMb }));
