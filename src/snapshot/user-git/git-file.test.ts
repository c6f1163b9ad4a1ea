import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SkeinError } from "../../core/index.ts";
import {
  readUnfinished,
  isUnfinishedFile,
  UNFINISHED_FILES,
  UNFINISHED_FOLDERS,
  isBranchName,
} from "../../git/index.ts";
import { parseGitFile } from "./git-file.ts";

const HEAD = "a".repeat(40);
const GOOD = { version: 1, head: HEAD, branch: "refs/heads/main", detached: false };

function parse(value: unknown): ReturnType<typeof parseGitFile> {
  return parseGitFile(Buffer.from(JSON.stringify(value)));
}

/** The kind of the error with which it is refused; none where it is read. */
function refusal(value: unknown): string | undefined {
  try {
    parse(value);
    return undefined;
  } catch (error) {
    return error instanceof SkeinError ? error.kind : "untyped";
  }
}

/** What somebody may write in the place of a name, an id or a number. */
const hostile = fc.oneof(
  fc.constantFrom(
    "",
    ".",
    "..",
    "/",
    "../../.bashrc",
    "/etc/passwd",
    "rebase-merge/./../config",
    "rebase-merge/../hooks/pre-commit",
    "rebase-merge/x/../../../../home/.bashrc",
    "rebase-merge/..",
    "rebase-merge/",
    "sequencer//todo",
    "MERGE_HEAD/x",
    "config",
    "hooks/post-checkout",
    "HEAD",
    "index",
    "__proto__",
    "constructor",
    "rebase-merge/evil\0",
    "-x",
    "--exec",
    "refs/heads/../../config",
    "refs/heads/-x/",
    "refs/heads/a\nb",
    "refs/skein/kept/x",
    "HEAD",
    "refs/heads/x.lock",
    "refs/heads/.x",
    "refs/heads/@{1}",
    `${HEAD}\n`,
    HEAD.toUpperCase(),
    `${HEAD}0`,
    "HEAD~1",
    ":/x",
    "a".repeat(5000),
  ),
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.string({
    unit: fc.constantFrom(".", "/", "a", "\n", "\0", "-", "rebase-merge", "MERGE_HEAD", ".."),
    maxLength: 12,
  }),
);

