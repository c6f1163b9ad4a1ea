import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { isolate, IsolationConfig } from "../../src/isolation/index.ts";
import type { BranchKind } from "../../src/workspace/index.ts";
import { startBranchBench, workOnBoth, type BranchBench } from "../support/branch-bench.ts";
import { bash } from "../support/direct-script.ts";
import { hashOf } from "../support/hash-of.ts";
import { describeWith } from "../support/require-package.ts";

const PACKAGES = [
  { command: "bwrap", package: "bubblewrap" },
  { command: "socat", package: "socat" },
];
const KINDS: readonly BranchKind[] = ["private-overlay", "copy"];

let bench: BranchBench;
let cwd: string;

beforeEach(async () => {
  bench = await startBranchBench();
  ({ cwd } = bench.agent);
});

afterEach(async () => {
  await bench.close();
});

describeWith(PACKAGES, "An agent on a branch", () => {
  it.each(KINDS)("finds its files at the workspace's own path, and each branch has its own (kind %s)", async (kind) => {
    expect(await workOnBoth(bench, kind)).toEqual(["one", "two"]);
    expect(bench.told).toEqual([]);
  });

  it("goes on from another branch, and in the workspace, with a session whose paths are still true", async () => {
    await using environment = await bench.open();
    const { state } = await environment.step(bash("true"));
    const first = await environment.exploreFrom(state, bash(`echo found > ${cwd}/found.txt`));
    const second = await environment.exploreFrom(first.state, bash(`cat ${cwd}/found.txt > ${cwd}/again.txt`));
    await environment.adopt(second.state);
    bench.agent.forget();
    await environment.step(bash(`cat ${cwd}/again.txt`));
    const said = JSON.stringify(bench.agent.requests.at(-1));
    expect(said).toContain(`echo found > ${cwd}/found.txt`);
    expect(said).not.toContain(join(environment.workspace.home, "branches"));
    expect(readFileSync(join(cwd, "again.txt"), "utf8")).toBe("found\n");
  });

  it("is isolated there as in the workspace: it may write what was opened to it, and that is the branch", async () => {
    await using isolation = await isolate(IsolationConfig(), { ...bench.agent.options, cwd });
    const { cwd: _, ...options } = isolation.options;
    await using environment = await bench.open({}, options);
    const start = await environment.checkpoint();
    const before = hashOf(cwd);
    const { state, transition } = await environment.exploreFrom(start, bash(`echo made > ${cwd}/made.txt; pwd`));
    expect(transition.execution.response).toContain(cwd);
    expect((await environment.workspace.read(state.id, "made.txt")).toString()).toBe("made\n");
    expect(hashOf(cwd)).toBe(before);
  });
});
