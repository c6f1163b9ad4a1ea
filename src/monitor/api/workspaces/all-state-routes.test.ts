import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask } from "../../../../test/support/monitor-client.ts";
import { startTraceHost } from "../../../../test/support/start-trace-host.ts";
import { startMonitor, type Monitor } from "../../monitor.ts";

let root: string;
let monitor: Monitor;
let ids: readonly string[];

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "skein-all-states-")));
  const home = join(root, "home");
  for (const [name, prompts] of Object.entries({ one: ["a.txt one", "a.txt two"], two: ["b.txt three"] })) {
    await mkdir(join(root, name));
    await startTraceHost({ directory: join(root, name), home, prompts }).ended;
  }
  monitor = await startMonitor({ home, port: 0, transcriptsHome: join(root, "projects") });
  const { workspaces } = await read("workspaces");
  const idOf = (name: string): string =>
    workspaces.find(({ path }: { readonly path: string }) => path === join(root, name)).id;
  ids = [idOf("one"), idOf("two")];
}, 60_000);

afterAll(async () => {
  await monitor.close();
  await rm(root, { recursive: true, force: true, maxRetries: 9 });
});

// oxlint-disable-next-line typescript/no-explicit-any -- what a test expects of it, it compares whole
async function read(path: string, status = 200): Promise<any> {
  const answer = await ask(`${monitor.url}/api/${path}`, monitor);
  expect([path, answer.status]).toEqual([path, status]);
  return answer.json;
}

const prompts = (page: { readonly states: readonly { readonly turn: { readonly prompt: string } }[] }): unknown =>
  page.states.map(({ turn }) => turn.prompt);

describe("the states of all workspaces", () => {
  it("are one list of turns, with the workspace of each", async () => {
    const page = await read("states?count=true");
    expect(prompts(page)).toEqual(["b.txt three", "a.txt two", "a.txt one"]);
    expect(page).toMatchObject({ count: 3, next_after: null, next_offset: null, skipped: [] });
    expect(page.states[0]).toMatchObject({
      workspace_id: ids[1],
      workspace: join(root, "two"),
      is_here: true,
      kind: "turn",
      turn: { search_id: null, cost_usd: 0.01 },
    });
    expect((await read("states?kind=any")).states).toHaveLength(5);
    expect((await read("states")).count).toBeNull();
  });

  it("go on after a place and from an offset, filtered and sorted", async () => {
    const first = await read("states?limit=2&order=oldest");
    expect([prompts(first), first.next_offset]).toEqual([["a.txt one", "a.txt two"], 2]);
    expect(prompts(await read(`states?limit=2&order=oldest&after=${first.next_after}`))).toEqual(["b.txt three"]);
    expect(prompts(await read("states?limit=1&offset=1"))).toEqual(["a.txt two"]);
    expect(prompts(await read("states?text=txt+three"))).toEqual(["b.txt three"]);
    expect(prompts(await read(`states?workspaces=${ids[0]}&order=duration`))).toHaveLength(2);
    expect(prompts(await read("states?model=none"))).toEqual([]);
    expect(prompts(await read("states?min_reward=0"))).toEqual([]);
    expect(await read("states?offset=70&count=1")).toMatchObject({ states: [], next_after: null, count: 3 });
  });

  it("show what people wrote on them, and are found by it", async () => {
    const { states } = await read("states?text=two");
    const { workspace_id: workspace, state_id: state } = states[0];
    const address = `${monitor.url}/api/workspaces/${workspace}/states/${state}/mark`;
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ bookmark: "best", remark: "look here" });
    expect((await ask(address, { ...monitor, method: "PUT", headers, body })).status).toBe(200);
    const found = await read("states?bookmark=best");
    expect(found.states).toMatchObject([{ state_id: state, bookmark: "best", remark: "look here" }]);
    expect((await read("states?bookmark=")).states).toHaveLength(1);
    expect((await read("states?bookmark=other")).states).toEqual([]);
    expect((await read(`workspaces/${ids[0]}/states?bookmark=best`)).states).toHaveLength(1);
    const { nodes } = await read(`workspaces/${ids[0]}/tree`);
    expect(nodes.at(-1)).toMatchObject({ bookmark: "best", files_changed: 1, search_id: null });
  });

  it("refuse a place that is none of this list, and a workspace that there is not", async () => {
    const { next_after: place } = await read("states?limit=1&order=cost");
    const wrong = [
      `order=newest&after=${place}`,
      "after=x",
      `after=${Buffer.from("[1,2").toString("base64url")}`,
      `after=${Buffer.from('["newest",0,"1; drop table states",0,"x"]').toString("base64url")}`,
      `after=${Buffer.from('["newest",0,1,0,{"$ne":1}]').toString("base64url")}`,
    ];
    for (const query of wrong) expect((await read(`states?${query}`, 400)).error.target).toBe("after");
    const none = await read("states?workspaces=..%2F..,none", 404);
    expect(none.error.kind).toBe("state_not_found");
  });

  it("have conversations of all workspaces, by page", async () => {
    const { conversations, next_offset: next } = await read("conversations?limit=1");
    expect(conversations).toMatchObject([{ workspace_id: ids[1], workspace: join(root, "two"), turns: 1 }]);
    expect(next).toBe(1);
    const rest = await read("conversations?limit=1&offset=1");
    expect(rest).toMatchObject({ conversations: [{ workspace_id: ids[0], turns: 2 }], next_offset: null });
    expect((await read(`conversations?workspaces=${ids[0]}`)).conversations).toHaveLength(1);
  });

  it("stay in the list where their directory is gone", async () => {
    await rm(join(root, "two"), { recursive: true });
    expect(prompts(await read("states?limit=1"))).toEqual(["b.txt three"]);
  });
});
