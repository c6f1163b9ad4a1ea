import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, type Answer } from "../../../../test/support/monitor-client.ts";
import { answer, linesOf, prompt, toolResult } from "../../../../test/support/write-history.ts";
import { startMonitor, type Monitor } from "../../monitor.ts";

const SESSION = "5a00000a-0000-4000-8000-000000000001";
const OLD = "5a00000b-0000-4000-8000-000000000001";
const HUGE = "x".repeat(300_000);

let root: string;
let home: string;
let project: string;
let monitor: Monitor;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "skein-sessions-")));
  home = join(root, "home");
  project = join(root, "work");
  const folder = join(root, "projects", "-work");
  await mkdir(join(folder, SESSION, "subagents"), { recursive: true });
  await mkdir(project);
  const at = (sessionId: string, second: number) => ({
    sessionId,
    cwd: project,
    timestamp: new Date(Date.UTC(2099, 5, 1, 12, 0, second)).toISOString(),
  });
  const picture = { type: "image", source: { type: "base64", media_type: "image/png", data: "aGVsbG8=" } };
  const script = { type: "image", source: { type: "base64", media_type: "image/svg+xml", data: "PHN2Zz4=" } };
  const pictured = { ...prompt("p1", "<script>alert(1)</script> Look", at(SESSION, 0)) };
  const lines = [
    {
      ...pictured,
      message: { role: "user", content: [{ type: "text", text: "<script>alert(1)</script> Look" }, picture, script] },
    },
    answer("a1", "I read it.", { ...at(SESSION, 1), id: "m1", output: 40, call: { id: "t1", name: "Read" } }),
    toolResult("r1", HUGE, { ...at(SESSION, 2), callId: "t1" }),
    answer("a2", "Done.", { ...at(SESSION, 3), id: "m2", output: 12 }),
  ];
  await writeFile(join(folder, `${SESSION}.jsonl`), linesOf(lines));
  const agent = [
    prompt("g1", "Find the file", at(SESSION, 2)),
    answer("g2", "Found.", { ...at(SESSION, 3), id: "m3", output: 5 }),
  ];
  const own = agent.map((line) => ({ ...line, isSidechain: true, agentId: "abc123" }));
  await writeFile(join(folder, SESSION, "subagents", "agent-abc123.jsonl"), linesOf(own));
  const old = { sessionId: OLD, timestamp: "2020-01-01T00:00:00.000Z" };
  await writeFile(
    join(folder, `${OLD}.jsonl`),
    linesOf([prompt("o1", "Long ago", old), answer("o2", "Yes.", { ...old, id: "m9", output: 1 })]),
  );
  monitor = await start();
}, 60_000);

afterAll(async () => {
  await monitor.close();
  await rm(root, { recursive: true, force: true, maxRetries: 9 });
});

const start = async (readOnly = false): Promise<Monitor> =>
  await startMonitor({ home, port: 0, readOnly, transcriptsHome: join(root, "projects") });

// oxlint-disable-next-line typescript/no-explicit-any -- what a test expects of it, it compares whole
async function read(path: string, status = 200): Promise<any> {
  const got = await ask(`${monitor.url}/api/${path}`, monitor);
  expect([path, got.status]).toEqual([path, status]);
  return got.json;
}

async function change(method: string, path: string, body: unknown): Promise<Answer> {
  const headers = { "content-type": "application/json" };
  return await ask(`${monitor.url}/api/${path}`, { ...monitor, method, headers, body: JSON.stringify(body) });
}

const ids = ({ sessions }: { readonly sessions: readonly { readonly session_id: string }[] }): readonly string[] =>
  sessions.map(({ session_id: id }) => id);

describe("the messages of a session", () => {
  it("have what a reader needs: calls with results, pictures, usage; and long texts only where they are wanted", async () => {
    const { messages } = await read(`sessions/${SESSION}/messages`);
    expect(messages).toHaveLength(3);
    expect(messages[0]).toMatchObject({
      kind: "prompt",
      text: "<script>alert(1)</script> Look",
      pictures: [{ media_type: "image/png", size_bytes: 6, data_base64: "aGVsbG8=" }],
      usage: null,
      is_cut: false,
    });
    expect(messages[1]).toMatchObject({
      message_id: "m1",
      usage: { output_tokens: 40 },
      tools: [{ tool: "Read", tool_use_id: "t1", pictures: [] }],
      is_cut: true,
    });
    expect(messages[1].tools[0].result).toHaveLength(200_000);
    const whole = await read(`sessions/${SESSION}/messages?whole=true`);
    expect([whole.messages[1].is_cut, whole.messages[1].tools[0].result]).toEqual([false, HUGE]);
  });

  it("of its sub-agents are asked for by their ids, which lead to no other file", async () => {
    const { subagents } = await read(`sessions/${SESSION}/subagents`);
    expect(subagents).toMatchObject([{ agent_id: "abc123", first_prompt: "Find the file" }]);
    const { messages } = await read(`sessions/${SESSION}/messages?agent=abc123`);
    expect(messages.map(({ text }: { readonly text: string }) => text)).toEqual(["Find the file", "Found."]);
    for (const agent of ["none", "../../../work", `..%2F..%2F${OLD}`, "%00", OLD]) {
      expect((await read(`sessions/${SESSION}/messages?agent=${agent}`, 404)).error.kind).toBe("state_not_found");
    }
  });

  it("are found by their words in one session alone", async () => {
    await expect.poll(async () => (await read("search?words=Long")).hits).toHaveLength(1);
    expect((await read(`search?words=Long&session=${SESSION}`)).hits).toEqual([]);
    expect((await read(`search?words=Long&session=${OLD}`)).hits).toMatchObject([{ session_id: OLD }]);
  });
});

