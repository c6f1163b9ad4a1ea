import { expect, test } from "vitest";
import { WRITE_AND_LOOK } from "../../test/support/write-and-look.ts";
import { startOfflineAgent } from "../testing/index.ts";
import { claudePrompt } from "./prompts/claude-prompt.ts";

test("an engine keeps twenty conversations at once apart", async () => {
  await using agent = await startOfflineAgent({ name: "many", rules: [WRITE_AND_LOOK] }, { allowedTools: ["Bash"] });
  const names = Array.from({ length: 20 }, (_, index) => `file${index}`);
  const results = await Promise.all(names.map((name) => agent.engine.execute(claudePrompt({ text: `Write ${name}` }))));
  expect(results.map(({ text }) => text)).toEqual(names.map((name) => `They hold: by ${name}\nmade-by-bash`));
  expect(new Set(results.map(({ sessionId }) => sessionId)).size).toBe(20);
}, 120_000);
