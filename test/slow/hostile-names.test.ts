import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readEnvelope } from "../cli/support/skein.ts";
import { tracedWorkspace } from "../cli/support/traced-workspace.ts";

const SLOW = { timeout: 900_000 } as const;

/** Names that are options of git or of a shell, paths that lead away, or nothing that a name can be. */
const NAMES = [
  "--upload-pack=touch MARK",
  "--receive-pack=touch MARK",
  "--output=MARK",
  "-c",
  "-uMARK",
  "-",
  "ext::sh -c touch% MARK",
  "$(touch MARK)",
  ";touch MARK",
  "../../MARK",
  "refs/heads/../MARK",
  "@{-1}",
  "HEAD",
  "a\nb",
  "a\u001b[2Jb",
  "a\u007f\u009bb",
  "x".repeat(5000),
  "__proto__",
  "constructor",
  ".git/config",
  "a..b",
  "a.lock",
];

const COMMANDS: readonly (readonly string[])[] = [
  ["show", "--"],
  ["diff", "--"],
  ["restore", "--"],
  ["branch", "--"],
  ["checkpoint", "--"],
  ["push", "--"],
  ["pull", "--"],
  ["load", "--"],
  ["session", "--"],
  ["load-session", "--"],
  ["delete-session", "--"],
  ["deep-link-mode", "--"],
];

describe.each(COMMANDS)("%s", (...command) => {
  it("takes no name for an option, a path or a command", SLOW, async () => {
    const workspace = await tracedWorkspace();
    await writeFile(join(workspace.cwd, "a.txt"), "one");
    await workspace.skein("checkpoint", "first");
    for (const name of NAMES) {
      const [verb = "", ...rest] = command;
      const { code, stdout, stderr } = await workspace.skein(verb, "--output-format", "json", ...rest, name);
      expect([name, code, readEnvelope(stdout)["exit_code"]]).toEqual([name, code, code]);
      expect([name, /\n {4}at /u.test(stdout + stderr)]).toEqual([name, false]);
    }
    expect(await readdir(workspace.cwd)).toEqual(["a.txt"]);
    expect(await readdir(join(workspace.cwd, ".."))).not.toContain("MARK");
  });
});

it("files with such names are captured, shown and brought back", SLOW, async () => {
  const workspace = await tracedWorkspace();
  const names = NAMES.filter((name) => !name.includes("/") && name.length < 200);
  for (const name of names) await writeFile(join(workspace.cwd, name), "one");
  await workspace.data("checkpoint", "first");
  for (const name of names) await writeFile(join(workspace.cwd, name), "two");
  const { changes } = await workspace.data<{ changes: { path: string }[] }>("diff", "first");
  expect(changes.map(({ path }) => path).toSorted()).toEqual(names.toSorted());
  await workspace.data("restore", "first", "--yes");
  expect((await workspace.data<{ changes: unknown[] }>("diff", "first")).changes).toEqual([]);
});
