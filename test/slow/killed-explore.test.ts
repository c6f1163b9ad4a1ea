import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { killGuardians } from "../cli/support/kill-guardians.ts";
import { expectNoProcessWith } from "../cli/support/marked-processes.ts";
import { spawnSkein, startSkein, temporaryDirectory } from "../cli/support/skein.ts";
import { tracedWorkspace } from "../cli/support/traced-workspace.ts";
import { bash } from "../support/direct-script.ts";

/** The mounts below a folder. */
async function mountsIn(folder: string): Promise<readonly string[]> {
  const table = await readFile("/proc/self/mountinfo", "utf8").catch(() => "");
  return table.split("\n").filter((line) => line.includes(folder));
}

it.each([
  ["status", false],
  ["status", true],
  ["log", true],
  ["undo", true],
] as const)(
  "after kill -9 of an explore, %s finds nothing of it any more: no mount, no folder, no process (guardian killed too: %s)",
  async (command, withGuardian) => {
    const { cwd, home, turn, data } = await tracedWorkspace();
    await turn(bash("echo base > base.txt"));
    const mark = join(await temporaryDirectory(), "go");
    const waiting = ["one", "two"].map((name) => bash(`touch ${name}; until [ -e ${mark} ]; do sleep 0.1; done`));
    const prompts = waiting.flatMap((prompt) => ["--prompt", prompt]);
    const place = { cwd, env: { SKEIN_HOME: home } };
    const args = ["explore", ...prompts, "--offline", "direct", "--allowed-tools", "Bash"];
    const { child, finished } = await startSkein(args, place);
    const [store = ""] = await readdir(join(home, "workspaces"));
    const branches = join(home, "workspaces", store, "branches");
    const folders = async (): Promise<readonly string[]> => await readdir(branches).catch(() => []);
    const madeIn = async (folder: string): Promise<readonly string[]> =>
      (
        await Promise.all(["upper", "files"].map((name) => readdir(join(branches, folder, name)).catch(() => [])))
      ).flat();
    await vi.waitFor(
      async () => {
        const names = (await folders()).filter((name) => !name.endsWith(".json"));
        const made = (await Promise.all(names.map(madeIn))).flat();
        expect(made).toEqual(expect.arrayContaining(["one", "two"]));
      },
      { timeout: 60_000 },
    );
    if (withGuardian) await killGuardians(join(home, "processes"));
    child.kill("SIGKILL");
    await finished;
    expect((await folders()).length).toBeGreaterThan(0);

    const { code, stderr } = await spawnSkein([command], place);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/(?:A turn was cut off on a branch and is kept as [\s\S]*){2}/u) as string,
    });
    expect(await folders()).toEqual([]);
    expect(await mountsIn(home)).toEqual([]);
    await expectNoProcessWith(mark);
    await writeFile(mark, "");
    expect(await data("verify")).toHaveProperty("states");
  },
  240_000,
);

it("two explores at once do not refuse each other, and both are recorded", async () => {
  const { cwd, home, turn, data } = await tracedWorkspace();
  await turn(bash("echo base > base.txt"));
  const place = { cwd, env: { SKEIN_HOME: home } };
  const explore = (name: string): ReturnType<typeof spawnSkein> => {
    const agent = ["--prompt", bash(`touch ${name}`), "--offline", "direct", "--allowed-tools", "Bash"];
    return spawnSkein(["explore", ...agent, "--reward", `test -e ${name}`, "--output-format", "json"], place);
  };
  const done = await Promise.all(["a", "b", "c"].map(explore));
  for (const { code, stdout, stderr } of done) {
    expect({ code, stderr, ...(code === 0 ? {} : { stdout }) }).toEqual({ code: 0, stderr });
    expect(JSON.parse(stdout)).toMatchObject({ data: { best: 1, branches: [{ outcome: "completed" }] } });
  }
  const { totals } = await data<{ totals: { turns: number } }>("log");
  expect(totals.turns).toBe(4);
  const [store = ""] = await readdir(join(home, "workspaces"));
  expect(await readdir(join(home, "workspaces", store, "branches"))).toEqual([]);
}, 240_000);
