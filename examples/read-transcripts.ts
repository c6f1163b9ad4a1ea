// The real CLI works offline and writes transcripts; they are found, read, followed, counted and checked against the CLI's totals.
import assert from "node:assert/strict";
import { join } from "node:path";
import { claudePrompt } from "skein/engine";
import { loadScenario } from "skein/offline";
import { startOfflineAgent } from "skein/testing";
import {
  analyzeToolPatterns,
  checkParity,
  findProjects,
  findSessions,
  joinSessions,
  load,
  readLastPage,
  scanUsage,
  tail,
  usageByTurn,
  usageOf,
} from "skein/transcript";

await using offline = await startOfflineAgent(await loadScenario("direct"), { allowedTools: ["Bash", "Write"] });
const { engine, home, cwd } = offline;
const base = join(home, ".claude", "projects");
const prompt = claudePrompt(
  'Write {"file_path":"{{cwd}}/a.txt","content":"hello"}\nBash {"command":"cat a.txt"}\nsay It says {{result}}',
);
const first = await engine.execute(prompt);

// Discover: the project's path comes from the records, not from the folder's name.
const { projects } = await findProjects({ base });
assert.deepEqual(
  projects.map(({ path }) => path),
  [cwd],
);
const path = projects[0]?.sessions[0]?.path ?? "";

// Load: messages with tools paired with their results.
const transcript = await load(path);
assert.deepEqual(transcript.problems, []);
assert.equal(transcript.messages.at(-1)?.text, first.text);
for (const { tool, calls, successRate } of analyzeToolPatterns(transcript)) console.log(tool, calls, successRate);

// Numbers: ours are the CLI's.
assert.equal(checkParity(transcript, first.usageByModel)?.isEqual, true);
const { total, prices } = usageOf(transcript);
// The offline model's money is kept apart: nobody paid it.
assert.equal(total.costUsd, 0);
console.log(`${total.usage.outputTokens} output tokens, $${total.offlineCostUsd} by the prices of ${prices.date}`);

// Follow the session while it goes on.
const stop = new AbortController();
const followed = (async () => {
  for await (const entry of tail(path, { signal: stop.signal, fromEnd: true })) {
    if (entry.type === "record" && entry.record.type === "assistant") return entry.record.message.model;
  }
  return undefined;
})();
const second = await engine.execute(claudePrompt("say again"), { resume: first.sessionId });
assert.equal(await followed, "claude-sonnet-5-5");
stop.abort();

// A fork copies the history: what both files hold counts once.
const fork = await engine.execute(claudePrompt("say otherwise"), { resume: first.sessionId, forkSession: true });
const { sessions } = await findSessions({ base });
const scan = await scanUsage(sessions.map((session) => session.path));
assert.ok(Math.abs(scan.total.offlineCostUsd - (first.costUsd + second.costUsd + fork.costUsd)) < 0.00001);
const [joined] = joinSessions(await Promise.all(sessions.map((session) => load(session.path))));
assert.equal(joined?.sessionIds.length, 2);
assert.equal(joined?.tree.branches.length, 0, "the fork went on after the second turn, so there is one line");

// The last page of a file of any size, and the money of each turn.
assert.equal(readLastPage(path, 1).messages.at(-1)?.text, "again");
for (const turn of usageByTurn(await load(path))) console.log(turn.prompt.split("\n", 1)[0], turn.offlineCostUsd);
