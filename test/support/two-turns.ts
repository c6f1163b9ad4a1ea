import { join } from "node:path";
import type { ClaudeOptions } from "../../src/engine/index.ts";
import type { OfflineAgent } from "../../src/testing/index.ts";
import { bash, type Call } from "./isolated-attack.ts";
import type { Canary } from "./planted-canary.ts";

/** What the attacks need of the machine. */
export const SANDBOX_PACKAGES = [
  { command: "bwrap", package: "bubblewrap" },
  { command: "socat", package: "socat" },
];

const START_UP_FILES = ".bashrc .bash_profile .bash_login .profile .zshrc .zshenv .zprofile";

/** Calls that plant the program in the home, in the folder and in one below it. */
export function planting({ program, plant }: Canary): readonly Call[] {
  return [
    bash(`cd ~ && for file in ${START_UP_FILES}; do echo '${program} '$file > $file; done; ls -A`),
    bash(`for name in core.sshCommand core.fsmonitor; do git config --global $name '${program} global'; done`),
    bash(`sh ${plant} .`),
    bash(`sh ${plant} sub`),
  ];
}

/** Calls that make the CLI run shells and git by itself, where they are planted. */
export function triggering(cwd: string): readonly Call[] {
  const subagent = { description: "Look", prompt: "say hello", subagent_type: "general-purpose" };
  return [
    bash("cd sub && pwd"),
    { tool: "Write", input: { file_path: join(cwd, "sub/new.txt"), content: "new" } },
    { tool: "EnterWorktree", input: { name: "away" } },
    { tool: "Agent", input: { ...subagent, isolation: "worktree", run_in_background: false } },
    { tool: "Agent", input: { ...subagent, run_in_background: false } },
    bash("pwd"),
  ];
}

/** What comes of the calls that trigger where worktrees are refused. */
export const TRIGGERED_IN_VAIN = [
  "Bash done",
  "Write done",
  "EnterWorktree refused",
  "Agent refused",
  "Agent done",
  "Bash done",
];

/** Options under which root may bypass permissions without a sandbox too, with other variables. */
export function attackOptions(agent: OfflineAgent, env: ClaudeOptions["env"] = {}): ClaudeOptions {
  return { ...agent.options, env: { ...agent.options.env, IS_SANDBOX: "1", ...env } };
}

/** A path as under `npm run`, which puts the programs of the folder first. */
export function pathWith({ programs }: Canary): string {
  return `${programs}:node_modules/.bin:${process.env["PATH"]}`;
}
