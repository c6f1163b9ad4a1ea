import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createForge, type Forge, type ForgedState } from "../../../test/support/forge-bundle.ts";
import { Workspace } from "../workspace.ts";
import { hideCredentials } from "./remote-address.ts";
import { loadConversations, saveConversation } from "./saved-conversation.ts";
import { pullStates, pushStates } from "./transfer.ts";

let root: string;
let workspace: Workspace;
let forge: Forge;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "skein-transfer-"));
  workspace = await Workspace.open(join(root, "workspace"), { home: join(root, "home") });
  forge = createForge();
});

afterEach(async () => {
  await workspace.close();
  await rm(root, { recursive: true, force: true });
});

const CONVERSATION = "refs/skein/conversations/forged";

async function load(refs: Readonly<Record<string, string>>): Promise<unknown> {
  const file = join(root, "forged.bundle");
  await writeFile(file, forge.bundle(refs));
  return await loadConversations(workspace, file);
}

describe("a file from somebody else", () => {
  it("is taken in where it is what Skein writes", async () => {
    const first = forge.state();
    const tip = forge.state({ parent: first });
    expect(await load({ [CONVERSATION]: tip })).toEqual(new Map([["forged", tip]]));
    expect(await workspace.states.conversations()).toEqual(new Map([["forged", tip]]));
  });

  it.each<[string, (made: Forge) => ForgedState]>([
    ["a part that no state has", () => ({ parts: { "evil.sh": "x" } })],
    ["no state.json", () => ({ parts: { "state.json": null } })],
    ["no files.meta", () => ({ parts: { "files.meta": null } })],
    [
      "an unfinished rebase that writes elsewhere",
      () => ({ parts: { "git.json": gitFile("rebase-merge/../config") } }),
    ],
    ["a git.json that is none", () => ({ parts: { "git.json": "{" } })],
    ["an index into .git", () => ({ parts: { "git-index": `H 100644 ${"a".repeat(40)} 0\t.git/config\0` } })],
    [
      "a path out of the workspace in files.meta",
      () => ({ parts: { "files.meta": "skein-files 1 f644 x755 d755\x00600 ../x\0" } }),
    ],
    ["files that are a file", (made) => ({ parts: { files: { mode: "40000", oid: made.add("blob", "x") } } })],
    ["files under a link", (made) => ({ parts: { files: { mode: "120000", oid: made.add("blob", "/etc") } } })],
    ["a submodule", (made) => ({ parts: files(made, [["160000", "sub", "a".repeat(40)]]) })],
    [
      "a name twice",
      (made) => ({
        parts: files(made, [
          ["120000", "a", made.add("blob", "/")],
          ["100644", "a", made.add("blob", "x")],
        ]),
      }),
    ],
    ["a name with a slash", (made) => ({ parts: files(made, [["100644", "a/b", made.add("blob", "x")]]) })],
    ["a link that leads nowhere", (made) => ({ parts: files(made, [["120000", "a", made.add("blob", "x\0y")]]) })],
    [
      "git's folder under an unseen character",
      (made) => ({ parts: files(made, [["40000", ".g\u200cit", made.tree([])]]) }),
    ],
    ["ten thousand million files in a few trees", (made) => ({ parts: { files: { mode: "40000", oid: bomb(made) } } })],
    ["a thousand folders within folders", (made) => ({ parts: { files: { mode: "40000", oid: shaft(made, 1000) } } })],
  ])("is refused for %s, and leaves nothing behind", async (_, make) => {
    const kind = expect.stringMatching(/^(?:policy|parse)$/u);
    await expect(load({ [CONVERSATION]: forge.state(make(forge)) })).rejects.toMatchObject({ kind });
    expect(await workspace.states.conversations()).toEqual(new Map());
    expect(await readdir(join(workspace.home, "temporary"))).toEqual([]);
    await workspace.snapshot();
  });

  it("is refused for a name that could be taken for another", async () => {
    const names = ["d218705ebbc8", "-x", "a.lock", "x..y", "\u202eevil"];
    const kinds = [];
    for (const name of names) {
      const loaded = load({ [`refs/skein/conversations/${name}`]: forge.state() });
      kinds.push(
        await loaded.then(
          () => "taken",
          (error: { kind: string }) => error.kind,
        ),
      );
    }
    expect(kinds.filter((kind) => kind === "taken")).toEqual([]);
    expect(await workspace.states.conversations()).toEqual(new Map());
  });

  it.each([
    ["no bundle", Buffer.from("x")],
    ["nothing", Buffer.alloc(0)],
    ["half of one", undefined],
  ])("that is %s is refused by its kind", async (_, content) => {
    const whole = forge.bundle({ [CONVERSATION]: forge.state() });
    const file = join(root, "half.bundle");
    await writeFile(file, content ?? whole.subarray(0, whole.length - 30));
    await expect(loadConversations(workspace, file)).rejects.toMatchObject({ kind: "parse" });
    await expect(loadConversations(workspace, root)).rejects.toMatchObject({ kind: "parse" });
  });
});

