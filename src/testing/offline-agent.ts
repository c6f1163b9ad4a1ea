import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ClaudeEngine, type ClaudeOptions } from "../engine/internal.ts";
import { offlineEnvironment, startOfflineServer, type MessagesRequest, type Scenario } from "../offline/internal.ts";

/** The real CLI against the offline model, in folders of its own. */
export interface OfflineAgent extends AsyncDisposable {
  readonly engine: ClaudeEngine;
  /** What the engine runs with, for another engine or a client beside it. */
  readonly options: ClaudeOptions;
  /** An empty folder to work in, gone at the end. */
  readonly cwd: string;
  /** A home of its own, so that nothing on the machine is read or changed. */
  readonly home: string;
  readonly url: string;
  /** Every request that the model was sent so far. */
  readonly requests: readonly MessagesRequest[];
  /** Forgets those requests: a long run would fill the memory. */
  forget(): void;
  close(): Promise<void>;
}

/** Starts a scenario and gives an engine that plays it: what a test of an agent needs, with no key and no network. */
export async function startOfflineAgent(scenario: Scenario, options: ClaudeOptions = {}): Promise<OfflineAgent> {
  const requests: MessagesRequest[] = [];
  const server = await startOfflineServer({ scenario, onRequest: (request) => requests.push(request) });
  const root = await realpath(await mkdtemp(join(tmpdir(), "skein-agent-")));
  const [home, cwd] = [await mkdtemp(join(root, "home-")), await mkdtemp(join(root, "work-"))];
  const agentOptions: ClaudeOptions = {
    cwd,
    permissionMode: "acceptEdits",
    model: "claude-sonnet-5-5",
    ...options,
    env: { ...offlineEnvironment(server.url), HOME: home, CLAUDE_CONFIG_DIR: join(home, ".claude"), ...options.env },
  };
  const close = async (): Promise<void> => {
    await server.close();
    await rm(root, { recursive: true, force: true });
  };
  return {
    engine: new ClaudeEngine(agentOptions),
    options: agentOptions,
    cwd,
    home,
    url: server.url,
    requests,
    forget: () => void requests.splice(0),
    close,
    [Symbol.asyncDispose]: close,
  };
}
