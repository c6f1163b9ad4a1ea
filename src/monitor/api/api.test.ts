import { mkdir, mkdtemp, realpath, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask } from "../../../test/support/monitor-client.ts";
import { sampleTranscripts } from "../../../test/support/sample-transcripts.ts";
import { startTraceHost, type HostLine } from "../../../test/support/start-trace-host.ts";
import { DualAgent } from "../../team/index.ts";
import { startMonitor, type Monitor } from "../monitor.ts";
import { DOWNLOADS } from "./sessions/download-routes.ts";
import { ROUTES } from "./routes.ts";

const SESSION = "5a000001-0000-4000-8000-000000000001";

let root: string;
let monitor: Monitor;
let id: string;
let run: string;
let lines: readonly HostLine[];
let states: readonly string[];

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "skein-api-")));
  const home = join(root, "home");
  for (const name of ["work", "gone"]) {
    await mkdir(join(root, name));
    const prompts = name === "work" ? ["a.txt one", "a.txt two\nb.txt new"] : ["c.txt one"];
    const said = await startTraceHost({ directory: join(root, name), home, prompts }).ended;
    if (name === "work") lines = said;
  }
  await rename(join(root, "gone"), join(root, "moved"));
  await mkdir(join(root, "projects", "-old"), { recursive: true });
  await writeFile(join(root, "projects", "-old", `${SESSION}.jsonl`), sampleTranscripts()["v1.0.29-summaries"] ?? "");
  monitor = await startMonitor({ home, port: 0, transcriptsHome: join(root, "projects") });
  const { workspaces } = (await ask(`${monitor.url}/api/workspaces`, monitor)).json;
  id = workspaces.find(({ path }: { readonly path: string }) => path === join(root, "work")).id;
  states = lines.flatMap(({ conversation, stateId }) => (conversation ? (stateId ?? []) : []));
  run = (await read(`runs?workspace=${encodeURIComponent(join(root, "work"))}`)).runs[0].run;
}, 60_000);

afterAll(async () => {
  await monitor.close();
  await rm(root, { recursive: true, force: true, maxRetries: 9 });
});

// oxlint-disable-next-line typescript/no-explicit-any -- what a test expects of it, it compares whole
async function read(path: string): Promise<any> {
  const { status, json } = await ask(`${monitor.url}/api/${path}`, monitor);
  expect([path, status]).toEqual([path, 200]);
  return json;
}

/** A team that was cancelled as it began: its id. */
async function cancelledTeam(): Promise<string> {
  const workspaceOptions = { home: join(root, "home") };
  const team = new DualAgent({ workspace: join(root, "work"), workspaceOptions, signal: AbortSignal.abort() });
  for await (const event of team.run("Nothing")) if (event.type === "team-end") return event.result.team;
  return "";
}

describe("the interface", () => {
  it("is described as OpenAPI 3.1, by a description that a validator takes", async () => {
    const description = await read("openapi.json");
    const found = await new Validator().validate(description);
    expect(found).toEqual({ valid: true });
    expect(description.openapi).toBe("3.1.0");
    const paths = Object.keys(description.paths as object);
    expect(paths).toEqual([...new Set([...ROUTES, ...DOWNLOADS].map(({ path }) => path))]);
    const put = description.paths["/api/workspaces/{workspace}/checkpoints/{checkpoint}"].put;
    expect(put.requestBody.content["application/json"].schema).toMatchObject({
      type: "object",
      properties: { state: { type: "string" }, replace: { type: "boolean", default: false } },
      additionalProperties: false,
    });
    const operations = [...ROUTES, ...DOWNLOADS].map(({ operation }) => operation);
    expect(new Set(operations).size).toBe(operations.length);
    for (const { path, parameters } of ROUTES) {
      const named = [...path.matchAll(/\{(\w+)\}/gu)].map(([, name]) => name);
      expect([path, Object.keys(parameters.shape)]).toEqual([path, named]);
    }
  });

  it("answers every address with what its schema says, and nothing beside it", async () => {
    const team = await cancelledTeam();
    const state = states[1] ?? "";
    const given: Readonly<Record<string, string>> = { workspace: id, state, run, session: SESSION, team };
    const queries: Readonly<Record<string, string>> = {
      getFile: "?path=a.txt",
      searchSessions: "?words=dates",
      listSuggestions: "?kind=files",
      previewRestore: "?state=@",
      previewAdopt: "?state=@",
    };
    for (const { path, operation, data } of ROUTES.filter(({ method }) => method === "GET")) {
      const address = path.replaceAll(/\{(\w+)\}/gu, (_, name: string) => given[name] ?? "");
      const { status, json } = await ask(`${monitor.url}${address}${queries[operation] ?? ""}`, monitor);
      expect([operation, status]).toEqual([operation, 200]);
      expect([operation, data.parse(json)]).toEqual([operation, json]);
    }
  });
});

