import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { checkHealth, claudePrompt, createResilientEngine } from "skein/engine";
import { startOfflineAgent } from "skein/testing";

// The API breaks down after the agent has written a file, and stays down for longer than the CLI is patient.
let failuresLeft = 2;
await using agent = await startOfflineAgent(
  {
    name: "an outage",
    rules: [
      {
        when: { prompt: "^write" },
        steps: [
          { call: { tool: "Write", input: { file_path: "{{cwd}}/notes.md", content: "# Notes" } } },
          { fail: { type: "http", status: 529 } },
        ],
      },
      {
        when: { prompt: "^continue where you were interrupted" },
        steps: () =>
          failuresLeft-- > 0 ? [{ fail: { type: "http", status: 529 } }] : [{ say: "The notes are there." }],
      },
    ],
  },
  { env: { CLAUDE_CODE_MAX_RETRIES: "0" } },
);

const engine = createResilientEngine(agent.engine, {
  retry: { maxRetries: 5, baseDelayMs: 50 },
  breaker: { maxFailures: 3, openMs: 200 },
});
const changes: string[] = [];
engine.onBreakerChange(({ to }) => changes.push(to));

const seen: string[] = [];
let answer = "";
for await (const event of engine.stream(claudePrompt({ text: "Write the notes" }))) {
  if (event.type === "tool-end") seen.push(event.tool);
  if (event.type === "status" && ["retrying", "resuming"].includes(event.status)) seen.push(event.status);
  if (event.type === "turn-end") answer = event.result.text;
}

// The file was written once; after that the turn was gone on with, not begun again. The third failure opened the breaker.
strictEqual(answer, "The notes are there.");
deepStrictEqual(seen, ["Write", ...[1, 2, 3].flatMap(() => ["retrying", "resuming"])]);
deepStrictEqual(changes, ["open", "half-open"]);
strictEqual(engine.breakers()[0]?.state, "half-open");

// The health check sees it too, and tells kinds of credentials, never their values.
const env = { ANTHROPIC_BASE_URL: agent.url, ANTHROPIC_API_KEY: "offline", HOME: agent.home };
const { level, checks } = await checkHealth({ engine, env, dataFolder: agent.cwd });
deepStrictEqual(
  checks.map(({ name }) => name),
  ["claude-cli", "credentials", "endpoint", "breakers", "disk"],
);
ok(level === "warning" || level === "critical");
