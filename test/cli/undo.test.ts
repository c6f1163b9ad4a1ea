import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { undo } from "../../src/cli/commands/states/restore-recover.ts";
import { tracedWorkspace, write } from "./support/traced-workspace.ts";

it(
  "takes back what the turn did, keeps what was done since, and refuses where both did",
  { timeout: 180_000 },
  async () => {
    const { cwd, data, skein, error, turn } = await tracedWorkspace();
    const read = (name: string) => readFile(join(cwd, name), "utf8").catch(() => undefined);
    const lines = "1\n2\n3\n4\n5\n6\n7\n";
    for (const name of ["shared.txt", "mine.txt", "same.txt"]) await writeFile(join(cwd, name), lines);
    // What the CLI's sandbox leaves is no matter of this test.
    await writeFile(join(cwd, ".gitignore"), ".claude\n");
    const commands = ["sed -i s/2/two/ shared.txt", "sed -i s/2/two/ same.txt", "echo made > made.txt"];
    const { state_id: turned } = await turn(`Bash ${JSON.stringify({ command: commands.join(" && ") })}`);
    await appendFile(join(cwd, "shared.txt"), "8 by hand\n");
    await appendFile(join(cwd, "mine.txt"), "8 by hand\n");
    await writeFile(join(cwd, ".env"), "KEY=1\n");
    await writeFile(join(cwd, "notes.md"), "by hand\n");
    await writeFile(join(cwd, "same.txt"), lines.replace("2", "zwei"));

    expect(await error("undo")).toEqual({
      kind: "conflict",
      operation: "undo",
      target: "same.txt",
      retryable: false,
      message: "This was changed by the turn and again since: same.txt",
      hint: "Nothing was changed. --merge keeps both, with conflict marks; --discard drops the later changes",
      conflicts: [{ path: "same.txt", why: "content" }],
    });
    expect(await data("undo", "--dry-run", "--discard")).toMatchObject({ dry_run: true, way_back: null });
    expect((await data<{ states: unknown[] }>("log", "--all")).states).toHaveLength(2);

    const { stdout } = await skein("undo", "--discard");
    expect(stdout.replaceAll(/[\da-f]{12}/gu, "{id}")).toBe(`Restored {id}  Start of a conversation

  Files   2 modified · 1 deleted
          ~ same.txt
          ~ shared.txt
          - made.txt
  Kept    mine.txt
          notes.md
  Merged  shared.txt
  Both    same.txt
  Back    skein restore {id}
`);
    expect(await Promise.all(["shared.txt", "mine.txt", "same.txt", "made.txt", "notes.md", ".env"].map(read))).toEqual(
      [`${lines}8 by hand\n`, `${lines}8 by hand\n`, lines, undefined, "by hand\n", "KEY=1\n"],
    );

    const back = /skein restore (\w+)/u.exec(stdout)?.[1] ?? "";
    await data("restore", back, "--yes");
    expect(await read("same.txt")).toBe(lines.replace("2", "zwei"));
    // The state that it came back to is an edit after the turn: the turn is the last one again.
    const again = undo.data.parse(await data("undo", "--merge"));
    expect(again.conflicts).toEqual([{ path: "same.txt", why: "content" }]);
    expect(await read("same.txt")).toContain("<<<<<<< since the turn\nzwei\n");
    expect(turned).not.toBe(again.state_id);
    expect(await error("undo")).toMatchObject({ kind: "state_not_found" });
    await turn(write("last.txt", "last\n"));
    expect(await data("undo")).toMatchObject({ files: { deleted: ["last.txt"] }, kept_since: [] });
  },
);
