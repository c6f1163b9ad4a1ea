import { mkdir, readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { runSkein, runSkeinJson, temporaryDirectory } from "./support/skein.ts";
import { keptWorkspace, type TracedWorkspace } from "./support/traced-workspace.ts";

let workspace: TracedWorkspace;
let inside: string;

beforeAll(async () => {
  workspace = await keptWorkspace();
  const { cwd, home } = workspace;
  await runSkein(["checkpoint", "first"], { cwd, env: { HOME: home, SKEIN_HOME: home } });
  inside = join(workspace.cwd, "src/deep");
  await mkdir(inside, { recursive: true });
});

describe("below a recorded workspace", () => {
  it.each([
    ["from there", () => ({ cwd: inside })],
    ["by --cwd", () => ({ cwd: workspace.home, args: ["--cwd", inside] })],
  ])("commands find it: %s", async (_, place) => {
    const { cwd, args = [] } = { args: [], ...place() } as { readonly cwd: string; readonly args?: string[] };
    const env = { SKEIN_HOME: workspace.home };
    const [state, listed] = await Promise.all([
      runSkeinJson(["show", "first", ...args], { cwd, env }),
      runSkeinJson(["list-sessions", ...args], { cwd, env }),
    ]);
    expect(state.envelope).toMatchObject({ exit_code: 0, data: { checkpoints: ["first"] } });
    expect(listed.envelope).toMatchObject({ data: { cwd: workspace.cwd } });
  });

  it("what is recorded from there is recorded of the workspace", async () => {
    const env = { SKEIN_HOME: workspace.home };
    expect(await runSkein(["checkpoint", "from-below"], { cwd: inside, env })).toMatchObject({ code: 0, stderr: "" });
    expect(await workspace.data("show", "from-below")).toMatchObject({ checkpoints: ["from-below"] });
  });

  it("an agent works in the workspace, which is told, unless --cwd names the folder itself", async () => {
    const env = { SKEIN_HOME: workspace.home };
    const report = (...args: string[]): ReturnType<typeof runSkeinJson> =>
      runSkeinJson(["setup-report", ...args], { cwd: inside, env });
    const [above, here] = await Promise.all([report(), report("--cwd", ".")]);
    expect([above.envelope, above.stderr]).toMatchObject([
      { data: { cwd: workspace.cwd } },
      `Working in ${workspace.cwd}, the recorded workspace around this folder; --cwd . works here alone.\n`,
    ]);
    expect([here.envelope, here.stderr]).toMatchObject([{ data: { cwd: inside } }, ""]);
  });
});

/** What commands cannot do without. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  show: ["@"],
  diff: ["@"],
  compare: ["@", "@~1"],
  session: ["5b3c"],
  "load-session": ["5b3c"],
  "flush-transcript": ["5b3c"],
  "delete-session": ["5b3c"],
  restore: ["@"],
  adopt: ["@"],
  branch: ["@"],
  save: ["@", "file"],
  push: ["remote"],
};

/** Commands that need a record and add none; those of the transcripts keep only the index of these. */
const NEED_A_RECORD = ["restore", "adopt", "undo", "recover", "branch", "save", "verify", "gc", "reindex"];

describe("where nothing was ever recorded", () => {
  const reading = COMMANDS.filter(({ effects }) => effects.changes === "nothing" && effects.reaches === "workspace");
  const names = [...new Set([...reading.map(({ name }) => name), ...NEED_A_RECORD])];

  it.each(names)("%s makes no store, and nothing else in the data folder", async (name) => {
    const home = join(await temporaryDirectory(), "data");
    const { code, stderr } = await runSkein([name, ...(NEEDED[name] ?? [])], { env: { SKEIN_HOME: home } });
    expect({ name, code, made: await readdir(home).catch(() => []) }).toMatchObject({ made: [] });
    expect(stderr).not.toContain(" at ");
  });

  it.each(["sessions", "stats", "search"])(
    "%s keeps its index of transcripts there, and makes no store",
    async (name) => {
      const home = join(await realpath(await temporaryDirectory()), "data");
      await runSkein([name, ...(name === "search" ? ["word"] : [])], { env: { SKEIN_HOME: home } });
      expect(await readdir(home)).toEqual(["transcripts"]);
    },
  );
});
