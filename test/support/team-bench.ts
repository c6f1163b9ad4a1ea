import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { DualAgent, type DualAgentOptions, type TeamEvent, type TeamResult } from "../../src/team/index.ts";
import { startOfflineAgent, type OfflineAgent } from "../../src/testing/index.ts";
import { scriptedTeam, type TeamScript } from "./scripted-team.ts";

/** What a team did, and what it came to. */
interface RanTeam {
  readonly result: TeamResult;
  readonly events: readonly TeamEvent[];
}

/** A directory with one file, and teams that work in it on the real CLI; new for each test. */
export function useTeamBench() {
  let root = "";
  let agent: OfflineAgent | undefined;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "skein-team-"));
    await mkdir(join(root, "app"));
    await writeFile(join(root, "app/base.txt"), "one\ntwo\nthree\n");
  });
  afterEach(async () => {
    await agent?.close();
    agent = undefined;
    await rm(root, { recursive: true, force: true, maxRetries: 9 });
  });

  const bench = {
    get directory(): string {
      return join(root, "app");
    },
    get home(): string {
      return join(root, "home");
    },
    get agent(): OfflineAgent | undefined {
      return agent;
    },
    /** Has a manager and workers play a script from here on. */
    async play(script: TeamScript): Promise<OfflineAgent> {
      await agent?.close();
      agent = await startOfflineAgent(scriptedTeam(script));
      return agent;
    },
    team(options: Partial<DualAgentOptions> = {}): DualAgent {
      return new DualAgent({
        workspace: bench.directory,
        workspaceOptions: { home: bench.home },
        ...(agent ? { engine: agent.engine } : {}),
        worker: { allowedTools: ["Bash"] },
        ...options,
      });
    },
    /** Runs a team to its end on a script. */
    async run(script: TeamScript, options: Partial<DualAgentOptions> = {}): Promise<RanTeam> {
      await bench.play(script);
      return await followTeam(bench.team(options).run("Make it good"));
    },
    read: async (name: string): Promise<string> => await readFile(join(bench.directory, name), "utf8"),
    write: async (name: string, text: string): Promise<void> => await writeFile(join(bench.directory, name), text),
  };
  return bench;
}

/** Reads the events of a team to its end. */
export async function followTeam(running: AsyncGenerator<TeamEvent, TeamResult, void>): Promise<RanTeam> {
  const events: TeamEvent[] = [];
  for (;;) {
    const { done, value } = await running.next();
    if (done) return { result: value, events };
    events.push(value);
  }
}

/** What was said of each item, round by round. */
export function verdictsOf(events: readonly TeamEvent[]): readonly string[] {
  return events
    .filter((event) => event.type === "verdict")
    .map(({ item, round, by, verdict }) => `${item} ${round} ${by} ${verdict.approved ? "approved" : "sent back"}`);
}
