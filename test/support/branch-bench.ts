import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ClaudeOptions } from "../../src/engine/index.ts";
import { loadScenario } from "../../src/offline/index.ts";
import { ClaudeEnvironment, commandReward } from "../../src/search/index.ts";
import { toReward } from "../../src/search/internal.ts";
import { startOfflineAgent, type OfflineAgent } from "../../src/testing/index.ts";
import type { BranchKind } from "../../src/workspace/index.ts";
import type { BranchOptions } from "../../src/workspace/internal.ts";
import { bash } from "./direct-script.ts";
import { hashOf } from "./hash-of.ts";

/** What agents on branches are held to, so that their commands run unasked. */
export const SANDBOX: NonNullable<ClaudeOptions["sandbox"]> = {
  enabled: true,
  autoAllowBashIfSandboxed: true,
  network: { allowedDomains: [] },
};

/** A git repository with one commit, in which agents of the scenario `direct` work, in a sandbox. */
export interface BranchBench {
  readonly agent: OfflineAgent;
  /** Skein's home. */
  readonly home: string;
  /** Why branches were at paths of their own. */
  readonly told: readonly string[];
  open(branches?: BranchOptions, options?: ClaudeOptions): Promise<ClaudeEnvironment>;
  close(): Promise<void>;
}

/** Makes the repository. */
export async function startBranchBench(): Promise<BranchBench> {
  const home = mkdtempSync(join(tmpdir(), "skein-paths-"));
  const agent = await startOfflineAgent(await loadScenario("direct"));
  execFileSync("git", ["init", "-q"], { cwd: agent.cwd });
  const commit = ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "first"];
  execFileSync("git", commit, { cwd: agent.cwd });
  const told: string[] = [];
  return {
    agent,
    home,
    told,
    open: async (branches = {}, options = { sandbox: SANDBOX }) =>
      await ClaudeEnvironment.open(agent.cwd, {
        engine: agent.engine,
        options,
        workspace: { home, branches: { ...branches, onOwnPath: (reason) => void told.push(reason) } },
      }),
    async close() {
      await agent.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** A line for the `direct` scenario: the model calls a tool. */
export function call(name: string, input: object): string {
  return `${name} ${JSON.stringify(input)}`;
}

/**
 * Has two agents at once read and write by absolute paths on two branches, after a turn in the workspace that did so too. Gives what
 * each found in its own files where its commands, its git and its reward were at the workspace's path, which stayed as it was.
 */
export async function workOnBoth({ agent: { cwd }, open }: BranchBench, kind?: BranchKind): Promise<readonly string[]> {
  await using environment = await open({ kind });
  const { state } = await environment.step(call("Write", { file_path: `${cwd}/x.txt`, content: "earlier" }));
  const before = hashOf(cwd);
  const explore = async (name: string): Promise<string> => {
    const calls = [
      call("Read", { file_path: `${cwd}/x.txt` }),
      call("Write", { file_path: `${cwd}/x.txt`, content: name }),
      bash(`printf ${name} > ${cwd}/bash.txt; pwd > where.txt; git log --oneline | wc -l > commits.txt`),
      bash(`cat ${cwd}/bash.txt > ${cwd}/copy.txt`),
    ];
    const judge = commandReward(`test "$(pwd)" = ${cwd} && cmp ${cwd}/x.txt ${cwd}/copy.txt`);
    const reached = await environment.exploreFrom(state, calls.join("\n"), {
      judge: async (...given) => toReward(await judge(...given)),
    });
    const read = async (path: string): Promise<string> =>
      (await environment.workspace.read(reached.state.id, path)).toString();
    deepStrictEqual([await read("where.txt"), await read("commits.txt")], [`${cwd}\n`, "1\n"]);
    deepStrictEqual([reached.reward?.value, await read("copy.txt")], [1, name]);
    return await read("x.txt");
  };
  const found = await Promise.all(["one", "two"].map(explore));
  strictEqual(hashOf(cwd), before);
  deepStrictEqual(readdirSync(join(environment.workspace.home, "branches")), []);
  return found;
}
