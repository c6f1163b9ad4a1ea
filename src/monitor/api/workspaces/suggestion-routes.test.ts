import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ask } from "../../../../test/support/monitor-client.ts";
import { startTraceHost } from "../../../../test/support/start-trace-host.ts";
import { startMonitor, type Monitor } from "../../monitor.ts";

let root: string;
let work: string;
let monitor: Monitor;
let address: string;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "skein-suggestions-")));
  work = join(root, "work");
  for (const path of ["src/parse", "node_modules/x", ".claude/commands/web", ".claude/skills/draw", ".claude/agents"])
    await mkdir(join(work, path), { recursive: true });
  const files = {
    ".gitignore": "node_modules\n",
    "node_modules/x/parser.js": "",
    "src/parse/index.ts": "",
    "src/Parser.ts": "",
    "docs.md": "",
    ".claude/commands/review.md": '---\ndescription: "Look at the <b>change</b>"\n---\nReview $1 !`rm -rf /`\n',
    ".claude/commands/web/build.md": "\nBuild the page\nmore\n",
    ".claude/commands/bad name.md": "x",
    ".claude/skills/draw/SKILL.md": "---\nname: draw\ndescription: Draws\n---\n",
    ".claude/skills/draw/notes.md": "no skill",
    ".claude/agents/critic.md": "---\ndescription: Finds faults\n---\n",
    ".claude/commands/large.md": "x".repeat(100_000),
  };
  for (const [path, text] of Object.entries(files)) await writeFile(join(work, path), text);
  await mkdir(join(root, "outside"));
  await writeFile(join(root, "outside", "secret.md"), "SECRET");
  await symlink(join(root, "outside", "secret.md"), join(work, ".claude", "commands", "link.md"));
  await symlink(join(root, "outside"), join(work, ".claude", "commands", "more"));
  await startTraceHost({ directory: work, home: join(root, "home"), prompts: ["a.txt new"] }).ended;
  monitor = await startMonitor({ home: join(root, "home"), port: 0, transcriptsHome: join(root, "claude") });
  const { workspaces } = (await ask(`${monitor.url}/api/workspaces`, monitor)).json;
  address = `${monitor.url}/api/workspaces/${workspaces[0].id as string}/suggestions`;
}, 60_000);

afterAll(async () => {
  await monitor.close();
  await rm(root, { recursive: true, force: true, maxRetries: 9 });
});

async function names(query: string): Promise<readonly string[]> {
  const { status, json } = await ask(`${address}?${query}`, monitor);
  expect([query, status]).toEqual([query, 200]);
  return json.suggestions.map(({ name }: { readonly name: string }) => name);
}

it("names the files of the state that the directory is at, those with the word at their beginning first, and no ignored one", async () => {
  expect(await names("kind=files&words=parse")).toEqual(["src/Parser.ts", "src/parse/index.ts"]);
  expect(await names("kind=files&words=SRC+ind")).toEqual(["src/parse/index.ts"]);
  expect(await names("kind=files&words=a.txt")).toEqual(["a.txt"]);
  expect(await names("kind=files&limit=1")).toHaveLength(1);
  expect(await names("kind=files&words=%5B(*")).toEqual([]);
});

it("names commands, skills and agents of the workspace, which are read as text, and nothing behind a link", async () => {
  const { json } = await ask(`${address}?kind=commands`, monitor);
  expect(json.suggestions).toEqual([
    { kind: "skill", name: "draw", description: "Draws" },
    { kind: "command", name: "build", description: "Build the page" },
    { kind: "command", name: "review", description: "Look at the <b>change</b>" },
    { kind: "agent", name: "critic", description: "Finds faults" },
  ]);
  expect(await names("kind=commands&words=REV")).toEqual(["review"]);
  await rm(join(work, ".claude"), { recursive: true });
  await symlink(join(root, "outside"), join(work, ".claude"));
  expect(await names("kind=commands")).toEqual([]);
});

it("names what the CLI offered when a turn last began, and nothing of a file that is no such list", async () => {
  await rm(join(work, ".claude"), { force: true });
  await mkdir(join(work, ".claude", "commands"), { recursive: true });
  await writeFile(join(work, ".claude", "commands", "review.md"), "Review");
  const [store = ""] = await readdir(join(root, "home", "workspaces"));
  const path = join(root, "home", "workspaces", store, "offer.json");
  const offer = { commands: ["compact", "review", "pdf"], skills: ["pdf"], agents: ["Explore"], tools: ["Bash"] };
  await writeFile(path, JSON.stringify({ version: 1, ...offer }));
  const { json } = await ask(`${address}?kind=commands`, monitor);
  expect(json.suggestions).toEqual([
    { kind: "skill", name: "pdf", description: null },
    { kind: "command", name: "review", description: "Review" },
    { kind: "command", name: "compact", description: null },
    { kind: "agent", name: "Explore", description: null },
  ]);
  await writeFile(path, JSON.stringify({ version: 1, ...offer, more: true }));
  expect(await names("kind=commands")).toEqual(["review"]);
});

it("lists one folder of a state at a time, by a path that leads nowhere else", async () => {
  const folder = address.replace("/suggestions", "/states/@/folder");
  const read = async (under: string, status = 200) => {
    const got = await ask(`${folder}?under=${encodeURIComponent(under)}`, monitor);
    expect([under, got.status]).toEqual([under, status]);
    return got.json;
  };
  const top = await read("");
  expect(top.entries.map(({ name, kind }: Record<string, string>) => `${kind} ${name}`)).toEqual([
    "folder .claude",
    "folder src",
    "file .gitignore",
    "file a.txt",
    "file docs.md",
  ]);
  expect(await read("src")).toEqual({
    entries: [
      { name: "parse", path: "src/parse", kind: "folder", size_bytes: null },
      { name: "Parser.ts", path: "src/Parser.ts", kind: "file", size_bytes: 0 },
    ],
    is_cut: false,
  });
  const { entries } = await read(".claude/commands");
  expect(entries.find(({ name }: { readonly name: string }) => name === "link.md").kind).toBe("symlink");
  for (const under of ["none", "docs.md", ".claude/commands/more", "*", ":(glob)**"]) await read(under, 404);
  for (const under of ["..", "src/../..", "/etc", "./src", "src/", "a\0b", "x\ny"]) await read(under, 400);
});

it("asks for files or commands, of which there are fifty at most", async () => {
  for (const query of ["", "kind=secrets", "kind=files&limit=51", `kind=files&words=${"x".repeat(201)}`]) {
    expect([query, (await ask(`${address}?${query}`, monitor)).status]).toEqual([query, 400]);
  }
});