describe("a remote", () => {
  it.each(["fd::17", "ext::sh -c touch% /tmp/owned", "foo::bar", "ftp://example.org/x", "-upload-pack=x", "FD::0"])(
    "by %s is refused",
    async (remote) => {
      await expect(pullStates(workspace, remote)).rejects.toMatchObject({ kind: "policy" });
      await expect(pushStates(workspace, remote)).rejects.toMatchObject({ kind: "policy" });
    },
  );

  it("that the workspace's repository names is held to the same", async () => {
    const git = (...args: string[]): Buffer => execFileSync("git", args, { cwd: workspace.path });
    git("init", "--quiet");
    git("remote", "add", "origin", `ext::sh -c touch% ${root}/owned`);
    await expect(pullStates(workspace, "origin")).rejects.toMatchObject({ kind: "policy" });
    git("config", "url.ext::sh -c.insteadOf", "https:");
    await expect(pushStates(workspace, "origin")).rejects.toMatchObject({ kind: "policy" });
    expect(await readdir(root)).not.toContain("owned");
  });

  it("that cannot be reached is told without the token in its address", async () => {
    const remote = "http://someone:s3cret-token@127.0.0.1:9/states.git?key=an0ther-secret";
    const error = await pullStates(workspace, remote).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ kind: "network", target: "http://***@127.0.0.1:9/states.git?***" });
    expect(JSON.stringify(error) + String(error)).not.toMatch(/s3cret|an0ther/u);
    expect(hideCredentials("fatal: unable to access 'https://x:y@host/p?q=1': no")).toBe(
      "fatal: unable to access 'https://***@host/p?***': no",
    );
  });

  it("at a path runs no program of its settings when it receives states", async () => {
    await load({ [CONVERSATION]: forge.state() });
    const remote = join(root, "remote.git");
    const git = (...args: string[]): Buffer => execFileSync("git", args, { cwd: root });
    git("init", "--quiet", "remote.git");
    const evil = join(root, "evil.sh");
    await writeFile(evil, `#!/bin/sh\necho "$0 $*" >> ${root}/owned\ncat >/dev/null\n`);
    await chmod(evil, 0o755);
    await mkdir(join(remote, ".git/hooks"), { recursive: true });
    const hooks = ["pre-receive", "update", "post-receive", "post-update", "reference-transaction", "push-to-checkout"];
    for (const hook of [...hooks, "proc-receive", "post-checkout"]) {
      await writeFile(join(remote, ".git/hooks", hook), await readFile(evil), { mode: 0o755 });
    }
    git("init", "--quiet", "--bare", "other.git");
    await writeFile(join(remote, ".git/objects/info/alternates"), `${root}/other.git/objects\n`);
    const settings = {
      "core.alternateRefsCommand": evil,
      "core.fsmonitor": evil,
      "receive.denyCurrentBranch": "updateInstead",
      "receive.procReceiveRefs": "refs/skein",
      "core.sshCommand": evil,
      "filter.evil.smudge": evil,
      "uploadpack.packObjectsHook": evil,
    };
    for (const [name, value] of Object.entries(settings)) git("-C", remote, "config", name, value);
    git("-C", remote, "symbolic-ref", "HEAD", CONVERSATION);
    git("-C", workspace.path, "init", "--quiet");
    git("-C", workspace.path, "remote", "add", "origin", remote);

    await pushStates(workspace, "origin").catch(() => undefined);
    await pullStates(workspace, "origin").catch(() => undefined);
    git("-C", remote, "symbolic-ref", "HEAD", "refs/heads/main");
    await pushStates(workspace, "origin").catch(() => undefined);
    await pullStates(workspace, "origin").catch(() => undefined);
    expect(await readdir(root)).not.toContain("owned");
  });

  it("gives what it has whole, and one bad conversation of it is refused alone", async () => {
    const good = forge.state();
    const bad = forge.state({ parts: { "git.json": "{}" } });
    const remote = join(root, "remote.bundle");
    await writeFile(
      remote,
      forge.bundle({ "refs/skein/conversations/good": good, "refs/skein/conversations/bad": bad }),
    );
    const refs = await pullStates(workspace, remote);
    expect(refs.map(({ ref, status }) => [ref, status])).toEqual([
      ["refs/skein/conversations/good", "new"],
      ["refs/skein/conversations/bad", "rejected"],
    ]);
    expect(await workspace.states.conversations()).toEqual(new Map([["good", good]]));
  });

  it("adds to what is noted here and overwrites nothing", async () => {
    const state = forge.state();
    await load({ [CONVERSATION]: state });
    await workspace.states.setNote(state, JSON.stringify({ version: 1, rewards: { mine: 1 }, metadata: {} }));
    const note = (text: string): string => forge.add("blob", text);
    const ref = `refs/skein/notes/${state}`;
    const remote = join(root, "notes.bundle");
    const fetch = async (text: string): Promise<unknown> => {
      await writeFile(remote, forge.bundle({ [CONVERSATION]: state, [ref]: note(text) }));
      return (await pullStates(workspace, remote)).map(({ status }) => status);
    };
    expect(
      await fetch(JSON.stringify({ version: 1, rewards: { mine: 9, theirs: 2 }, metadata: { by: "them" } })),
    ).toEqual(["moved"]);
    expect(JSON.parse((await workspace.states.note(state)) ?? "")).toEqual({
      version: 1,
      rewards: { mine: 1, theirs: 2 },
      metadata: { by: "them" },
    });
    expect(await fetch("no note")).toEqual(["rejected"]);
    expect(await fetch('{"version":1,"rewards":{"x":1e999},"metadata":{}}')).toEqual(["rejected"]);
    expect(await fetch('{"version":1,"rewards":{"mine":5},"metadata":{}}')).toEqual([]);
  });
});

