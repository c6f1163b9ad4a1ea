import type { TracedWorkspace } from "./traced-workspace.ts";

/** How a command is made to succeed and to fail, in a directory with recorded turns. */
export interface ContractCase {
  /** What succeeds; none for a command that serves until it is told to end. */
  readonly success?: Words;
  /** What fails, with the kind of its error. */
  readonly failure: readonly [kind: string, ...words: readonly string[]];
}

type Words = readonly string[] | ((workspace: TracedWorkspace) => Promise<readonly string[]>);

const OFFLINE = ["--offline", "direct", "--allowed-tools", "Bash"] as const;
const TOUCH = 'Bash {"command":"touch made"}';

/** A case for every command: the contract test fails where one is missing. */
export const CONTRACT_CASES: Readonly<Record<string, ContractCase>> = {
  run: { success: [TOUCH, ...OFFLINE], failure: ["filesystem", "x", "--cwd", "/nowhere", ...OFFLINE] },
  explore: {
    success: ["--prompt", TOUCH, ...OFFLINE],
    failure: ["state_not_found", "--from", "nowhere", "--prompt", "x", ...OFFLINE],
  },
  demo: { failure: ["filesystem", "--directory", "/proc"] },
  log: { success: [], failure: ["usage", "--since", "someday"] },
  tree: { success: [], failure: ["usage", "--format", "oil"] },
  show: { success: ["@"], failure: ["state_not_found", "nowhere"] },
  diff: { success: ["@~1", "@"], failure: ["state_not_found", "nowhere"] },
  compare: { success: ["@~1", "@"], failure: ["state_not_found", "nowhere", "@"] },
  checkpoint: { success: ["named", "--replace"], failure: ["state_not_found", "x", "nowhere"] },
  restore: { success: ["@"], failure: ["state_not_found", "nowhere"] },
  adopt: { success: ["@"], failure: ["state_not_found", "nowhere"] },
  undo: { success: [], failure: ["usage", "--undo"] },
  branch: { success: ["@"], failure: ["state_not_found", "nowhere"] },
  recover: { success: [], failure: ["usage", "--keep", "--undo"] },
  push: { success: async ({ home }) => [await bareRepository(home)], failure: ["network", "/no/such/remote"] },
  pull: { success: async ({ home }) => [await bareRepository(home)], failure: ["network", "/no/such/remote"] },
  save: {
    success: async ({ home, data }) => [await someConversation(data), `${home}/saved`],
    failure: ["state_not_found", "nowhere", "/nowhere"],
  },
  load: { success: async ({ home }) => [`${home}/saved`], failure: ["filesystem", "/nowhere"] },
  verify: { success: [], failure: ["usage", "--nothing"] },
  gc: { success: [], failure: ["usage", "--keep-days", "some"] },
  reindex: { success: [], failure: ["usage", "--nothing"] },
  doctor: { success: [], failure: ["usage", "--nothing"] },
  schema: { success: [], failure: ["usage", "nothing"] },
  "offline serve": { failure: ["filesystem", "--scenario", "/nowhere"] },
};

async function someConversation(data: TracedWorkspace["data"]): Promise<string> {
  const { states } = await data<{ states: { conversation_id: string }[] }>("log");
  return states[0]?.conversation_id ?? "";
}

async function bareRepository(home: string): Promise<string> {
  const { execFile } = await import("node:child_process");
  const { promisify } = await import("node:util");
  await promisify(execFile)("git", ["init", "--quiet", "--bare", `${home}/remote`]);
  return `${home}/remote`;
}