describe("a snapshot's git.json", () => {
  it("is read where git could have left what it says", () => {
    const unfinished = {
      MERGE_HEAD: `${HEAD}\n`,
      "rebase-merge/git-rebase-todo": `pick ${HEAD} x\n# exec in a remark\n`,
    };
    expect(parse({ ...GOOD, unfinished })).toEqual({
      head: HEAD,
      branch: "refs/heads/main",
      detached: false,
      unfinished,
    });
    expect(parse({ version: 1, head: HEAD, detached: true })).toEqual({ head: HEAD, detached: true });
  });

  it("is refused whole for one name of a file that git does not write, whatever it looks like", () => {
    const isRefused = fc.property(hostile, fc.string(), (name, content) => {
      fc.pre(!isUnfinishedFile(name, content) && name !== "__proto__");
      return refusal({ ...GOOD, unfinished: { [name]: content } }) === "policy";
    });
    fc.assert(isRefused, { numRuns: 1000 });
  });

  it("names only files right in `.git`, or right in one of three folders of it", () => {
    const isInPlace = fc.property(hostile, fc.string(), (name, content) => {
      if (!isUnfinishedFile(name, content)) return true;
      const [folder = "", file, ...more] = name.split("/");
      if (file === undefined) return UNFINISHED_FILES.includes(folder);
      return more.length === 0 && UNFINISHED_FOLDERS.includes(folder) && /^[\w-][\w.-]*$/.test(file);
    });
    fc.assert(isInPlace, { numRuns: 1000 });
  });

  it.each(["head", "branch", "version", "detached", "unfinished"])("is refused for a hostile %s", (field) => {
    const value = fc.oneof(hostile, fc.jsonValue(), fc.constantFrom(null, [], {}, -1, 2, { toString: "x" }));
    const isRefusedOrSafe = fc.property(value, (given) => {
      const file = { ...GOOD, [field]: given };
      if (refusal(file) !== undefined) return refusal(file) === "policy";
      const { head = HEAD, branch = "refs/heads/main", unfinished = {} } = parse(file);
      const areSafe = Object.entries(unfinished).every(([name, text]) => isUnfinishedFile(name, text));
      return /^[0-9a-f]{40}$/.test(head) && isBranchName(branch) && areSafe;
    });
    fc.assert(isRefusedOrSafe, { numRuns: 500 });
  });

  it("never holds a branch that git would refuse", () => {
    const isKnownToGit = fc.property(hostile, (end) => {
      const name = `refs/heads/${end}`;
      return !isBranchName(name) || spawnSync("git", ["check-ref-format", name]).status === 0;
    });
    fc.assert(isKnownToGit, { numRuns: 300 });
  });

  it.each([
    ["a shell command in a to-do list", "rebase-merge/git-rebase-todo", `pick ${HEAD}\nexec touch /tmp/owned\n`],
    ["the same in short, behind blanks", "rebase-merge/git-rebase-todo", " \tx touch /tmp/owned\n"],
    ["the same in a list for later", "rebase-merge/git-rebase-todo.backup", "x\ttrue\n"],
    ["a merge strategy out of the workspace", "rebase-merge/strategy", "x/../evil\n"],
    ["the same of a cherry-pick", "sequencer/opts", "[options]\n\tstrategy = x/../evil\n"],
    ["a patch that may leave the work tree", "rebase-apply/apply-opt", " '--unsafe-paths' '--directory=/home'"],
    ["the same in short", "rebase-apply/apply-opt", " '--unsafe'"],
    ["a rebase that ends at no branch", "rebase-merge/head-name", "refs/../../config\n"],
    ["a commit that is none", "MERGE_HEAD", "../../config\n"],
    ["a character that is no byte", "MERGE_MSG", "\u{1F980}"],
  ])("does not hold %s", (_, name, content) => {
    expect(() => parse({ ...GOOD, unfinished: { [name]: content } })).toThrow(
      expect.objectContaining({ kind: "policy" }),
    );
  });

  it.each(["", "{", "null", "[]", "7", '{"version":1}', "\0", "{{{{"])("that is %j is refused", (text) => {
    expect(() => parseGitFile(Buffer.from(text))).toThrow(expect.objectContaining({ kind: "policy" }));
  });

  it.each([
    ["a rebase", ["rebase", "--autostash", "side"]],
    [
      "an interactive rebase",
      ["-c", "sequence.editor=true", "rebase", "-i", "--strategy=ort", "-Xours", "--update-refs", "side~1"],
    ],
    ["a rebase by patches", ["rebase", "--apply", "side"]],
    ["a cherry-pick of several", ["cherry-pick", "--strategy=recursive", "main..side"]],
    ["a revert of several", ["revert", "--no-edit", "HEAD~1", "HEAD~2"]],
    ["a merge", ["merge", "--no-ff", "side"]],
  ])("holds all that the installed git leaves of %s", (_, args) => {
    const root = mkdtempSync(join(tmpdir(), "skein-unfinished-"));
    const git = (...words: readonly string[]): void => {
      const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1", GIT_EDITOR: "true" };
      const who = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
      execFileSync("git", [...who, ...words], { cwd: root, env, stdio: "pipe" });
    };
    const commit = (text: string): void => {
      writeFileSync(join(root, "file"), `${text}\n`);
      git("add", "file");
      git("commit", "-qm", text);
    };
    try {
      git("init", "-q", "-b", "main");
      commit("base");
      git("checkout", "-qb", "side");
      for (const text of ["side one", "side two"]) commit(text);
      git("checkout", "-q", "main");
      for (const text of ["one", "two", "three"]) commit(text);
      expect(() => git(...args)).toThrow();
      const found = readUnfinished(join(root, ".git"));
      const made = new Set(readdirSync(join(root, ".git")));
      const there = [...UNFINISHED_FILES, ...UNFINISHED_FOLDERS].filter((name) => made.has(name));
      expect(there).not.toEqual([]);
      expect(new Set(Object.keys(found ?? {}).map((name) => name.split("/", 1)[0]))).toEqual(new Set(there));
      expect(parse({ ...GOOD, unfinished: found }).unfinished).toEqual(found);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
});
