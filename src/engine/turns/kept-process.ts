import type { Query } from "@anthropic-ai/claude-agent-sdk";
import {
  ClaudeConfigError,
  ClaudeTimeoutError,
  InvalidModelError,
  SkeinError,
  systemClock,
  type Clock,
} from "../../core/internal.ts";
import { toProcessError } from "../failures/classify-error.ts";
import type { ClaudeOptions, PermissionMode } from "../options/claude-options.ts";
import type { CliSession } from "../start-up/cli-session.ts";
import { startSession, type EngineDependencies } from "../start-up/start-session.ts";
import { DEFAULT_IDLE_MS } from "./turn-limits.ts";

/** Options for one turn that a running CLI cannot be told: it is started anew for such a turn, and after it. */
const NEEDS_NEW_PROCESS = ["effort", "tools", "allowedTools", "disallowedTools", "maxResponses"] as const;

/** The process of a conversation: one at a time, started when it is needed, and again when it is lost. */
export class KeptProcess {
  readonly #dependencies: EngineDependencies;
  /** The Claude Code session, once it is known: a new process takes it up. */
  sessionId: string | undefined;
  #session: CliSession | undefined;
  #startedWith: ClaudeOptions = {};
  #inForce: ClaudeOptions = {};
  /** Starting, telling and ending come one after the other: two first prompts at once share one process. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(dependencies: EngineDependencies) {
    this.#dependencies = dependencies;
  }

  get session(): CliSession | undefined {
    return this.#session?.hasEnded ? undefined : this.#session;
  }

  async ready(options: ClaudeOptions): Promise<CliSession> {
    return await this.#inTurn(async () => {
      const running = this.#session?.isGone ? undefined : this.#session;
      if (running && !this.#needsNew(options)) return await this.#tell(running, options);
      await this.#session?.close(running ? options.graceMs : 0);
      this.#session = undefined;
      this.#session = await startSession(this.#resumed(options), this.#dependencies);
      this.#startedWith = this.#inForce = options;
      return this.#session;
    });
  }

  /** Tells a running process to go on with another model or permission mode from here on; a turn may be running. */
  async change(change: Pick<ClaudeOptions, "model" | "permissionMode">): Promise<void> {
    await this.#inTurn(async () => {
      // One that is gone need not be told: the next is started with it.
      if (this.session && !this.session.isGone) await this.#tell(this.session, { ...this.#inForce, ...change });
    });
  }

  async close(graceMs?: number): Promise<void> {
    await this.#inTurn(async () => {
      const session = this.#session;
      this.#session = undefined;
      await session?.close(graceMs);
    });
  }

  async #tell(session: CliSession, options: ClaudeOptions): Promise<CliSession> {
    const { model, permissionMode = "default" } = options;
    const asking = { timeoutMs: options.idleTimeoutMs, clock: this.#dependencies.clock };
    if (model !== this.#inForce.model) await askCli(session, modelRequest(model), asking);
    this.#inForce = { ...this.#inForce, model } as ClaudeOptions;
    if (permissionMode !== (this.#inForce.permissionMode ?? "default")) {
      await askCli(session, modeRequest(permissionMode), asking);
    }
    this.#inForce = options;
    return session;
  }

  #needsNew(options: ClaudeOptions): boolean {
    const bypasses = ({ permissionMode }: ClaudeOptions): boolean => permissionMode === "bypassPermissions";
    // The CLI lets itself be told to bypass permissions only where it was started with leave to.
    if (bypasses(options) && !bypasses(this.#startedWith)) return true;
    return NEEDS_NEW_PROCESS.some((name) => JSON.stringify(options[name]) !== JSON.stringify(this.#startedWith[name]));
  }

  /**
   * What a new process is given: after the first, it takes up the session where the last one left it. The CLI's own limit on
   * money counts for the whole process, and so for all of its turns: it is not given one.
   */
  #resumed(options: ClaudeOptions): ClaudeOptions {
    const { maxCostUsd: _, maxConversationCostUsd: __, ...given } = options;
    if (this.sessionId === undefined) return given;
    const { sessionId: ___, ...rest } = given;
    return { ...rest, resume: this.sessionId, forkSession: false };
  }

  async #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = this.#last.then(work, work);
    this.#last = done.catch(() => undefined);
    return await done;
  }
}

function modelRequest(model: string | undefined): CliRequest<void> {
  return {
    ask: (query) => query.setModel(model),
    refused: (message, cause) =>
      new InvalidModelError(message, { model, cause, hint: "Choose a model that this account may use." }),
  };
}

function modeRequest(mode: PermissionMode): CliRequest<void> {
  return {
    ask: (query) => query.setPermissionMode(mode),
    refused: (message, cause) =>
      new ClaudeConfigError(message, {
        option: "permissionMode",
        target: mode,
        hint: "Set it for a turn, or when you open the conversation: the process then starts with it.",
        cause,
      }),
  };
}

export interface CliRequest<Answer> {
  ask(query: Query): Promise<Answer>;
  /** The error of a CLI that answers with a refusal, in whose words it is told. */
  refused?(message: string, cause: unknown): SkeinError;
}

/** Asks the CLI. Whether it refuses, is silent, was ended or is lost: each is an error of its own kind. */
export async function askCli<Answer>(
  session: CliSession,
  { ask, refused = refusal }: CliRequest<Answer>,
  waiting: { readonly timeoutMs?: number | undefined; readonly clock?: Clock | undefined } = {},
): Promise<Answer> {
  const { timeoutMs = DEFAULT_IDLE_MS, clock = systemClock } = waiting;
  const answered = new AbortController();
  const silent = clock.sleep(timeoutMs, answered.signal).then(() => {
    throw new ClaudeTimeoutError(`The CLI did not answer for ${timeoutMs} ms`, { timeoutMs, reason: "idle" });
  });
  try {
    return await Promise.race([ask(session.query), silent]);
  } catch (error) {
    if (error instanceof SkeinError) throw error;
    if (session.isClosing) {
      throw new SkeinError("The process was ended before it answered", { kind: "cancelled", cause: error });
    }
    if (session.isGone) throw toProcessError(error, session);
    throw refused(error instanceof Error ? error.message : String(error), error);
  } finally {
    answered.abort();
    silent.catch(() => undefined);
  }
}

function refusal(message: string, cause: unknown): SkeinError {
  return new SkeinError(`The CLI refused: ${message}`, { kind: "runtime", cause });
}
