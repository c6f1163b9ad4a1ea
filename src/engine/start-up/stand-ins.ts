import { AsyncResource } from "node:async_hooks";
import type {
  HookCallback,
  HookCallbackMatcher,
  HookEvent,
  Options,
  SessionStore,
} from "@anthropic-ai/claude-agent-sdk";
import { defined, SkeinError } from "../../core/internal.ts";
import type { SessionOptions } from "../options/tool-server.ts";

/** What of a session's options is called in this process: the CLI only knows that it is there. */
type LiveOptions = Pick<
  Options,
  "canUseTool" | "hooks" | "onElicitation" | "onUserDialog" | "sessionStore" | "sessionStoreFlush" | "stderr"
>;

/** Options of a CLI that is started before anybody knows whose it will be, and what says whose it is. */
interface StandIns {
  readonly live: LiveOptions;
  /** From here on its calls go to this session, and to no other. Its options have to be of the same shape. */
  handOver(session: SessionOptions): void;
}

/** Puts functions in place of those of a session, which pass each call on to the session that they are handed over to. */
export function createStandIns(like: SessionOptions): StandIns {
  let owner: { readonly options: SessionOptions; readonly scope: AsyncResource } | undefined;
  /** A call is made where its session was begun, as it is in a process that was started for it. */
  const pass = <Call extends unknown[], Answer>(
    choose: (options: SessionOptions) => ((...call: Call) => Answer) | undefined,
    call: Call,
  ): Answer => {
    const run = owner && choose(owner.options);
    return owner && run ? owner.scope.runInAsyncScope(run, undefined, ...call) : nobody();
  };
  const flush = flushOf(like);
  const calls: { readonly [Name in keyof LiveOptions]: LiveOptions[Name] | undefined } = {
    // What it says while it waits concerns nobody.
    stderr: (text) => owner?.options.stderr?.(text),
    canUseTool: like.canUseTool && ((...call) => pass(({ canUseTool }) => canUseTool, call)),
    onElicitation: like.onElicitation && ((...call) => pass(({ onElicitation }) => onElicitation, call)),
    onUserDialog: like.onUserDialog && ((...call) => pass(({ onUserDialog }) => onUserDialog, call)),
    hooks:
      like.hooks &&
      mapMatchers(like.hooks, ({ hooks, ...matcher }, event, place) => ({
        ...matcher,
        hooks: hooks.map(
          (_, index): HookCallback =>
            async (...call) =>
              await pass((options) => options.hooks?.[event]?.[place]?.hooks[index], call),
        ),
      })),
    sessionStore: flush && standInStore(() => owner?.options.sessionStore),
    sessionStoreFlush: flush,
  };
  const handOver = (options: SessionOptions): void => {
    owner = { options, scope: new AsyncResource("skein-session") };
  };
  return { live: defined(calls), handOver };
}

type Hooks = NonNullable<Options["hooks"]>;

/** A session without a store of its own tells its transcript to nobody. */
function standInStore(owned: () => SessionStore | undefined): SessionStore {
  return {
    append: async (...call) => await owned()?.append(...call),
    load: async (...call) => (await owned()?.load(...call)) ?? null,
  };
}

/**
 * How a spare tells its transcript: at once, so that it can serve recorded turns and others alike; in batches where the session's own
 * store wants it so; not at all where the CLI cannot, or keeps none.
 */
function flushOf({ sessionStore, sessionStoreFlush, persistSession, ...options }: SessionOptions) {
  if (sessionStore) return sessionStoreFlush ?? "batched";
  return persistSession === false || options.enableFileCheckpointing ? undefined : "eager";
}

/** What the CLI is told of them when it starts: two sessions that say the same can have the same process. */
export function shapeOfLive(options: SessionOptions): unknown {
  const { canUseTool, onElicitation, onUserDialog, hooks } = options;
  return {
    present: [canUseTool, onElicitation, onUserDialog].map((each) => each !== undefined),
    flush: flushOf(options),
    hooks: hooks && mapMatchers(hooks, (matcher) => ({ ...matcher, hooks: matcher.hooks.length })),
  };
}

function mapMatchers(
  hooks: Hooks,
  map: (matcher: HookCallbackMatcher, event: HookEvent, place: number) => unknown,
): Record<string, unknown> {
  const events = Object.entries(hooks) as [HookEvent, HookCallbackMatcher[]][];
  return Object.fromEntries(
    events.map(([event, matchers]) => [event, matchers.map((matcher, place) => map(matcher, event, place))]),
  );
}

/** Nothing of a session runs before it is claimed; what asks all the same gets no permission and no answer. */
function nobody(): never {
  throw new SkeinError("A spare process asked before it was anybody's", { kind: "runtime" });
}
