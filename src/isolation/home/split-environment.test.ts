import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createPrivateHome, type PrivateHome } from "./private-home.ts";
import { splitEnvironment } from "./split-environment.ts";

const run = promisify(execFile);

let folder: string;
let cwd: string;
let home: PrivateHome;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "skein-split-")));
  cwd = join(folder, "it's work");
  await mkdir(join(cwd, "bin"), { recursive: true });
  await mkdir(join(folder, "tools"));
  await symlink(join(cwd, "bin"), join(folder, "link"));
  home = await createPrivateHome(folder);
});

afterEach(async () => {
  await home[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

test("the CLI's path leads to no folder that the agent may write, behind links neither, nor to one that is not there", async () => {
  const given = [
    join(cwd, "bin"),
    "bin",
    "",
    join(folder, "link"),
    join(folder, "gone"),
    join(folder, "tools"),
    "/usr/bin",
  ];
  const { PATH } = await splitEnvironment(home, { path: given.join(delimiter), writable: [cwd] });
  expect(PATH?.split(delimiter)).toEqual([home.programs, join(folder, "tools"), "/usr/bin"]);
});

test("git refuses on that path, and commands get the agent's home and the whole path back", async () => {
  const path = `${join(cwd, "bin")}${delimiter}/usr/bin${delimiter}/bin`;
  const variables = await splitEnvironment(home, { path, writable: [cwd] });
  const env = { ...home.variables, ...variables };
  await expect(run("git", ["--version"], { env })).rejects.toMatchObject({
    code: 128,
    stderr: "fatal: git does not run outside the sandbox\n",
  });
  const script = await readFile(variables["CLAUDE_ENV_FILE"] ?? "", "utf8");
  const { stdout } = await run("/bin/sh", ["-c", `${script}\nprintf '%s|%s' "$HOME" "$PATH"`], { env });
  expect(stdout).toBe(`${home.home}|${path}`);
  expect(env.HOME).toBe(home.cliHome);
});

test("a home is refused in a folder that the agent may write: it could be replaced as a whole", async () => {
  await expect(splitEnvironment(home, { path: "/usr/bin", writable: [cwd, folder] })).rejects.toMatchObject({
    kind: "usage",
    target: folder,
  });
});
