import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { hashOf } from "../../test/support/hash-of.ts";
import { describeWith } from "../../test/support/require-package.ts";
import { ClaudeEngine } from "../engine/index.ts";
import { ProcessManager } from "../engine/internal.ts";
import { loadScenario } from "../offline/index.ts";
import { startOfflineAgent, type OfflineAgent } from "../testing/index.ts";
import type { BranchKind, WorkspaceOptions } from "../workspace/index.ts";
import { ClaudeEnvironment } from "./claude-environment.ts";

const SANDBOX_PACKAGES = [
  { command: "bwrap", package: "bubblewrap" },
  { command: "socat", package: "socat" },
];

const bash = (command: string): string => `Bash ${JSON.stringify({ command })}`;
/**
 * Not on the command line, where the CLI itself would refuse it. No higher than this: the agent works at the workspace's path, two folders
 * below the one for temporary files, in which the sandbox lets it write what all agents of a user share.
 */
const DAMAGE = 'rm -rf ../* ; for each in * ; do rm -rf "$each" ; done ; echo gone > here.txt ; ls -A';
const FILL = bash("head -c 30000000 /dev/urandom > large.bin ; sleep 600");
/** Told from the others by its file. The CLI would refuse a `sleep` that stands alone. */
const WAIT = bash("echo waiting > waiting.txt ; sleep 600");
const WORK = bash("echo fine > fine.txt");

let home: string;
let agent: OfflineAgent;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "skein-damage-"));
  const sandbox = { enabled: true, autoAllowBashIfSandboxed: true, network: { allowedDomains: [] } };
  agent = await startOfflineAgent(await loadScenario("direct"), { sandbox });
});

afterEach(async () => {
  await agent.close();
  rmSync(home, { recursive: true, force: true });
});

// By default the best kind that there is here; the others are asked for.
const KINDS: readonly (BranchKind | undefined)[] = [undefined, "private-overlay", "copy"];

describeWith(SANDBOX_PACKAGES, "Branches in which agents do damage", () => {
  it.each(KINDS)(
    "leave the workspace and each other alone: one deletes, one fills its disk, one is killed (kind %s)",
    async (kind) => {
      for (const name of ["a.txt", "b.txt", "c.sh"]) writeFileSync(join(agent.cwd, name), `${DAMAGE}\n`);
      const workspace = { home, branches: { kind, quotaBytes: 10_000_000 } };
      await using environment = await ClaudeEnvironment.open(agent.cwd, { engine: agent.engine, workspace });
      const start = await environment.checkpoint("start");
      await using sibling = await environment.workspace.branch(start.id);
      const before = [hashOf(agent.cwd), hashOf(sibling.view)];

      const [damaged, filled, killed, worked] = await Promise.allSettled([
        environment.exploreFrom(start, bash("sh c.sh")),
        environment.exploreFrom(start, FILL),
        exploreAndKill(workspace),
        environment.exploreFrom(start, WORK),
      ]);

      expect([hashOf(agent.cwd), hashOf(sibling.view)]).toEqual(before);
      expect(filled).toMatchObject({ reason: { kind: "resource_exhausted", resource: "disk" } });
      expect(killed).toMatchObject({ value: { transition: { execution: { outcome: "failed" } } } });
      const changes = async (done: typeof worked): Promise<readonly string[]> => {
        if (done.status === "rejected") throw done.reason;
        const found = await environment.workspace.diff(start.id, done.value.state.id);
        return found.map(({ type, path }) => `${type} ${path}`).filter((change) => !change.includes(".claude"));
      };
      expect(await changes(worked)).toEqual(["created fine.txt"]);
      expect(await changes(damaged)).toEqual(["deleted a.txt", "deleted b.txt", "deleted c.sh", "created here.txt"]);
      expect(readdirSync(join(environment.workspace.home, "branches"))).toHaveLength(2);
      await sibling.close();
      expect(readdirSync(join(environment.workspace.home, "branches"))).toEqual([]);
      expect(mounts()).toEqual([]);
    },
    120_000,
  );
});

/** Explores with an engine of its own, whose process is killed once the model was asked. */
async function exploreAndKill(
  workspace: WorkspaceOptions,
): Promise<Awaited<ReturnType<ClaudeEnvironment["exploreFrom"]>>> {
  await using processes = new ProcessManager(join(home, "processes"));
  const engine = new ClaudeEngine(agent.options, { processes });
  await using environment = await ClaudeEnvironment.open(agent.cwd, { engine, workspace });
  const exploring = environment.exploreFrom(await environment.checkpoint(), WAIT);
  await vi.waitFor(() => expect(JSON.stringify(agent.requests)).toContain("waiting.txt"), 60_000);
  for (const { pid } of processes.processes()) if (pid !== undefined) process.kill(pid, "SIGKILL");
  return await exploring;
}

function mounts(): readonly string[] {
  if (!existsSync("/proc/self/mountinfo")) return [];
  return readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .filter((line) => line.includes(home));
}
