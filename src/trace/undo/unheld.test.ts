import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { compareLeftOut } from "../../snapshot/index.ts";
import { Workspace } from "../../workspace/index.ts";
import { recordPresent } from "../record/record-state.ts";
import { findUnheld, type Arrival } from "./restore-state.ts";
import type { State } from "../record/state.ts";
import { undoTurn } from "./undo-turn.ts";

let root: string;
let directory: string;
let workspace: Workspace;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "skein-unheld-"));
  directory = join(root, "app");
  mkdirSync(directory);
  workspace = await Workspace.open(directory, { home: join(root, "home"), sizeLimitBytes: 1000 });
});

afterEach(async () => {
  await workspace.close();
  execFileSync("chmod", ["-R", "u+rwX", root]);
  rmSync(root, { recursive: true, force: true });
});

describe("what no state holds", () => {
  it("is told where it went or was replaced, and neither an undo nor a restore deletes what is in its place", async () => {
    for (const name of ["removed.bin", "shrunk.bin", "changed.bin"]) write(name, "x".repeat(2000));
    execFileSync("mkfifo", [at("pipe")]);
    execFileSync("git", ["init", "-q", at("nested")]);
    write("a.txt", "one\n");
    const { before, undo } = await turn(() => {
      rmSync(at("removed.bin"));
      rmSync(at("pipe"));
      rmSync(at("nested/.git"), { recursive: true });
      write("shrunk.bin", "small now\n");
      write("changed.bin", "y".repeat(2000));
      write("new.bin", "x".repeat(2000));
      write("a.txt", "two\n");
    });
    const unheld = [
      { path: "changed.bin", reason: "too-large", sizeBytes: 2000, change: "changed" },
      { path: "nested/.git", reason: "repository", sizeBytes: 0, change: "gone" },
      { path: "new.bin", reason: "too-large", sizeBytes: 2000, change: "added" },
      { path: "pipe", reason: "special-file", sizeBytes: 0, change: "gone" },
      { path: "removed.bin", reason: "too-large", sizeBytes: 2000, change: "gone" },
      { path: "shrunk.bin", reason: "too-large", sizeBytes: 2000, change: "replaced" },
    ];
    expect(await findUnheld(workspace, before)).toEqual(unheld);
    const undone = await undo();
    expect(undone.unheld).toEqual(unheld);
    expect(undone.kept).toEqual(["shrunk.bin"]);
    expect([read("a.txt"), read("shrunk.bin"), existsSync(at("new.bin"))]).toEqual(["one\n", "small now\n", true]);
    write("a.txt", "three\n");
    const restored = await workspace.restore(before.id);
    expect(restored.kept).toEqual(["shrunk.bin"]);
    expect([read("a.txt"), read("shrunk.bin"), read("changed.bin")]).toEqual([
      "one\n",
      "small now\n",
      "y".repeat(2000),
    ]);
  });

  it("is not deleted because it grew over the limit, and comes back as it was", async () => {
    write("log.txt", "one\n");
    const { before, after, undo } = await turn(() => appendFileSync(at("log.txt"), "x".repeat(2000)));
    const changes = await workspace.diff(before.id, after.id);
    expect(compareLeftOut({ before: before.leftOut, after: after.leftOut, changes })).toEqual({
      changes: [],
      unheld: [{ path: "log.txt", reason: "too-large", sizeBytes: 2004, change: "unheld" }],
    });
    await undo();
    expect(read("log.txt")).toBe("one\n");
  });

  it("is opened by an undo where a turn has closed it: a file and a folder with mode 000", async (test) => {
    if (process.getuid?.() !== 0) test.skip("only root can become another user here");
    for (const path of ["c", "d/e/f"]) write(path, `${path}\n`);
    execFileSync("chown", ["-R", "65534:65534", root]);
    process.seteuid?.(65534);
    try {
      const { before, after, undo } = await turn(() => {
        write("d/e/f", "by the turn\n");
        chmodSync(at("c"), 0);
        chmodSync(at("d/e"), 0);
      });
      const changes = await workspace.diff(before.id, after.id);
      expect(compareLeftOut({ before: before.leftOut, after: after.leftOut, changes }).unheld).toEqual([
        { path: "c", reason: "unreadable", sizeBytes: 2, change: "unheld" },
        { path: "d/e", reason: "unreadable", sizeBytes: 0, change: "unheld" },
      ]);
      const undone = await undo();
      expect(undone.unheld).toEqual([]);
      expect([read("c"), read("d/e/f")]).toEqual(["c\n", "d/e/f\n"]);
      expect(["c", "d/e"].map((path) => lstatSync(at(path)).mode & 0o777)).toEqual([0o644, 0o755]);
      // What the turn had written before it closed the folder is in the snapshot that leads back.
      expect((await workspace.snapshots.read(undone.undo, "d/e/f")).toString()).toBe("by the turn\n");
    } finally {
      process.seteuid?.(0);
    }
  });
});

/** Records the files, works, and records them again; gives what takes the work back. */
async function turn(
  work: () => void,
): Promise<{ readonly before: State; readonly after: State; undo(): Promise<Arrival> }> {
  const before = await recordPresent(workspace);
  work();
  const after = await recordPresent(workspace);
  return { before, after, undo: () => undoTurn(workspace, { before: before.id, after: after.id }) };
}

function at(path: string): string {
  return join(directory, path);
}

function read(path: string): string {
  return readFileSync(at(path), "utf8");
}

function write(path: string, content: string): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), content);
}
