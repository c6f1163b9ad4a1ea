import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectNoProcessWith } from "../cli/support/marked-processes.ts";
import { readEnvelope, startSkein, temporaryDirectory } from "../cli/support/skein.ts";
import { tracedWorkspace, type TracedWorkspace } from "../cli/support/traced-workspace.ts";
import { bash } from "../support/direct-script.ts";

interface Explored {
  readonly branches: readonly { readonly outcome: string; readonly is_reused: boolean }[];
  readonly journal: string;
}

const OFFLINE = ["--offline", "direct", "--allowed-tools", "Bash"] as const;
const SLOW = { timeout: 240_000 } as const;

describe("a search that is cut off", () => {
  /** One prompt that ends at once, and one that waits until a file is there. */
  async function cutOff(): Promise<TracedWorkspace & { readonly search: readonly string[]; readonly mark: string }> {
    const workspace = await tracedWorkspace();
    await workspace.data("checkpoint", "start");
    const mark = join(await temporaryDirectory(), "go");
    const wait = bash(`until [ -e ${mark} ]; do sleep 0.1; done; touch slow`);
    const search = [
      "explore",
      "--from",
      "start",
      "--prompt",
      bash("touch fast"),
      "--prompt",
      wait,
      "--reward",
      "true",
      ...OFFLINE,
    ];
    return { ...workspace, search, mark };
  }

  it("by SIGKILL goes on where it was: what had ended is not run again, and nothing is left", SLOW, async () => {
    const { cwd, home, search, mark, data, skein } = await cutOff();
    const env = { SKEIN_HOME: home };
    const running = await startSkein([...search, "--output-format", "stream-json"], { cwd, env });
    await running.printed('"branch-end"');
    running.child.kill("SIGKILL");
    await running.finished;
    await expectNoProcessWith(mark);
    await writeFile(mark, "");

    const found = await data<Explored>(...search);
    expect(found).toMatchObject({ stopped: "exhausted", expansions: 1 });
    expect(found.branches.map(({ is_reused: known, outcome }) => [known, outcome])).toEqual([
      [true, "completed"],
      [false, "completed"],
    ]);
    const { states } = await data<{ states: readonly { turn: { prompt: string } | null }[] }>("log");
    expect(states.filter(({ turn }) => turn?.prompt === bash("touch fast"))).toHaveLength(1);
    expect((await readFile(found.journal, "utf8")).trim().split("\n")).toHaveLength(2);
    expect((await skein("verify")).code).toBe(0);
    expect((await readdir(cwd)).filter((name) => name !== ".claude")).toEqual([]);
    expect(await readdir(join(found.journal, "../../branches"))).toEqual([]);
  });

  it("by Ctrl-C ends with what it has", SLOW, async () => {
    const { cwd, home, search, mark } = await cutOff();
    const env = { SKEIN_HOME: home };
    const running = await startSkein([...search, "--adopt", "--output-format", "stream-json"], { cwd, env });
    await running.printed('"branch-end"');
    running.child.kill("SIGINT");
    const { code, stdout } = await running.finished;
    const lines = stdout.trim().split("\n");
    const { data } = readEnvelope(lines.at(-1) ?? "") as { data: Explored };
    expect(code).toBe(0);
    expect(data).toMatchObject({ stopped: "cancelled", best: 1, adopted: null });
    expect(data.branches.map(({ outcome }) => outcome)).toEqual(["completed", "cancelled"]);
    const types = lines.slice(0, -1).map((line) => (JSON.parse(line) as { type: string }).type);
    expect(types).toEqual(["search-start", "branch-start", "branch-start", "branch-end", "branch-failed"]);
    await expectNoProcessWith(mark);
  });
});
