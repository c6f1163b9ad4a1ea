import { without, type TurnStream } from "../../core/internal.ts";
import type { ClaudeOptions, PermissionMode } from "../options/claude-options.ts";
import type { ClaudePrompt } from "../prompts/claude-prompt.ts";
import { throughTurn, type Engine, type EngineSession } from "../engine.ts";
import { sortedKey } from "../settings-key.ts";
import { STARTING_POINTS, TURN_OPTIONS, parseTurnOptions } from "../options/parse-options.ts";

/** Turns that are asked for with all of their options, and run in one session as far as those allow it. */
export interface KeptSession extends AsyncDisposable {
  readonly stream: Engine["stream"];
  readonly current: EngineSession | undefined;
}

/** Keeps a session for an engine around another one: a turn says to it what can be said for one turn; for the rest a new one is opened. */
export function keepSession(open: NonNullable<Engine["open"]>, base: ClaudeOptions): KeptSession {
  let session: EngineSession | undefined;
  let openedWith: ClaudeOptions = {};
  let sessionId: string | undefined;

  const ready = async (wanted: ClaudeOptions): Promise<EngineSession> => {
    const goesOn = wanted.resume === base.resume || (sessionId !== undefined && wanted.resume === sessionId);
    if (session && goesOn && !differs(wanted, openedWith)) return session;
    await session?.[Symbol.asyncDispose]();
    openedWith = wanted;
    const fixed = { ...wanted, ...turnPart(base) };
    return (session = open(goesOn && sessionId !== undefined ? resumeOptions(fixed, sessionId) : fixed));
  };

  async function* stream(prompt: ClaudePrompt, wanted: ClaudeOptions = {}): TurnStream {
    const events = (await ready(wanted)).stream(prompt, turnPart(wanted));
    return yield* throughTurn(events, (event) => {
      sessionId = event.sessionId || sessionId;
      return [event];
    });
  }

  return {
    stream,
    get current() {
      return session;
    },
    async [Symbol.asyncDispose]() {
      const last = session;
      session = undefined;
      await last?.[Symbol.asyncDispose]();
    },
  };
}

/** A session whose turns are run by `stream`, over one that is kept. */
export function sessionOver(kept: KeptSession, options: ClaudeOptions, stream: Engine["stream"]): EngineSession {
  let base = options;
  return {
    stream(prompt, turn = {}) {
      parseTurnOptions(turn);
      return stream(prompt, { ...base, ...turn });
    },
    async setModel(model: string) {
      parseTurnOptions({ model });
      await kept.current?.setModel?.(model);
      base = { ...base, model };
    },
    async setPermissionMode(permissionMode: PermissionMode) {
      parseTurnOptions({ permissionMode });
      await kept.current?.setPermissionMode?.(permissionMode);
      base = { ...base, permissionMode };
    },
    [Symbol.asyncDispose]: async () => await kept[Symbol.asyncDispose](),
  };
}

function turnPart(options: ClaudeOptions): ClaudeOptions {
  const given = TURN_OPTIONS.filter((name) => options[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, options[name]]));
}

/** Whether a session would have to be another one: where it starts is settled once it is open. */
function differs(wanted: ClaudeOptions, opened: ClaudeOptions): boolean {
  const keyOf = (options: ClaudeOptions): string =>
    sortedKey(without(options, [...TURN_OPTIONS, ...STARTING_POINTS, "resume"]));
  return keyOf(wanted) !== keyOf(opened);
}

export function resumeOptions(options: ClaudeOptions, sessionId: string): ClaudeOptions {
  // `forkSession` is said, so that a default of the engine does not make a second session of it.
  return { ...without(options, STARTING_POINTS), resume: sessionId, forkSession: false };
}
