import { mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, type Answer } from "../../../../test/support/monitor-client.ts";
import { startTraceHost } from "../../../../test/support/start-trace-host.ts";
import { startMonitor, type Monitor } from "../../monitor.ts";

let root: string;
let work: string;
let monitor: Monitor;
let id: string;
let states: readonly string[];

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "skein-arrival-")));
  work = join(root, "work");
  await mkdir(work);
  const home = join(root, "home");
  const prompts = ["a.txt one", "a.txt two\nb.txt new"];
  const lines = await startTraceHost({ directory: work, home, prompts }).ended;
  states = lines.flatMap(({ conversation, stateId }) => (conversation ? (stateId ?? []) : []));
  monitor = await startMonitor({ home, port: 0, transcriptsHome: join(root, "claude") });
  id = (await ask(`${monitor.url}/api/workspaces`, monitor)).json.workspaces[0].id;
}, 60_000);

afterAll(async () => {
  await monitor.close();
  await rm(root, { recursive: true, force: true, maxRetries: 9 });
});

async function get(path: string): Promise<Answer> {
  return await ask(`${monitor.url}/api/workspaces/${id}/${path}`, monitor);
}

async function post(path: string, body: object): Promise<Answer> {
  const headers = { "content-type": "application/json" };
  const given = { ...monitor, method: "POST", headers, body: JSON.stringify(body) };
  return await ask(`${monitor.url}/api/workspaces/${id}/${path}`, given);
}

async function files(): Promise<Readonly<Record<string, string>>> {
  const names = (await readdir(work)).filter((name) => !name.startsWith(".")).toSorted();
  const read = names.map(async (name) => [name, await readFile(join(work, name), "utf8")] as const);
  return Object.fromEntries(await Promise.all(read));
}

const AFTER = { "a.txt": "two", "b.txt": "new" };

describe("a workspace's files", () => {
  it("are told how they would change, and are as they were", async () => {
    const changed = { created: [], modified: ["a.txt"], deleted: ["b.txt"], renamed: [] };
    for (const path of [`restore?state=${states[0]}`, `adopt?state=${states[0]}`, "undo"]) {
      const { status, json } = await get(path);
      expect([path, status, json]).toEqual([
        path,
        200,
        expect.objectContaining({ state_id: states[0], dry_run: true, files: changed, way_back: null }),
      ]);
    }
    expect(await files()).toEqual(AFTER);
  });

  it("are brought to a state, and back again", async () => {
    const { status, json } = await post("restore", { state: states[0] });
    expect([status, json.dry_run, json.way_back]).toEqual([200, false, states[1]]);
    expect(await files()).toEqual({ "a.txt": "one" });
    expect((await post("adopt", { state: states[1] })).json).toMatchObject({
      state_id: states[1],
      way_back: states[0],
    });
    expect(await files()).toEqual(AFTER);
  });

  it("lose nothing that no turn made, unless that is said", async () => {
    await writeFile(join(work, "a.txt"), "by hand");
    const refused = await post("restore", { state: states[0] });
    expect([refused.status, refused.json.error.kind]).toEqual([409, "conflict"]);
    expect(await files()).toEqual({ ...AFTER, "a.txt": "by hand" });
    expect((await get(`restore?state=${states[0]}`)).json.unrecorded).toEqual(["a.txt"]);
    expect((await post("undo", {})).json.error.kind).toBe("conflict");
    const { json } = await post("restore", { state: states[0], replace_unrecorded: true });
    expect(await files()).toEqual({ "a.txt": "one" });
    await post("restore", { state: json.way_back });
    expect(await files()).toEqual({ ...AFTER, "a.txt": "by hand" });
    await post("restore", { state: states[1], replace_unrecorded: true });
  });

  it("have the last turn taken back", async () => {
    const { status, json } = await post("undo", {});
    expect([status, json.state_id]).toEqual([200, states[0]]);
    expect(await files()).toEqual({ "a.txt": "one" });
    await post("restore", { state: states[1] });
  });

  it("are copied beside them as they are in a state, and nowhere else", async () => {
    const { status, json } = await post("branches", { state: states[0] });
    const directory = `${work}-${states[0]?.slice(0, 12)}`;
    expect([status, json]).toEqual([200, { state_id: states[0], directory, origin: work }]);
    expect(await readFile(join(directory, "a.txt"), "utf8")).toBe("one");
    expect((await post("branches", { state: "@", directory: "/tmp/elsewhere" })).status).toBe(400);
  });

  it("are named as they are now, by a checkpoint", async () => {
    await writeFile(join(work, "c.txt"), "mine");
    const headers = { "content-type": "application/json" };
    const put = { ...monitor, method: "PUT", headers, body: "{}" };
    const { json } = await ask(`${monitor.url}/api/workspaces/${id}/checkpoints/now`, put);
    expect((await get(`states/now/file?path=c.txt`)).json.content).toBe("mine");
    const again = await ask(`${monitor.url}/api/workspaces/${id}/checkpoints/now`, put);
    expect([again.status, again.json.error.kind, json.name]).toEqual([400, "usage", "now"]);
  });
});

describe("a state", () => {
  it("has what a person writes on it, and is found by its bookmark", async () => {
    const mark = async (body: object): Promise<Answer> => {
      const headers = { "content-type": "application/json" };
      const given = { ...monitor, method: "PUT", headers, body: JSON.stringify(body) };
      return await ask(`${monitor.url}/api/workspaces/${id}/states/${states[0]}/mark`, given);
    };
    const found = async (query: string): Promise<readonly string[]> =>
      (await get(`states?${query}`)).json.states.map((state: { state_id: string }) => state.state_id);
    const marked = { state_id: states[0], remark: "the good one", bookmark: "demo" };
    expect((await mark({ remark: "the good one", bookmark: "demo" })).json).toEqual(marked);
    expect((await get(`states/${states[0]}`)).json).toMatchObject(marked);
    expect((await get("states?bookmark=demo")).json.states).toMatchObject([marked]);
    expect(await found("bookmark=")).toEqual([states[0]]);
    expect(await found("bookmark=other")).toEqual([]);
    expect((await get(`states/${states[1]}`)).json).toMatchObject({ remark: null, bookmark: null });
    expect((await mark({ bookmark: "" })).json).toEqual({ ...marked, bookmark: null });
    expect(await found("bookmark=")).toEqual([]);
    expect((await mark({ remark: "x".repeat(10_001) })).status).toBe(400);
  });
});

describe("a workspace's files, where they are moved", () => {
  it("are left alone where the directory was put behind a link", async () => {
    await rename(work, join(root, "elsewhere"));
    await mkdir(join(root, "victim"));
    await writeFile(join(root, "victim", "precious.txt"), "precious");
    await symlink(join(root, "victim"), work);
    // It was opened before the link: nothing of the victim's is touched by the next request, or by one after another start.
    for (const isNew of [false, true]) {
      if (isNew) {
        await monitor.close();
        monitor = await startMonitor({ home: join(root, "home"), port: 0, transcriptsHome: join(root, "claude") });
      }
      const { status, json } = await post("restore", { state: states[0], replace_unrecorded: true });
      expect([isNew, status, json.error?.kind]).toEqual([isNew, 500, "filesystem"]);
      expect(await readdir(join(root, "victim"))).toEqual(["precious.txt"]);
    }
  });
});