describe("states", () => {
  it("are listed by page, filtered and sorted", async () => {
    const all = await read(`workspaces/${id}/states`);
    expect(all.states.map(({ kind }: { readonly kind: string }) => kind)).toEqual(["turn", "turn", "start"]);
    expect(all.states[0]).toMatchObject({ state_id: states[1], parent_id: states[0], is_here: true });
    const first = await read(`workspaces/${id}/states?limit=2`);
    expect([first.states.length, first.next_offset]).toEqual([2, 2]);
    const rest = await read(`workspaces/${id}/states?limit=2&offset=2`);
    expect([rest.states.length, rest.next_offset]).toEqual([1, null]);
    const found = async (query: string): Promise<readonly string[]> =>
      (await read(`workspaces/${id}/states?${query}`)).states.map((state: { state_id: string }) => state.state_id);
    expect(await found("kind=turn&order=oldest")).toEqual(states);
    expect(await found("text=new")).toEqual([states[1]]);
    expect(await found(`parent=${states[0]}`)).toEqual([states[1]]);
    expect(await found("tool=Bash")).toEqual([]);
    expect(await found("outcome=completed&min_cost_usd=0.02")).toEqual([]);
    expect(await found("since=2999-01-01T00:00:00Z")).toEqual([]);
    expect(await found("text=%22%22%22+OR+*")).toEqual([]);
  });

  it("make a tree, and conversations", async () => {
    const tree = await read(`workspaces/${id}/tree`);
    expect(tree.nodes.map(({ state_id: state, parent_id: parent }: Record<string, string>) => [state, parent])).toEqual(
      [
        [tree.nodes[0].state_id, null],
        [states[0], tree.nodes[0].state_id],
        [states[1], states[0]],
      ],
    );
    expect(tree).toMatchObject({ head: states[1], is_cut: false });
    const { conversations } = await read(`workspaces/${id}/conversations`);
    expect(conversations).toMatchObject([
      { turns: 2, first_prompt: "a.txt one", cost_usd: 0.02, last_outcome: "completed" },
    ]);
    expect(await read(`workspaces/${id}`)).toMatchObject({ turns: 2, states: 3, cost_usd: 0.02, head: states[1] });
  });

  it("tell their turn with its calls and messages, its changes, and files as they were", async () => {
    const state = `workspaces/${id}/states/${states[1]}`;
    const { transition } = await read(state);
    expect(transition).toMatchObject({ id: run, turn: 2, execution: { outcome: "completed", cost_usd: 0.01 } });
    expect(transition.tools.map(({ tool, input }: Record<string, unknown>) => [tool, input])).toEqual([
      ["Write", { name: "a.txt" }],
      ["Write", { name: "b.txt" }],
    ]);
    const { messages } = await read(`${state}/messages`);
    expect(messages.map(({ role }: { readonly role: string }) => role)).toEqual(["user", "assistant"]);
    const diff = await read(`${state}/diff`);
    expect(diff.changes).toEqual([
      { type: "modified", path: "a.txt", from: null },
      { type: "created", path: "b.txt", from: null },
    ]);
    expect(diff.patch).toContain("-one\n");
    expect((await read(`${state}/diff?path=b.txt`)).patch).not.toContain("a.txt");
    const whole = await read(`${state}/diff?from=${states[0]}~1`);
    expect(whole.changes.map(({ type }: { readonly type: string }) => type)).toEqual(["created", "created"]);
    const [one, two] = [await read(`${state}/files?limit=1`), await read(`${state}/files?after=a.txt`)];
    expect([one.files[0].path, one.next_after, two.files[0].path, two.next_after]).toEqual([
      "a.txt",
      "a.txt",
      "b.txt",
      null,
    ]);
    expect(await read(`${state}/file?path=a.txt`)).toEqual({
      path: "a.txt",
      size_bytes: 3,
      encoding: "utf8",
      content: "two",
      is_cut: false,
    });
    expect(await read(`workspaces/${id}/states/${states[0]}/file?path=a.txt`)).toMatchObject({ content: "one" });
  });
});

