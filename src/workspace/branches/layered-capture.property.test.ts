import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import type { SkeinError } from "../../core/index.ts";
import { createGitSnapshotStore } from "../../snapshot/index.ts";
import { detectBranchKind } from "./detect-branch-kind.ts";
import { Workspace } from "../workspace.ts";

const name = fc.constantFrom("a", "b", "c d", "x.log", "node_modules", "\u00fc");
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("/"));
const text = fc.oneof(fc.string({ maxLength: 8 }), fc.constant("line\n".repeat(40)));
const rules = fc.constantFrom("", "*.log\n", "node_modules\n", "a\n", "*\n!b\n!.*ignore\n", "b/\n", "!x.log\n");
const edit = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("write" as const), path, text }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("remove" as const), path }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("move" as const), path, to: path }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("again" as const), path, text }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("folder" as const), path }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("link" as const), path, to: fc.constantFrom("a", "..", "/") }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("mode" as const), path, mode: fc.constantFrom(0o600, 0o755, 0o711) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("touch" as const), path }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("rules" as const),
      path: fc.constantFrom(".gitignore", ".skeinignore", "a/.gitignore", "b/.skeinignore", "a/b/.gitignore"),
      text: rules,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("track" as const), path }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("commit" as const), path }) },
);
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;

/** Root can have both kinds of overlay. */
const probe = mkdtempSync(join(tmpdir(), "skein-layered-probe-"));
const { kind: best } = await detectBranchKind({ home: probe, gitDirectory: probe });
rmSync(probe, { recursive: true });

it.runIf(best !== "copy")(
  "of an overlay's upper folder finds what a capture of everything finds, after any edits",
  async () => {
    const kinds = fc.constantFrom(best, "private-overlay" as const);
    const edits = (most: number): fc.Arbitrary<Edit[]> => fc.array(edit, { maxLength: most });
    await fc.assert(
      fc.asyncProperty(
        kinds,
        edits(30),
        fc.array(edits(10), { minLength: 1, maxLength: 3 }),
        async (kind, making, rounds) => {
          const root = mkdtempSync(join(tmpdir(), "skein-layered-"));
          const directory = join(root, "workspace");
          mkdirSync(directory);
          git(directory, (argv) => argv, "init", "--quiet");
          git(directory, (argv) => argv, "commit", "--quiet", "--allow-empty", "--message", "first");
          try {
            for (const step of making) apply(directory, step);
            const options = { home: join(root, "home"), branches: { kind } };
            await using workspace = await Workspace.open(directory, options);
            const state = await record(workspace);
            await using branch = await workspace.branch(state.id);
            expect((await branch.snapshot()).id).toBe(state.snapshotId);
            for (const round of rounds) {
              for (const step of round) apply(branch.view, step, (argv) => branch.enter(argv));
              const taken = await branch.snapshot();
              const { id, leftOut } = await fresh(root, branch.path);
              expect([taken.id, taken.leftOut]).toEqual([id, leftOut]);
            }
            // What was ignored stays, so that the state itself need not come of it; where it is in the way, nothing is changed.
            const { id: before } = await branch.snapshot();
            const ended = await branch.restore(state.id).then(
              () => "restored",
              (error: SkeinError) => error.kind,
            );
            expect(["restored", "filesystem"]).toContain(ended);
            const { id: after } = await branch.snapshot();
            expect(after).toBe(ended === "restored" ? (await fresh(root, branch.path)).id : before);
          } finally {
            rmSync(root, { recursive: true, force: true });
          }
        },
      ),
      { numRuns: propertyRuns({ few: 4, all: 25 }) },
    );
  },
  600_000,
);

/** A capture by a store that remembers nothing. */
async function fresh(
  root: string,
  directory: string,
): Promise<{ readonly id: string; readonly leftOut: readonly unknown[] }> {
  const home = mkdtempSync(join(root, "home-"));
  await using store = await createGitSnapshotStore({ workspace: directory, home });
  return await store.capture(directory);
}

async function record(workspace: Workspace): Promise<{ readonly id: string; readonly snapshotId: string }> {
  const { id: snapshotId } = await workspace.snapshot();
  const files = new Map([["state.json", "{}"]]);
  const state = { snapshotId, files, session: new Map(), message: "recorded", recordedAtMs: 0 };
  return { id: (await workspace.states.write(state)).id, snapshotId };
}

function apply(directory: string, step: Edit, enter: Enter = (argv) => argv): void {
  const at = join(directory, step.path);
  try {
    switch (step.do) {
      case "write":
      case "rules":
        mkdirSync(dirname(at), { recursive: true });
        if (!isLink(at)) writeFileSync(at, step.text);
        return;
      case "remove":
        return rmSync(at, { recursive: true });
      case "move":
        if (existsSync(join(directory, step.to))) return;
        cpSync(at, join(directory, step.to), { recursive: true, verbatimSymlinks: true });
        return rmSync(at, { recursive: true });
      case "again":
        rmSync(at, { recursive: true });
        mkdirSync(at);
        return writeFileSync(join(at, "a"), step.text);
      case "folder":
        return void mkdirSync(at, { recursive: true });
      case "link":
        return symlinkSync(step.to, at);
      case "mode":
        return isLink(at) ? undefined : chmodSync(at, step.mode);
      case "touch":
        return isLink(at) ? undefined : utimesSync(at, new Date(), new Date());
      case "track":
        return git(directory, enter, "add", "--force", "--", step.path);
      case "commit":
        git(directory, enter, "add", "--all");
        return git(directory, enter, "commit", "--quiet", "--message", "all");
    }
  } catch {
    // The step does not fit the tree: a file in a folder's place, nothing to remove, and the like.
  }
}

function isLink(at: string): boolean {
  return lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

type Enter = (argv: readonly string[]) => readonly string[];

function git(cwd: string, enter: Enter, ...args: string[]): void {
  const who = ["-c", "user.name=Ada", "-c", "user.email=ada@localhost"];
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null" };
  const [command = "", ...rest] = enter(["git", ...who, ...args]);
  execFileSync(command, rest, { cwd, env, stdio: "ignore" });
}
