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
const NO_SESSION = "01a1e04e-6a1c-7591-8015-e683b9dae774";
const TOUCH = 'Bash {"command":"touch made"}';

/** A case for every command: the contract test fails where one is missing. */
export const CONTRACT_CASES: Readonly<Record<string, ContractCase>> = {
  run: { success: [TOUCH, ...OFFLINE], failure: ["filesystem", "x", "--cwd", "/nowhere", ...OFFLINE] },
  explore: {
    success: ["--prompt", TOUCH, ...OFFLINE],
    failure: ["state_not_found", "--from", "nowhere", "--prompt", "x", ...OFFLINE],
  },
  team: { success: ["Build a list", "--offline", "team"], failure: ["usage", "x", "--gate", "no-such-program"] },
  init: {
    success: async ({ home }) => ["--cwd", await newFolder(`${home}/begun`)],
    failure: ["filesystem", "--cwd", "/nowhere"],
  },
  config: { success: [], failure: ["filesystem", "--cwd", "/nowhere"] },
  completion: { success: ["bash"], failure: ["usage", "tcsh"] },
  man: { success: [], failure: ["usage", "--nothing"] },
  demo: { failure: ["filesystem", "--cwd", "/proc"] },
  log: { success: [], failure: ["usage", "--since", "someday"] },
  tree: { success: [], failure: ["usage", "--format", "oil"] },
  status: { success: [], failure: ["filesystem", "--cwd", "/nowhere"] },
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
    success: async ({ home, data }) => [await someConversation(data), `${home}/saved`, "--replace"],
    failure: ["state_not_found", "nowhere", "/nowhere"],
  },
  load: { success: async ({ home }) => [`${home}/saved`], failure: ["filesystem", "/nowhere"] },
  verify: { success: [], failure: ["usage", "--nothing"] },
  gc: { success: [], failure: ["usage", "--keep-days", "some"] },
  relink: {
    success: async (workspace) => ["--cwd", await movedWorkspace(workspace)],
    failure: ["state_not_found", "/no/such/workspace", "--cwd", "/usr/share"],
  },
  reindex: { success: [], failure: ["usage", "--nothing"] },
  sessions: { success: [], failure: ["usage", "--since", "someday"] },
  session: { failure: ["session_not_found", "0000"] },
  search: { success: ["echo"], failure: ["usage", " "] },
  index: { success: [], failure: ["usage", "--nothing"] },
  archive: { success: ["--off"], failure: ["usage", "--nothing"] },
  stats: { success: ["--by", "model"], failure: ["usage", "--by", "moon"] },
  watch: { failure: ["usage", "--limit", "none"] },
  doctor: { success: [], failure: ["usage", "--nothing"] },
  trust: { success: [], failure: ["filesystem", "--cwd", "/nowhere"] },
  schema: { success: [], failure: ["usage", "nothing"] },
  commands: { success: ["--limit", "3"], failure: ["usage", "--limit", "some"] },
  "show-command": { success: ["COMPACT"], failure: ["command_not_found", "no-such-command"] },
  "exec-command": {
    success: ["context", "--offline"],
    failure: ["filesystem", "compact", "--cwd", "/nowhere", "--offline"],
  },
  tools: { success: ["--query", "file"], failure: ["filesystem", "--cwd", "/nowhere"] },
  "show-tool": { success: ["bash"], failure: ["tool_not_found", "no-such-tool"] },
  "exec-tool": {
    success: ["bash", '{"command":"ls"}', "--allowed-tools", "Bash"],
    failure: ["parse", "Bash", "no JSON"],
  },
  route: { success: ["search the web"], failure: ["usage"] },
  "tool-pool": { success: ["--simple-mode"], failure: ["filesystem", "--cwd", "/nowhere"] },
  "command-graph": { success: [], failure: ["filesystem", "--cwd", "/nowhere"] },
  summary: { success: [], failure: ["filesystem", "--cwd", "/nowhere"] },
  manifest: { success: [], failure: ["usage", "--nothing"] },
  "setup-report": { success: [], failure: ["filesystem", "--cwd", "/nowhere"] },
  subsystems: { success: ["--limit", "3"], failure: ["usage", "--limit", "0"] },
  "parity-audit": { success: [], failure: ["usage", "--nothing"] },
  "list-sessions": { success: [], failure: ["filesystem", "--cwd", "/nowhere"] },
  "load-session": {
    success: async ({ data }) => [await someConversation(data)],
    failure: ["session_not_found", "../x"],
  },
  "delete-session": { success: [NO_SESSION], failure: ["filesystem", NO_SESSION, "--cwd", "/nowhere"] },
  "flush-transcript": {
    success: async ({ home, data }) => [await someConversation(data), "--file", `${home}/flushed`, "--replace"],
    failure: ["session_not_found", NO_SESSION],
  },
  bootstrap: { success: [TOUCH, ...OFFLINE], failure: ["usage", " ", ...OFFLINE] },
  "bootstrap-graph": { success: [], failure: ["filesystem", "--cwd", "/nowhere"] },
  "turn-loop": {
    success: [TOUCH, ...OFFLINE, "--continuation-prompt", TOUCH, "--max-turns", "2"],
    failure: ["parse", "x", "--json-schema", "{", ...OFFLINE],
  },
  serve: { failure: ["usage", "--tls-cert", "/nowhere"] },
  "alerts test": { failure: ["config"] },
  "offline serve": { failure: ["filesystem", "--scenario", "/nowhere"] },
  "ssh-mode": { failure: ["usage", "not a host", "x"] },
  "teleport-mode": {
    success: async ({ home }) => [await bareRepository(home)],
    failure: ["network", "/no/such/remote"],
  },
  "deep-link-mode": { success: ["--make", "@"], failure: ["usage", "skein://state/../x"] },
  "remote-mode": { failure: ["policy", "http://monitor.example.org", "--prompt", "x"] },
  "direct-connect-mode": { failure: ["policy", "http://monitor.example.org", "0199b3c4-5d6e-7f80-9123-456789abcdef"] },
  rpc: { success: [], failure: ["usage", "--nothing"] },
  mcp: { success: [], failure: ["usage", "--nothing"] },
};

/** A directory of which something was recorded before it was moved. */
async function movedWorkspace({ cwd, data }: TracedWorkspace): Promise<string> {
  const { mkdir, mkdtemp, rename } = await import("node:fs/promises");
  const place = await mkdtemp(`${cwd}-moved-`);
  await mkdir(`${place}/old`);
  await data("checkpoint", "before", "--cwd", `${place}/old`);
  await rename(`${place}/old`, `${place}/new`);
  return `${place}/new`;
}

async function newFolder(path: string): Promise<string> {
  const { mkdir } = await import("node:fs/promises");
  await mkdir(path, { recursive: true });
  return path;
}

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
