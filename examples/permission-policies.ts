import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  allowRules,
  claudePrompt,
  compose,
  dangerousCommandGuard,
  pathScope,
  toCanUseTool,
  type PermissionPolicy,
} from "skein/engine";
import { startOfflineAgent } from "skein/testing";

// An agent that tries four things, of which two are fine.
await using agent = await startOfflineAgent({
  name: "tries-things",
  rules: [
    {
      steps: [
        { call: { tool: "Write", input: { file_path: "{{cwd}}/src/key.txt", content: "token=abc123" } } },
        { call: { tool: "Write", input: { file_path: "{{cwd}}/../escaped.txt", content: "out" } } },
        { call: { tool: "Bash", input: { command: "mkdir out && touch out/made" } } },
        { call: { tool: "Bash", input: { command: "mkdir all; rm -rf ~" } } },
        { say: "I tried." },
      ],
    },
  ],
});

/** A policy of one's own: no secrets in files. It rewrites the input, and the others judge what it wrote. */
const redact: PermissionPolicy = ({ tool, input }) => {
  const { content } = input;
  if (tool !== "Write" || typeof content !== "string" || !content.includes("token=")) return { type: "pass" };
  return { type: "allow", input: { ...input, content: content.replace(/token=\w+/, "token=…") } };
};

const answers: string[] = [];
const canUseTool = toCanUseTool(
  compose(
    dangerousCommandGuard(),
    pathScope({ root: agent.cwd }),
    redact,
    allowRules(["Edit(src/**)", "Bash(mkdir:*)", "Bash(touch:*)", "Bash(rm:*)"], { cwd: agent.cwd }),
  ),
  {
    timeoutMs: 5000,
    onDecision({ tool }, { decision, by }) {
      answers.push(`${tool} ${decision.type} by ${by}`);
      if (decision.type === "deny") console.log(decision.message);
    },
  },
);

const result = await agent.engine.execute(claudePrompt({ text: "try" }), { permissionMode: "default", canUseTool });

strictEqual(result.text, "I tried.");
deepStrictEqual(answers, [
  "Write allow by policy",
  "Write deny by policy",
  "Bash allow by policy",
  "Bash deny by policy",
]);
deepStrictEqual(
  result.permissionDenials.map(({ tool }) => tool),
  ["Write", "Bash"],
);
strictEqual(await readFile(join(agent.cwd, "src/key.txt"), "utf8"), "token=…");
strictEqual(existsSync(join(agent.cwd, "../escaped.txt")), false);
strictEqual(existsSync(join(agent.cwd, "out/made")), true);
strictEqual(existsSync(join(agent.cwd, "all")), false);
