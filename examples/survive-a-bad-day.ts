import { rejects, strictEqual } from "node:assert/strict";
import { ClaudeAuthError } from "skein/core";
import { claudePrompt } from "skein/engine";
import { startOfflineAgent } from "skein/testing";

// An API that is overloaded twice and then breaks a stream off: the CLI gets there all the same.
await using agent = await startOfflineAgent({
  name: "a bad day",
  rules: [
    {
      when: { prompt: "^try" },
      steps: [
        { fail: { type: "http", status: 529, times: 2 } },
        { fail: { type: "cut", afterEvents: 3, times: 1 } },
        { say: "Here at last." },
      ],
    },
    { when: { prompt: "^fail" }, steps: [{ fail: { type: "http", status: 401 } }] },
  ],
});

const patient = await agent.engine.execute(claudePrompt({ text: "try it" }));
strictEqual(patient.text, "Here at last.");
strictEqual(agent.requests.length, 4);

// What cannot be mended ends the turn with an error that is told by its kind.
const refused = await agent.engine.execute(claudePrompt({ text: "fail now" }), {
  env: { CLAUDE_CODE_MAX_RETRIES: "0" },
});
strictEqual(refused.error?.kind, "auth");

// For those who use `try`, `run` throws that error, as its class.
await rejects(agent.engine.run("fail now", { env: { CLAUDE_CODE_MAX_RETRIES: "0" } }), ClaudeAuthError);
