import {
  ClaudeConfigError,
  SkeinError,
  defined,
  isoTime,
  limitsLeft,
  systemClock,
  type Clock,
  type SkeinEvent,
  type EventOf,
  type TurnResult,
  type TurnStream,
} from "../../core/internal.ts";
import type { ClaudeOptions } from "../options/claude-options.ts";
import { createEngine, type Engine, type EngineSession } from "../engine.ts";
import { readPrompt } from "../prompts/claude-prompt.ts";
import { addResults } from "../turns/turn-result.ts";
import { engineSettingsKey, hashSettings, keyHere } from "../settings-key.ts";
import { keepSession, sessionOver, type KeptSession } from "../turns/keep-session.ts";
import { PluginRun } from "./plugin-run.ts";
import type { SkeinPlugin, WithPluginsOptions } from "./skein-plugin.ts";

/** An engine whose turns go through plugins, in their order. A hook that throws is reported, and the turn goes on without it. */
export function withPlugins(engine: Engine, plugins: readonly SkeinPlugin[], options: WithPluginsOptions = {}): Engine {
  checkNames(plugins);
  const settings = { clock: systemClock, hookTimeoutMs: 30_000, maxPluginRetries: 3, ...defined(options), plugins };
  const through = (inner: Pick<Engine, "stream">): Engine["stream"] =>
    async function* (prompt, turnOptions = {}) {
      const read = readPrompt(prompt, turnOptions.signal);
      const whole = read instanceof Promise ? await read : read;
      return yield* runPlugged(inner, new PluginRun(whole, turnOptions, settings), settings.clock);
    };
  const open = engine.open?.bind(engine);
  // No prompt can be added to a turn that runs: no plugin would have seen it.
  const opened = (kept: KeptSession, base: ClaudeOptions): EngineSession => sessionOver(kept, base, through(kept));
  return {
    ...createEngine(through(engine)),
    settingsKey: (turnOptions) => hashSettings([engineSettingsKey(engine, turnOptions), plugins.map(keyHere)]),
    ...(open ? { open: (base = {}) => opened(keepSession(open, base), base) } : {}),
  };
}

async function* runPlugged(engine: Pick<Engine, "stream">, run: PluginRun, clock: Clock): TurnStream {
  try {
    const refused = await run.begin();
    return yield* refused ? handOn(await run.read(refused)) : runAttempts(engine, run, clock);
  } finally {
    await run.end(undefined);
  }
}

/** Runs the turn, and again while it fails and a plugin may have it so. One end is handed on: the last one. */
async function* runAttempts(engine: Pick<Engine, "stream">, run: PluginRun, clock: Clock): TurnStream {
  const failed: TurnResult[] = [];
  for (;;) {
    const { prompt, options } = run.turn;
    let [ended, retrying]: [TurnResult?, string?] = [];
    for await (const event of engine.stream(prompt, { ...options, ...limitsLeft(options, failed) })) {
      if (event.type !== "turn-end") {
        yield* await run.read(event);
        continue;
      }
      retrying = await askForRetry(run, [...failed, event.result]);
      if (retrying === undefined) {
        ended = yield* handOn(await run.read({ ...event, result: addResults(failed, event.result) }));
      } else {
        failed.push(event.result);
      }
    }
    if (ended) return ended;
    if (retrying === undefined) throw new SkeinError("The engine ended without turn-end", { kind: "runtime" });
    yield* await run.read(retryEvent(retrying, failed, clock));
  }
}

async function askForRetry(run: PluginRun, results: readonly TurnResult[]): Promise<string | undefined> {
  const result = results.at(-1);
  // Attempts share the turn's limits: each has what the ones before it have left.
  if (!result?.isError || Object.values(limitsLeft(run.turn.options, results)).includes(0)) return undefined;
  return await run.askForRetry(result);
}

async function* handOn(events: readonly SkeinEvent[]): TurnStream {
  yield* events;
  const last = events.at(-1);
  if (last?.type === "turn-end") return last.result;
  throw new SkeinError("The turn has no end", { kind: "runtime" });
}

function retryEvent(plugin: string, failed: readonly TurnResult[], clock: Clock): EventOf<"status"> {
  return {
    type: "status",
    timestamp: isoTime(clock.now()),
    status: "plugin-retry",
    detail: `${plugin}: attempt ${failed.length + 1} after ${failed.at(-1)?.error?.kind ?? "a failure"}`,
  };
}

function checkNames(plugins: readonly SkeinPlugin[]): void {
  const names = plugins.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return;
  throw new ClaudeConfigError(`Two plugins are named ${twice}`, {
    option: "plugins",
    target: twice,
    hint: "Give each its own name: { ...plugin, name }.",
  });
}
