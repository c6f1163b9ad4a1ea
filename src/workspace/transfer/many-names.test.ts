import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createForge, type Forge } from "../../../test/support/forge-bundle.ts";
import { Workspace } from "../workspace.ts";
import { pullStates } from "./transfer.ts";

let root: string;
let workspace: Workspace;
let forge: Forge;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "skein-names-"));
  workspace = await Workspace.open(join(root, "workspace"), { home: join(root, "home") });
  forge = createForge();
});

afterEach(async () => {
  await workspace.close();
  await rm(root, { recursive: true, force: true });
});

it("a pull of twenty conversations starts as many processes as one of two, new or known", async () => {
  const count = async (conversations: number): Promise<readonly number[]> => {
    const remote = await makeRemote(`remote-${conversations}`, conversations);
    await using other = await Workspace.open(join(root, `other-${conversations}`), { home: join(root, "home") });
    const pull = (): Promise<unknown> => pullStates(other, remote);
    const first = await countGit(pull);
    expect((await other.states.conversations()).size).toBe(conversations);
    return [first, await countGit(pull)];
  };
  expect(await count(20)).toEqual(await count(2));
});

async function makeRemote(name: string, conversations: number): Promise<string> {
  const remote = join(root, `${name}.git`);
  execFileSync("git", ["init", "--quiet", "--bare", remote]);
  const tips = Array.from({ length: conversations }, (_, at) => {
    const first = forge.state({ parts: { "state.json": `{"at":${at}}` } });
    return [`refs/skein/conversations/c${at}`, forge.state({ parent: first })] as const;
  });
  const bundle = join(root, "made.bundle");
  await writeFile(bundle, forge.bundle(Object.fromEntries(tips)));
  execFileSync("git", [`--git-dir=${remote}`, "fetch", "--quiet", bundle, "refs/skein/*:refs/skein/*"]);
  return remote;
}

/** How often Skein starts git: by a git before the real one, which writes a line each time. */
async function countGit(work: () => Promise<unknown>): Promise<number> {
  const [folder, log] = [join(root, "bin"), join(root, "started")];
  await mkdir(folder, { recursive: true });
  const git = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  await writeFile(join(folder, "git"), `#!/bin/sh\necho started >> '${log}'\nexec '${git}' "$@"\n`);
  await chmod(join(folder, "git"), 0o755);
  await writeFile(log, "");
  const path = process.env["PATH"];
  process.env["PATH"] = `${folder}:${path}`;
  try {
    await work();
  } finally {
    process.env["PATH"] = path;
  }
  return (await readFile(log, "utf8")).split("\n").length - 1;
}
