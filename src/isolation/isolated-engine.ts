import { createHash } from "node:crypto";
import { createEngine, engineSettingsKey, type Engine, type EnvVariables } from "../engine/internal.ts";
import { isolate } from "./isolate.ts";
import { IsolationConfig } from "./isolation-config.ts";
import { SandboxConfig } from "./sandbox-config.ts";
import { borrowedObjects } from "./secrets/closed-store.ts";

/**
 * An engine whose every turn is isolated where it works, with a private home of its own: for agents in branches, who each have another
 * directory. A branch's repository borrows the objects of its store, which stay readable.
 */
export function isolatedEngine(
  engine: Engine,
  config: IsolationConfig,
  { hostEnv }: { readonly hostEnv: EnvVariables },
): Engine {
  const stream: Engine["stream"] = async function* (prompt, options = {}) {
    const { sandbox } = config;
    const readablePaths = [...sandbox.readablePaths, ...(await borrowedObjects(options.cwd ?? "."))];
    const bounds = IsolationConfig({ ...config, sandbox: SandboxConfig({ ...sandbox, readablePaths }) });
    await using isolation = await isolate(bounds, options, { hostEnv });
    return yield* engine.stream(prompt, isolation.options);
  };
  return {
    ...createEngine(stream),
    settingsKey: (options) =>
      createHash("sha256")
        .update(JSON.stringify(["isolated", engineSettingsKey(engine, options), config]))
        .digest("hex"),
  };
}
