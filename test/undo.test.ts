import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadScenario } from "../src/offline/index.ts";
import { startOfflineAgent, type OfflineAgent } from "../src/testing/index.ts";
import { Conversation } from "../src/trace/index.ts";
import { Workspace } from "../src/workspace/index.ts";
import { bash, write } from "./support/direct-script.ts";

const run = promisify(execFile);

let home: string;
let agent: OfflineAgent;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "skein-undo-"));
  agent = await startOfflineAgent(await loadScenario("direct"), { allowedTools: ["Bash"] });
});

afterEach(async () => {
  await agent.close();
  await rm(home, { recursive: true, force: true });
});

test("a turn that writes, deletes, renames, commits and changes branch is undone completely", async () => {
  await makeProject(agent.cwd);
  await using workspace = await Workspace.open(agent.cwd, { home });
  await using conversation = await Conversation.start(workspace, { engine: agent.engine });
  await conversation.send(bash("echo remembered > note.txt"));
  const before = await picture(agent.cwd);

  const turn = await conversation.send(
    [
      write("src/new.txt", "by Write\n"),
      bash("sed -i s/one/ONE/ src/one.txt && rm src/two.txt && mv src/three.txt src/moved.txt"),
      bash("chmod 700 run.sh && ln -s src/one.txt link && rm -rf docs && mkdir -p empty/deep"),
      bash(
        "git add -A && git commit -qm 'FORGETTHIS commit' && git checkout -qb elsewhere && echo staged > staged.txt",
      ),
      bash("git add staged.txt && echo KEY=changed-by-the-agent > .env.example && echo gone > .gitignore.bak"),
    ].join("\n"),
  );
  expect(turn.execution).toMatchObject({ outcome: "completed" });
  expect(turn.hasToolErrors()).toBe(false);
  expect(await picture(agent.cwd)).not.toEqual(before);

  await using again = await conversation.undo();

  expect(await picture(agent.cwd)).toEqual(before);
  expect(await readFile(join(agent.cwd, ".env"), "utf8")).toBe("KEY=secret\n");
  expect(await readFile(join(agent.cwd, "node_modules/dep/index.js"), "utf8")).toBe("module.exports = 1;\n");
  agent.forget();
  await again.send(bash("cat note.txt"));
  const sent = JSON.stringify(agent.requests);
  expect(sent).not.toContain("FORGETTHIS");
  expect(sent).toContain("echo remembered");
  expect((await run("git", ["fsck", "--no-dangling"], { cwd: agent.cwd })).stderr).toBe("");
});

async function makeProject(directory: string): Promise<void> {
  const git = (...args: string[]) => run("git", args, { cwd: directory });
  await mkdir(join(directory, "src"));
  await mkdir(join(directory, "docs"));
  await mkdir(join(directory, "node_modules/dep"), { recursive: true });
  const files = {
    "src/one.txt": "one\n",
    "src/two.txt": "two\n",
    "src/three.txt": "three\nthree\nthree\n",
    "docs/page.md": "# Page\n",
    "run.sh": "#!/bin/sh\n",
    ".gitignore": ".env\nnode_modules/\n",
    ".env": "KEY=secret\n",
    "node_modules/dep/index.js": "module.exports = 1;\n",
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(directory, name), content);
  await git("init", "-q", "-b", "main");
  await git("config", "user.name", "A Person");
  await git("config", "user.email", "person@example.com");
  await git("add", ".");
  await git("commit", "-qm", "first");
  await writeFile(join(directory, "src/two.txt"), "two, staged\n");
  await git("add", "src/two.txt");
  await writeFile(join(directory, "untracked.txt"), "untracked\n");
}

/** Everything that an undo must bring back: each file with its mode and content, links, HEAD, branch and index. */
async function picture(directory: string): Promise<unknown> {
  const files: Record<string, string> = {};
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (path.startsWith(join(directory, ".git/"))) continue;
    const stats = await lstat(path);
    const mode = (stats.mode & 0o7777).toString(8);
    if (stats.isSymbolicLink()) files[path] = `link ${await readlink(path)}`;
    else if (stats.isFile())
      files[path] = `${mode} ${createHash("sha256")
        .update(await readFile(path))
        .digest("hex")}`;
    else files[path] = `folder ${mode}`;
  }
  const git = async (...args: string[]) => (await run("git", args, { cwd: directory })).stdout;
  return {
    files,
    head: await git("rev-parse", "HEAD"),
    branch: await git("symbolic-ref", "HEAD"),
    index: await git("ls-files", "--stage"),
    status: await git("status", "--porcelain=v2"),
  };
}