describe("a conversation in a file", () => {
  it("carries rewards, notes and checkpoints, and replaces none that is there", async () => {
    const first = forge.state();
    const tip = forge.state({ parent: first });
    await load({ [CONVERSATION]: tip });
    const note = JSON.stringify({ version: 1, rewards: { tests: 0.5 }, metadata: { by: "me" } });
    await workspace.states.setNote(first, note);
    await workspace.states.setCheckpoint("good", first);
    await workspace.states.setCheckpoint("taken", tip);
    const file = join(root, "saved.bundle");
    // What a git left that was killed while it wrote.
    await writeFile(`${file}.lock`, "");
    await saveConversation(workspace, "forged", file);

    await using other = await Workspace.open(join(root, "other"), { home: join(root, "home") });
    await loadConversations(other, file);
    expect(await other.states.checkpoints()).toEqual(
      new Map([
        ["good", first],
        ["taken", tip],
      ]),
    );
    expect(JSON.parse((await other.states.note(first)) ?? "")).toEqual(JSON.parse(note));
    await other.states.setCheckpoint("taken", first, { replace: true });
    await loadConversations(other, file);
    expect((await other.states.checkpoints()).get("taken")).toBe(first);
  });

  it("that has only gone further here is no conflict", async () => {
    const first = forge.state();
    const remote = join(root, "remote.bundle");
    await writeFile(remote, forge.bundle({ [CONVERSATION]: first }));
    await pullStates(workspace, remote);
    const tip = forge.state({ parent: first });
    await load({ [CONVERSATION]: tip });
    expect(await pullStates(workspace, remote)).toEqual([]);
    expect(await loadConversations(workspace, remote)).toEqual(new Map([["forged", tip]]));
  });
});

function gitFile(name: string): string {
  return JSON.stringify({ version: 1, branch: "refs/heads/main", detached: false, unfinished: { [name]: "x" } });
}

function files(
  made: Forge,
  entries: readonly (readonly [mode: string, name: string, oid: string])[],
): ForgedState["parts"] {
  return { files: { mode: "40000", oid: made.tree(entries.map(([mode, name, oid]) => ({ mode, name, oid }))) } };
}

/** Ten folders in each of ten folders, and so on, all of them the same. */
function bomb(made: Forge): string {
  let oid = made.tree([{ mode: "100644", name: "file", oid: made.add("blob", "x") }]);
  for (let level = 0; level < 10; level += 1) {
    oid = made.tree(Array.from({ length: 10 }, (_, index) => ({ mode: "40000", name: `folder-${index}`, oid })));
  }
  return oid;
}

function shaft(made: Forge, depth: number): string {
  let oid = made.tree([{ mode: "100644", name: "f", oid: made.add("blob", "x") }]);
  for (let level = 0; level < depth; level += 1) oid = made.tree([{ mode: "40000", name: "d", oid }]);
  return oid;
}
