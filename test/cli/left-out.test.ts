import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { status } from "../../src/cli/commands/states/status.ts";
import { tracedWorkspace } from "./support/traced-workspace.ts";

it("says once what the built-in rules leave out, and status lists it whenever it is asked", async () => {
  const { cwd, data, skein } = await tracedWorkspace();
  await writeFile(join(cwd, ".env"), "KEY=1\n");
  await writeFile(join(cwd, "a.txt"), "one\n");
  await mkdir(join(cwd, "node_modules/x"), { recursive: true });
  const first = await skein("checkpoint", "one");
  expect(first.stderr).toBe(
    "Not recorded, by built-in rules for secrets and heavy folders: .env, node_modules. " +
      "skein status lists them; to record one, use --include or a line such as !.env in .skeinignore.\n",
  );
  expect((await skein("checkpoint", "two")).stderr).toBe("");
  await writeFile(join(cwd, "server.key"), "secret\n");
  await writeFile(join(cwd, "a.txt"), "1\n");
  expect((await skein("checkpoint", "three")).stderr).toContain("heavy folders: server.key. ");

  await writeFile(join(cwd, "a.txt"), "two\n");
  expect(status.data.parse(await data("status"))).toMatchObject({
    files: { created: [], modified: ["a.txt"], deleted: [], renamed: [] },
    left_out: [
      { path: ".env", reason: "secret", size_bytes: 6 },
      { path: "node_modules", reason: "heavy", size_bytes: 0 },
      { path: "server.key", reason: "secret", size_bytes: 7 },
    ],
  });
  const shown = (await skein("status")).stdout;
  const plain = shown
    .replace(/At [\da-f]{12}/u, "At {id}")
    .replace(cwd, "{cwd}")
    .replace(/Recorded {2}[\d :-]+/u, "Recorded  {time}")
    .replace(/conversation [\da-f-]{36}/u, "conversation {id}");
  expect(plain).toBe(`At {id}  Files changed outside a turn

  Folder    {cwd}
  Recorded  {time}
  Goes on   --continue, conversation {id}
  Since     ~ a.txt
  Today     0 turns · $0.00
  Left out  .env  (a secret, by a built-in rule)
            node_modules  (heavy and easy to recreate, by a built-in rule)
            server.key  (a secret, by a built-in rule)
`);
});

it("says what a turn did to a file over the limit, and undo neither brings it back nor deletes it", async () => {
  const { cwd, data, turn, error } = await tracedWorkspace();
  for (const name of ["gone.bin", "small.bin"]) await writeFile(join(cwd, name), "x".repeat(2000));
  const limit = ["--size-limit", "1kB"];
  const command = "rm gone.bin && echo small > small.bin";
  const unheld = [
    { path: "gone.bin", reason: "too-large", size_bytes: 2000, change: "gone" },
    { path: "small.bin", reason: "too-large", size_bytes: 2000, change: "replaced" },
  ];
  expect(await turn(`Bash ${JSON.stringify({ command })}`, ...limit)).toMatchObject({
    files: { created: [], modified: [], deleted: [] },
    unheld,
  });
  // Nor is the folder that the CLI's sandbox makes a part of either.
  expect(await data("undo", ...limit)).toMatchObject({
    files: { created: [], modified: [], deleted: [], renamed: [] },
    kept: ["small.bin"],
    unheld,
  });
  expect(await readFile(join(cwd, "small.bin"), "utf8")).toBe("small\n");
  expect(await error("status", "--size-limit", "much")).toMatchObject({ kind: "usage" });
});
