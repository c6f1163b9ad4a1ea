import { describe, expect, test } from "vitest";
import type { ClaudeConfigError } from "../../core/index.ts";
import type { ClaudeOptions } from "./claude-options.ts";
import { findConflict } from "./option-conflicts.ts";

const UUID = "0b5d3c5e-4f0e-4a53-9c55-0a4b6c6f5f11";
const store = { append: async () => {}, load: async () => null };

describe("options that do not go together", () => {
  test.each([
    [{ continue: true, resume: UUID }, "continue", "continue and resume cannot be combined"],
    [{ forkSession: true }, "forkSession", "forkSession needs resume or continue"],
    [{ resumeSessionAt: UUID }, "resumeSessionAt", "resumeSessionAt needs resume"],
    [{ resume: UUID, resumeDropsTurn: UUID }, "resumeDropsTurn", "resumeDropsTurn needs resumeSessionAt"],
    [
      { resume: UUID, sessionId: UUID },
      "sessionId",
      "sessionId is for a new session; a continued one already has an id",
    ],
    [{ model: "a", fallbackModel: "a" }, "fallbackModel", "fallbackModel names the same model as model"],
    [{ model: "a", fallbackModel: "b, a" }, "fallbackModel", "fallbackModel names the same model as model"],
    [
      { canUseTool: () => {}, permissionPromptToolName: "ask" },
      "permissionPromptToolName",
      "permissionPromptToolName and canUseTool cannot be combined",
    ],
    [
      { permissionPrompts: "none", canUseTool: () => {} },
      "permissionPrompts",
      "permissionPrompts: 'none' cannot be combined with canUseTool or permissionPromptToolName",
    ],
    [
      { permissionPrompts: "none", permissionPromptToolName: "ask" },
      "permissionPrompts",
      "permissionPrompts: 'none' cannot be combined with canUseTool or permissionPromptToolName",
    ],
    [
      { permissionPrompts: "none", sandbox: { enabled: true, autoAllowBashIfSandboxed: true } },
      "permissionPrompts",
      "permissionPrompts: 'none' cannot be combined with sandbox.autoAllowBashIfSandboxed",
    ],
    [{ outputRetries: 1 }, "outputRetries", "outputRetries needs outputSchema"],
    [{ supportedDialogKinds: ["x"] }, "supportedDialogKinds", "supportedDialogKinds needs onUserDialog"],
    [{ onUserDialog: () => {} }, "onUserDialog", "onUserDialog needs supportedDialogKinds"],
    [{ executable: "node" }, "executable", "executable and executableArgs need a cliPath that is a script"],
    [
      { executableArgs: ["-r"], cliPath: "claude" },
      "executable",
      "executable and executableArgs need a cliPath that is a script",
    ],
    [
      { sandbox: { enabled: true }, settings: "file.json" },
      "sandbox",
      "sandbox cannot be combined with the path of a settings file",
    ],
    [
      { sessionStore: store, persistSession: false },
      "sessionStore",
      "sessionStore needs a session that is kept on disk",
    ],
    [
      { sessionStore: store, enableFileCheckpointing: true },
      "enableFileCheckpointing",
      "enableFileCheckpointing cannot be combined with sessionStore",
    ],
    [
      { sessionStore: store, continue: true },
      "continue",
      "continue needs a sessionStore that has the method listSessions",
    ],
    [
      { allowedTools: ["Read", "Bash(rm:*)"], disallowedTools: ["Bash(rm:*)"] },
      "allowedTools",
      "Bash(rm:*) is in both allowedTools and disallowedTools",
    ],
  ])("%j is refused", (options, option, message) => {
    const refused: ClaudeConfigError | undefined = findConflict(options as ClaudeOptions);
    expect(refused).toMatchObject({ name: "ClaudeConfigError", option, message, hint: expect.any(String) });
  });
});