it("tells the events of a run in order, by page", async () => {
  const { events, last_line: last } = await read(`runs/${run}/events`);
  expect(events.map(({ line }: { readonly line: number }) => line)).toEqual(
    Array.from({ length: last }, (_, index) => index + 1),
  );
  expect(events[1].event).toMatchObject({
    type: "turn-start",
    permission_mode: "default",
    session_id: expect.any(String),
  });
  const page = await read(`runs/${run}/events?after=2&limit=2`);
  expect(page).toEqual({ events: events.slice(2, 4), last_line: 4 });
  expect(await read(`runs/${run}/events?after=${last}`)).toEqual({ events: [], last_line: last });
});

it("lists sessions that Skein did not start, finds words in them, and reads them from both ends", async () => {
  const { sessions, count } = await read("sessions");
  expect([count, sessions[0].session_id]).toEqual([1, SESSION]);
  const { hits } = await read("search?words=UTC");
  expect(hits).toMatchObject([{ session_id: SESSION, role: "answer", snippet: "They are in UTC." }]);
  const last = await read(`sessions/${SESSION}/messages?limit=1`);
  expect(last).toMatchObject({ messages: [{ text: "They are in UTC." }], has_before: true, has_after: false });
  const before = await read(`sessions/${SESSION}/messages?limit=1&before=${last.start}`);
  expect(before.end).toBe(last.start);
  const first = await read(`sessions/${SESSION}/messages?limit=1&after=0`);
  expect(first).toMatchObject({
    messages: [{ text: "Read the dates of the log" }],
    has_before: false,
    has_after: true,
  });
  expect((await ask(`${monitor.url}/api/sessions/${SESSION}/messages?after=0&before=1`, monitor)).status).toBe(400);
});

it("says of a workspace whose directory is gone that it is, makes none, and lists the others", async () => {
  const { workspaces } = await read("workspaces");
  const gone = workspaces.find(({ path }: { readonly path: string }) => path === join(root, "gone"));
  const { status, json } = await ask(`${monitor.url}/api/workspaces/${gone.id as string}/states`, monitor);
  expect([status, json.error.kind, json.error.operation]).toEqual([500, "filesystem", "listStates"]);
  await expect(realpath(join(root, "gone"))).rejects.toMatchObject({ code: "ENOENT" });
});

it("says what there is where nothing is, in the words of every other error", async () => {
  const { status, json } = await ask(`${monitor.url}/api/nothing`, monitor);
  expect([status, json]).toEqual([
    404,
    {
      error: {
        kind: "state_not_found",
        operation: "api",
        target: "/api/nothing",
        retryable: false,
        message: "There is nothing at /api/nothing",
        hint: "/api/openapi.json lists what there is",
      },
    },
  ]);
});
