import { once } from "node:events";
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { offlineEnvironment, startOfflineServer, type Scenario } from "../../src/offline/index.ts";
import { serveMonitor, type ServedMonitor } from "./monitor-client.ts";

/** A data folder of its own with `skein serve` over it, whose runs are played by an offline model. */
export interface OwnMonitor extends AsyncDisposable {
  readonly monitor: ServedMonitor;
  /** The variables with which commands use the same folder and the same model. */
  readonly env: Readonly<Record<string, string>>;
  /** Makes a folder to work in. */
  directory(name: string): Promise<string>;
  /** Kills the server at once, and starts another one at the same address. */
  kill(): Promise<void>;
  restart(): Promise<void>;
}

/** Starts all of it; `scenario` is what the model does in runs that the page starts. */
export async function startOwnMonitor(
  scenario: Scenario,
  { flags = [] }: { readonly flags?: readonly string[] } = {},
): Promise<OwnMonitor> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "skein-page-")));
  const home = join(root, "home");
  await mkdir(home);
  const model = await startOfflineServer({ scenario });
  const env = {
    PATH: process.env["PATH"] ?? "",
    TMPDIR: tmpdir(),
    HOME: home,
    SKEIN_HOME: home,
    IS_SANDBOX: "1",
    ...offlineEnvironment(model.url),
  };
  const serve = async (port: string): Promise<ServedMonitor> =>
    await serveMonitor(home, ["--port", port, ...flags], env);
  const own = { monitor: await serve("0") };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const { process: child } = own.monitor;
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, "close");
  };
  return {
    get monitor() {
      return own.monitor;
    },
    env,
    async directory(name) {
      const path = join(root, name);
      await mkdir(path, { recursive: true });
      return path;
    },
    kill: async () => await end("SIGKILL"),
    async restart() {
      own.monitor = await serve(new URL(own.monitor.url).port);
    },
    async [Symbol.asyncDispose]() {
      await end("SIGTERM");
      await model.close();
      await rm(root, { recursive: true, force: true, maxRetries: 9 });
    },
  };
}
