import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { verifyWorkspace } from "../../src/trace/index.ts";
import { Workspace } from "../../src/workspace/index.ts";
import { readEnvelope, startSkein, temporaryDirectory } from "./support/skein.ts";

const FOLDERS = 60;
const FILES = 100;

it("a checkpoint and a run that are interrupted while they capture very many files end before they have them all, and leave nothing", async () => {
  const cwd = await temporaryDirectory();
  for (let folder = 0; folder < FOLDERS; folder += 1) {
    mkdirSync(join(cwd, `d${folder}`));
    for (let file = 0; file < FILES; file += 1) writeFileSync(join(cwd, `d${folder}/f${file}`), `${folder} ${file}`);
  }
  for (const command of ["checkpoint x", "run hi --offline direct"]) {
    const home = join(await temporaryDirectory(), "skein");
    const place = { cwd, env: { SKEIN_HOME: home } };
    const { child, finished } = await startSkein([...command.split(" "), "--output-format", "json"], place);
    // Git's half pack is there from the first thousand files on, and gone when all are in the store.
    const isHalf = (): boolean => below(home).some((path) => /objects\/pack\/tmp_pack_/u.test(path));
    await vi.waitFor(() => expect(isHalf()).toBe(true), { interval: 2, timeout: 30_000 });
    child.kill("SIGINT");
    const { code, stdout } = await finished;
    expect([code, readEnvelope(stdout)["error"]]).toMatchObject([1, { kind: "cancelled" }]);

    const remains = /tmp_|\.lock$|refs\/skein\/.*\/|\.pack$|journals\/|temporary\/|writers\//u;
    expect(below(home).filter((path) => remains.test(path))).toEqual([]);
    await using workspace = await Workspace.open(cwd, { home });
    expect(await workspace.states.tips()).toEqual(new Map());
    expect((await verifyWorkspace(workspace)).problems).toEqual([]);
  }
}, 60_000);

function below(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" });
  } catch {
    // It is not there yet, or a file went away while it was listed.
    return [];
  }
}
