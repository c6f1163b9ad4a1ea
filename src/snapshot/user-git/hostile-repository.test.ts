import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { formatIndex } from "../../git/index.ts";
import { createGitSnapshotStore } from "../git-snapshot-store.ts";
import type { SnapshotStore } from "../snapshot-store.ts";

let root: string;
let directory: string;
let branch: string;
let store: SnapshotStore;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "skein-hostile-repository-"));
  directory = join(root, "workspace");
  branch = join(root, "branch");
  mkdirSync(directory);
  store = await createGitSnapshotStore({ workspace: directory, home: join(root, "home") });
  git("init", "--quiet", "--initial-branch=main");
  git("config", "user.name", "Ada");
  git("config", "user.email", "ada@localhost");
  writeFileSync(join(directory, "a"), "one\n");
  git("add", "a");
  git("commit", "--quiet", "--message", "one");
});

afterEach(async () => {
  await store.close();
  rmSync(root, { recursive: true, force: true });
});

describe("a hostile repository", () => {
  it("has none of its programs run, and no other place written to, when it is captured, restored or lent", async () => {
    const marker = join(root, "marker");
    const outside = join(root, "outside");
    mkdirSync(outside);
    const script = join(root, "run.sh");
    writeFileSync(script, `#!/bin/sh\necho "$0 $*" >> ${marker}\ncat\n`);
    chmodSync(script, 0o755);
    writeFileSync(join(root, "included"), `[core]\n\tfsmonitor = ${script}\n[user]\n\tname = Mallory\n`);
    writeFileSync(join(directory, ".gitattributes"), "* filter=evil diff=evil\n");
    mkdirSync(join(directory, ".git/hooks"), { recursive: true });
    for (const hook of ["post-checkout", "post-index-change", "reference-transaction"]) {
      symlinkSync(script, join(directory, ".git/hooks", hook));
    }
    for (const [name, value] of [
      ["core.worktree", outside],
      ["core.fsmonitor", script],
      ["core.sshCommand", script],
      ["core.gitProxy", script],
      ["core.pager", script],
      ["filter.evil.clean", script],
      ["filter.evil.smudge", script],
      ["filter.evil.process", script],
      ["diff.evil.textconv", script],
      ["include.path", join(root, "included")],
      ["remote.evil.url", `ext::${script} %S`],
      ["remote.evil.promisor", "true"],
      ["url.ext::sh.insteadOf", "https://"],
      ["credential.helper", `!${script}`],
      ["core.repositoryFormatVersion", "1"],
      ["extensions.partialClone", "evil"],
      ["extensions.worktreeConfig", "true"],
    ] as const) {
      execFileSync("git", ["config", "--file", join(directory, ".git/config"), "--add", name, value]);
    }
    const first = await store.capture(directory);
    expect(first.git).toMatchObject({ branch: "refs/heads/main" });
    writeFileSync(join(directory, "a"), "two\n");
    writeFileSync(join(directory, ".git/HEAD"), "ref: refs/heads/other\n");
    rmSync(join(directory, ".git/index"));
    expect((await store.restore(first.id, directory)).git).toBe("restored");
    expect(await store.materialise(first.id, branch)).toEqual({ git: "restored" });
    expect((await store.capture(branch)).id).toBe(first.id);
    // A commit that is not there: a partial clone would have it fetched, by a program that its settings name.
    writeFileSync(join(directory, ".git/refs/heads/main"), `${"1".repeat(40)}\n`);
    const gone = await store.capture(directory);
    expect(await store.materialise(gone.id, join(root, "second"))).toEqual({ git: "absent" });
    expect(existsSync(marker)).toBe(false);
    expect(readdirSync(outside)).toEqual([]);
    const settings = readFileSync(join(branch, ".git/config"), "utf8");
    expect(settings).not.toMatch(/evil|run\.sh|Mallory|worktree|extensions/);
    expect(existsSync(join(branch, ".git/hooks"))).toBe(false);
  });

  it("cannot name a path outside by its index", async () => {
    const oid = git("rev-parse", "HEAD:a").trim();
    const evil = [
      "../escaped",
      "/absolute",
      ".git/hooks/post-checkout",
      "a/../../b",
      "deep/.GIT/config",
      "x//y",
      "./z",
    ];
    const entries = [...evil, "a"].toSorted().map((path) => ({ letter: "H", mode: "100644", oid, stage: "0", path }));
    writeFileSync(join(directory, ".git/index"), formatIndex(entries));
    const { id } = await store.capture(directory);
    await store.materialise(id, branch);
    expect(gitIn(branch, "ls-files")).toBe("a\n");
    expect((await store.capture(branch)).id).toBe(id);
    rmSync(join(directory, ".git/index"));
    await store.restore(id, directory);
    expect(git("ls-files")).toBe("a\n");
    expect(existsSync(join(root, "escaped"))).toBe(false);
    expect(existsSync(join(branch, ".git/hooks"))).toBe(false);
  });

  it("is passed over where its HEAD is a link, or its branch a link, a pipe or huge", async () => {
    const refs = join(directory, ".git/refs/heads/main");
    const original = readFileSync(refs);
    const makers = [
      () => symlinkSync(join(root, "elsewhere"), refs),
      () => execFileSync("mkfifo", [refs]),
      () => {
        writeFileSync(refs, "");
        truncateSync(refs, 2 ** 36);
      },
    ];
    for (const make of makers) {
      rmSync(refs, { force: true });
      make();
      expect(await store.capture(directory)).not.toHaveProperty("git");
    }
    rmSync(refs);
    writeFileSync(refs, original);
    rmSync(join(directory, ".git/HEAD"));
    symlinkSync("refs/heads/main", join(directory, ".git/HEAD"));
    expect(await store.capture(directory)).not.toHaveProperty("git");
  });

  it("cannot make a restore write through a link, or wait at a pipe", async () => {
    const outside = join(root, "outside");
    mkdirSync(outside);
    const { id } = await store.capture(directory);
    writeFileSync(join(directory, "a"), "two\n");
    git("commit", "--quiet", "--all", "--message", "two");
    const two = git("rev-parse", "HEAD");
    const log = readFileSync(join(directory, ".git/logs/HEAD"));
    for (const path of [".git/index.lock", ".git/logs/HEAD", ".git/refs/skein", ".git/refs/heads/main.lock"]) {
      for (const make of [
        symlinkSync.bind(undefined, join(outside, "file")),
        (at: string) => execFileSync("mkfifo", [at]),
      ]) {
        rmSync(join(directory, path), { force: true });
        make(join(directory, path));
        await expect(store.restore(id, directory)).rejects.toMatchObject({ kind: "filesystem" });
        expect([git("rev-parse", "main"), readFileSync(join(directory, "a"), "utf8")]).toEqual([two, "two\n"]);
        rmSync(join(directory, path));
      }
    }
    writeFileSync(join(directory, ".git/logs/HEAD"), log);
    for (const name of ["rebase-merge", "sequencer"]) symlinkSync(outside, join(directory, ".git", name));
    symlinkSync(join(outside, "file"), join(directory, ".git/MERGE_HEAD"));
    await store.restore(id, directory);
    expect(readdirSync(outside)).toEqual([]);
  });

  it("cannot have another's objects taken into a snapshot by links or alternates", async () => {
    const victim = join(root, "victim");
    mkdirSync(victim);
    gitIn(victim, "init", "--quiet");
    writeFileSync(join(victim, "secret"), "secret\n");
    const oid = gitIn(victim, "hash-object", "-w", "secret").trim();
    const own = join(directory, ".git/objects");
    const entry = { letter: "H", mode: "100644", oid, stage: "0", path: "secret" };
    writeFileSync(join(directory, ".git/index"), formatIndex([entry]));
    const held = join(root, "home/workspaces");
    const hasSecret = (): boolean => {
      const [key = ""] = readdirSync(held);
      return existsSync(join(held, key, "store.git/objects", oid.slice(0, 2), oid.slice(2)));
    };
    mkdirSync(join(own, "info"), { recursive: true });
    writeFileSync(join(own, "info/alternates"), `${join(victim, ".git/objects")}\n`);
    await store.capture(directory);
    expect(hasSecret()).toBe(false);
    rmSync(join(own, "info/alternates"));
    symlinkSync(join(victim, ".git/objects", oid.slice(0, 2)), join(own, oid.slice(0, 2)));
    writeFileSync(join(directory, ".git/index"), formatIndex([entry, { ...entry, path: "zz" }]));
    await store.capture(directory);
    expect(hasSecret()).toBe(false);
    rmSync(join(own, oid.slice(0, 2)));
    mkdirSync(join(own, oid.slice(0, 2)));
    execFileSync("mkfifo", [join(own, oid.slice(0, 2), oid.slice(2))]);
    writeFileSync(join(directory, ".git/index"), formatIndex([entry]));
    await store.capture(directory);
    expect(hasSecret()).toBe(false);
  });

  it("cannot poison the store with an object under a wrong name", async () => {
    const wrong = "ce013625030ba8dba906f756967f9e9ca394464a";
    const right = git("rev-parse", "HEAD:a").trim();
    const objects = join(directory, ".git/objects");
    mkdirSync(join(objects, wrong.slice(0, 2)), { recursive: true });
    const bytes = readFileSync(join(objects, right.slice(0, 2), right.slice(2)));
    writeFileSync(join(objects, wrong.slice(0, 2), wrong.slice(2)), bytes);
    const entry = { letter: "H", mode: "100644", oid: wrong, stage: "0", path: "b" };
    writeFileSync(join(directory, ".git/index"), formatIndex([entry]));
    await store.capture(directory);
    writeFileSync(join(directory, "b"), "hello\n");
    const { id } = await store.capture(directory);
    expect((await store.read(id, "b")).toString()).toBe("hello\n");
    expect(await store.verify()).toEqual([]);
  });
});

function git(...args: string[]): string {
  return gitIn(directory, ...args);
}

function gitIn(cwd: string, ...args: string[]): string {
  return execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}
