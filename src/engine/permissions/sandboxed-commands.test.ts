import { expect, it } from "vitest";
import type { ClaudeOptions } from "../options/claude-options.ts";
import { answerSandboxed } from "./sandboxed-commands.ts";

const SANDBOX = { enabled: true, autoAllowBashIfSandboxed: true } as const;
const UNSURE = { decisionReasonType: "other", decisionReason: "This command requires approval" };
const PATH = { blockedPath: "/etc/hosts" };

async function answer(options: ClaudeOptions, question: object, input: Record<string, unknown> = {}, tool = "Bash") {
  const context = { signal: new AbortController().signal, toolUseID: "1", requestId: "1", ...question };
  return await answerSandboxed(options)?.(tool, input, context);
}

it.each<[string, ClaudeOptions, object]>([
  ["a command that the CLI cannot take apart", { sandbox: SANDBOX }, UNSURE],
  ["one with a path that the sandbox guards", { sandbox: SANDBOX }, PATH],
])("allows %s", async (_, options, question) => {
  expect(await answer(options, question, { command: "x" })).toEqual({
    behavior: "allow",
    updatedInput: { command: "x" },
  });
});

it.each<[string, ClaudeOptions, object, Record<string, unknown>?, string?]>([
  ["a rule that says to ask", { sandbox: SANDBOX }, { decisionReasonType: "rule" }],
  ["such a rule beside another reason", { sandbox: SANDBOX }, { ...UNSURE, matchedAskRule: {} }],
  ["a safety check", { sandbox: SANDBOX }, { ...PATH, decisionReasonType: "safetyCheck" }],
  ["no reason at all", { sandbox: SANDBOX }, {}],
  ["a command that wants out", { sandbox: SANDBOX }, UNSURE, { dangerouslyDisableSandbox: true }],
  ["another tool", { sandbox: SANDBOX }, UNSURE, {}, "Write"],
  ["a path, where commands may be excluded", { sandbox: { ...SANDBOX, excludedCommands: ["docker:*"] } }, PATH],
  ["a path, where settings may exclude", { sandbox: SANDBOX, settings: { sandbox: {} } }, PATH],
  ["a path, where a file of settings may exclude", { sandbox: SANDBOX, settingSources: ["user"] }, PATH],
])("denies %s", async (_, options, question, input, tool) => {
  expect(await answer(options, question, input, tool)).toMatchObject({ behavior: "deny" });
});

it("leaves to the answer that was there what it does not answer itself", async () => {
  const canUseTool = () => Promise.resolve({ behavior: "deny" as const, message: "Mine" });
  expect(await answer({ sandbox: SANDBOX, canUseTool }, {})).toEqual({ behavior: "deny", message: "Mine" });
  expect(answerSandboxed({ canUseTool })).toBe(canUseTool);
  expect(answerSandboxed({ sandbox: { enabled: true }, canUseTool })).toBe(canUseTool);
  expect(answerSandboxed({ sandbox: SANDBOX, permissionMode: "bypassPermissions" })).toBeUndefined();
  expect(answerSandboxed({ sandbox: SANDBOX, permissionPromptToolName: "mcp__a__b" })).toBeUndefined();
});
