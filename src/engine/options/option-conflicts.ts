import { ClaudeConfigError } from "../../core/internal.ts";
import { isScript } from "../start-up/find-cli.ts";
import type { ClaudeOptions } from "./claude-options.ts";

/** Options that do not go together: the one that is too much, or wants another. */
const CONFLICTS: readonly {
  readonly option: keyof ClaudeOptions;
  readonly message: string;
  readonly hint: string;
  readonly isIn: (options: ClaudeOptions) => boolean;
}[] = [
  {
    option: "continue",
    message: "continue and resume cannot be combined",
    hint: "Name the session with resume, or take the newest with continue.",
    isIn: ({ continue: goesOn, resume }) => goesOn === true && resume !== undefined,
  },
  {
    option: "forkSession",
    message: "forkSession needs resume or continue",
    hint: "Name the session to fork.",
    isIn: (options) => options.forkSession === true && !hasPast(options),
  },
  {
    option: "resumeSessionAt",
    message: "resumeSessionAt needs resume",
    hint: "Name the session that the message is in.",
    isIn: ({ resumeSessionAt, resume }) => resumeSessionAt !== undefined && resume === undefined,
  },
  {
    option: "resumeDropsTurn",
    message: "resumeDropsTurn needs resumeSessionAt",
    hint: "Name the last message to keep.",
    isIn: ({ resumeDropsTurn, resumeSessionAt }) => resumeDropsTurn !== undefined && resumeSessionAt === undefined,
  },
  {
    option: "sessionId",
    message: "sessionId is for a new session; a continued one already has an id",
    hint: "Leave it out, or continue in a copy with `forkSession`.",
    isIn: (options) => options.sessionId !== undefined && hasPast(options) && options.forkSession !== true,
  },
  {
    option: "fallbackModel",
    message: "fallbackModel names the same model as model",
    hint: "Name a different one to fall back to.",
    isIn: ({ fallbackModel, model }) =>
      model !== undefined && (fallbackModel ?? "").split(",").some((fallback) => fallback.trim() === model),
  },
  {
    option: "outputRetries",
    message: "outputRetries needs outputSchema",
    hint: "Give the JSON Schema that the answer has to match.",
    isIn: ({ outputRetries, outputSchema }) => outputRetries !== undefined && outputSchema === undefined,
  },
  {
    option: "permissionPromptToolName",
    message: "permissionPromptToolName and canUseTool cannot be combined",
    hint: "Use only one of them.",
    isIn: ({ permissionPromptToolName, canUseTool }) =>
      permissionPromptToolName !== undefined && canUseTool !== undefined,
  },
  {
    option: "permissionPrompts",
    message: "permissionPrompts: 'none' cannot be combined with canUseTool or permissionPromptToolName",
    hint: "Nobody would ever be asked; leave one of the two out.",
    isIn: ({ permissionPrompts, canUseTool, permissionPromptToolName }) =>
      permissionPrompts === "none" && (canUseTool !== undefined || permissionPromptToolName !== undefined),
  },
  {
    option: "permissionPrompts",
    message: "permissionPrompts: 'none' cannot be combined with sandbox.autoAllowBashIfSandboxed",
    hint: "The CLI asks about some confined commands, and Skein answers for you; leave one of the two out.",
    isIn: ({ permissionPrompts, sandbox }) =>
      permissionPrompts === "none" && sandbox?.enabled === true && sandbox.autoAllowBashIfSandboxed === true,
  },
  {
    option: "supportedDialogKinds",
    message: "supportedDialogKinds needs onUserDialog",
    hint: "Give the function that answers these dialogs.",
    isIn: ({ supportedDialogKinds = [], onUserDialog }) =>
      supportedDialogKinds.length > 0 && onUserDialog === undefined,
  },
  {
    option: "onUserDialog",
    message: "onUserDialog needs supportedDialogKinds",
    hint: "Name the kinds that it can answer; the CLI asks for no others.",
    isIn: ({ supportedDialogKinds = [], onUserDialog }) =>
      onUserDialog !== undefined && supportedDialogKinds.length === 0,
  },
  {
    option: "executable",
    message: "executable and executableArgs need a cliPath that is a script",
    hint: "The CLI that comes with the SDK is a program by itself; leave them out.",
    isIn: ({ executable, executableArgs, cliPath }) =>
      (executable !== undefined || executableArgs !== undefined) && (cliPath === undefined || !isScript(cliPath)),
  },
  {
    option: "sandbox",
    message: "sandbox cannot be combined with the path of a settings file",
    hint: "Put the sandbox into that file, or give the settings as an object.",
    isIn: ({ sandbox, settings }) => sandbox !== undefined && typeof settings === "string",
  },
  {
    option: "sessionStore",
    message: "sessionStore needs a session that is kept on disk",
    hint: "Leave `persistSession` on; CLAUDE_CONFIG_DIR sets where the copy on disk goes.",
    isIn: ({ sessionStore, persistSession }) => sessionStore !== undefined && persistSession === false,
  },
  {
    option: "enableFileCheckpointing",
    message: "enableFileCheckpointing cannot be combined with sessionStore",
    hint: "The file copies stay on this machine; leave out one of the two.",
    isIn: ({ enableFileCheckpointing, sessionStore }) => enableFileCheckpointing === true && sessionStore !== undefined,
  },
  {
    option: "continue",
    message: "continue needs a sessionStore that has the method listSessions",
    hint: "Add the method, or name the session with resume.",
    isIn: ({ continue: goesOn, sessionStore }) =>
      goesOn === true && sessionStore !== undefined && sessionStore.listSessions === undefined,
  },
];

/** The first combination of options that cannot work, as an error; undefined where all go together. */
export function findConflict(options: ClaudeOptions): ClaudeConfigError | undefined {
  const found = CONFLICTS.find(({ isIn }) => isIn(options));
  if (found) return new ClaudeConfigError(found.message, { option: found.option, hint: found.hint });
  const rule = options.allowedTools?.find((allowed) => options.disallowedTools?.includes(allowed));
  if (rule === undefined) return undefined;
  return new ClaudeConfigError(`${rule} is in both allowedTools and disallowedTools`, {
    option: "allowedTools",
    hint: "Leave it in one of the two; what is disallowed is never allowed.",
  });
}

function hasPast({ resume, continue: goesOn }: ClaudeOptions): boolean {
  return resume !== undefined || goesOn === true;
}