describe("a session", () => {
  it("is a page to keep, which a browser does not open as one of this server's", async () => {
    const { status, headers, text } = await ask(`${monitor.url}/api/sessions/${SESSION}/page.html`, monitor);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-disposition": `attachment; filename="session-${SESSION}.html"`,
      "content-security-policy": "sandbox; default-src 'none'; base-uri 'none'; form-action 'none'",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    });
    expect(text).toContain("&lt;script&gt;alert(1)");
    expect(text).not.toContain("<script");
    expect((await ask(`${monitor.url}/api/sessions/none/page.html`, monitor)).json.error.kind).toBe(
      "session_not_found",
    );
    expect((await ask(`${monitor.url}/api/sessions/${SESSION}/page.html?x=1`, monitor)).status).toBe(400);
    expect((await ask(`${monitor.url}/api/sessions/${SESSION}/page.html`)).status).toBe(401);
  });

  it("is of a project, with the sums of its sessions", async () => {
    const { projects } = await read("projects");
    expect(projects).toMatchObject([
      { project, sessions: 1, last_active_at: "2099-06-01T12:00:03.000Z" },
      { sessions: 1, last_active_at: "2020-01-01T00:00:00.000Z" },
    ]);
  });

  it("is unread where something came after it was read, or since flags are kept", async () => {
    expect(ids(await read("sessions?unread=true"))).toEqual([SESSION]);
    const said = await change("PUT", `sessions/${SESSION}/flags`, { read_to: "2099-06-01T12:00:03.000Z" });
    expect(said.json).toEqual({
      session_id: SESSION,
      pinned: false,
      archived: false,
      read_to: "2099-06-01T12:00:03.000Z",
      is_unread: false,
    });
    expect(ids(await read("sessions?unread=true"))).toEqual([]);
    expect((await change("PUT", `sessions/${SESSION}/flags`, { read_to: null })).json.is_unread).toBe(true);
  });

  it("is pinned and put away, which is kept whatever happens to the server", async () => {
    await Promise.all([
      change("PUT", `sessions/${SESSION}/flags`, { pinned: true }),
      change("PUT", `sessions/${OLD.slice(0, 8)}/flags`, { archived: true }),
    ]);
    expect(ids(await read("sessions?pinned=true"))).toEqual([SESSION]);
    expect(await read("sessions?archived=false&limit=1")).toMatchObject({ count: 1, sessions: [{ pinned: true }] });
    const kept = await readFile(join(home, "monitor", "session-flags.json"), "utf8");
    await monitor.close();
    monitor = await start();
    expect(ids(await read("sessions?archived=true"))).toEqual([OLD]);
    expect((await read(`sessions/${SESSION}`)).session).toMatchObject({ pinned: true, archived: false });
    expect(await readFile(join(home, "monitor", "session-flags.json"), "utf8")).toBe(kept);
  });

  it("has no flags of others, and none where the server only shows", async () => {
    const wrong = [{ pinned: "yes" }, { starred: true }, { read_to: "yesterday" }, JSON.parse('{"__proto__":{}}')];
    for (const body of wrong) expect((await change("PUT", `sessions/${SESSION}/flags`, body)).status).toBe(400);
    expect((await change("PUT", "sessions/__proto__/flags", { pinned: true })).status).toBe(404);
    await monitor.close();
    monitor = await start(true);
    for (const [method, path] of [
      ["PUT", `sessions/${SESSION}/flags`],
      ["POST", `sessions/${SESSION}/import`],
    ] as const) {
      expect((await change(method, path, {})).json.error.kind).toBe("policy");
    }
    await monitor.close();
    monitor = await start();
  });

  it("is not opened over flags that cannot be read", async () => {
    await monitor.close();
    const path = join(home, "monitor", "session-flags.json");
    const kept = await readFile(path, "utf8");
    for (const text of ["{", '{"version":2}', "[]"]) {
      await writeFile(path, text);
      await expect(start()).rejects.toMatchObject({ kind: "parse", target: path });
      expect(await readFile(path, "utf8")).toBe(text);
    }
    await writeFile(path, kept);
    monitor = await start();
  });

  it("goes on as a recorded conversation in a directory that there is, and its transcript stays as it is", async () => {
    await writeFile(join(project, "a.txt"), "a");
    const transcript = join(root, "projects", "-work", `${SESSION}.jsonl`);
    const before = await readFile(transcript, "utf8");
    for (const body of [{}, { directory: "work" }, { directory: join(root, "none") }, { directory: home }]) {
      expect([body, (await change("POST", `sessions/${SESSION}/import`, body)).status]).toEqual([body, 400]);
    }
    expect((await change("POST", `sessions/none/import`, { directory: project })).status).toBe(404);
    const { status, json } = await change("POST", `sessions/${SESSION}/import`, { directory: project });
    expect([status, json.workspace]).toEqual([200, project]);
    const { workspace_id: id, state_id: state, conversation_id: conversation } = json;
    expect(await read(`workspaces/${id}/states/${state}`)).toMatchObject({
      kind: "start",
      is_here: true,
      conversation_id: conversation,
      session_id: SESSION,
    });
    expect((await read(`workspaces/${id}/states/${state}/files`)).files).toMatchObject([{ path: "a.txt" }]);
    expect(await readFile(transcript, "utf8")).toBe(before);
    const page = await ask(`${monitor.url}/api/workspaces/${id}/states/${state}/page.html`, monitor);
    expect(page.headers["content-disposition"]).toBe(`attachment; filename="state-${state.slice(0, 12)}.html"`);
    expect(page.text).toContain("Done.");
  });
});
