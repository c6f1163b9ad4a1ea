import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { loadScenario } from "./scenarios/load-scenario.ts";
import { startOfflineServer } from "./server.ts";
import type { MessagesRequest } from "./api/messages-request.ts";
import { API_CREDENTIALS, API_PROVIDERS, dataHome, PRIVATE_FOLDER } from "../core/internal.ts";

/** A scenario that is being served, and the variables that make the CLI use it. */
export interface OfflineModel extends AsyncDisposable {
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Variables that would lead the CLI past the offline model: to another API, account, model or proxy. */
const LEADING_ASTRAY = [
  ...API_CREDENTIALS,
  ...Object.keys(API_PROVIDERS),
  "ANTHROPIC_MODEL",
  "ANTHROPIC_SMALL_FAST_MODEL",
  ...["OPUS", "SONNET", "HAIKU"].map((name) => `ANTHROPIC_DEFAULT_${name}_MODEL`),
];

/** Serves a scenario for as long as it is held. Its sessions are kept apart from the user's own. */
export async function openOfflineModel(
  scenario: string,
  options: { readonly onRequest?: (request: MessagesRequest) => void } = {},
): Promise<OfflineModel> {
  const config = await makeOfflineConfig();
  const server = await startOfflineServer({ scenario: await loadScenario(scenario), ...options });
  return {
    env: {
      ...Object.fromEntries(LEADING_ASTRAY.map((name) => [name, undefined])),
      ...offlineEnvironment(server.url),
      NO_PROXY: "127.0.0.1,localhost",
      no_proxy: "127.0.0.1,localhost",
      CLAUDE_CONFIG_DIR: config,
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}

/** The variables that make the CLI talk to an offline server and to nothing else. The key is a dummy. */
export function offlineEnvironment(url: string): Readonly<Record<string, string>> {
  return {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "offline",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  };
}

/** The CLI's folder for sessions with the offline model. Made here, because the CLI would leave it open to other users. */
export async function makeOfflineConfig(): Promise<string> {
  const folder = join(dataHome(), "offline", "claude");
  await mkdir(folder, PRIVATE_FOLDER);
  return folder;
}
