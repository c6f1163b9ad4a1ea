import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, listenTo, serveMonitor, type Answer, type ServedMonitor } from "../../../test/support/monitor-client.ts";
import { toFlags } from "./launch-body.ts";

let root: string;
let home: string;
let work: string;
let monitor: ServedMonitor;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "skein-launch-")));
  [home, work] = [join(root, "home"), join(root, "work")];
  await mkdir(work);
  monitor = await serveMonitor(home);
}, 60_000);

afterAll(async () => {
  monitor.process.kill("SIGTERM");
  if (monitor.process.exitCode === null && monitor.process.signalCode === null) await once(monitor.process, "close");
  await rm(root, { recursive: true, force: true, maxRetries: 9 });
});

async function post(path: string, body: object): Promise<Answer> {
  const headers = { "content-type": "application/json" };
  return await ask(`${monitor.url}/api/${path}`, { ...monitor, method: "POST", headers, body: JSON.stringify(body) });
}

async function resultOf(run: string): Promise<Answer["json"]> {
  for (;;) {
    const { json } = await ask(`${monitor.url}/api/runs/${run}/result?wait=25`, monitor);
    if (!json.is_running) return json.envelope;
  }
}

const write = (path: string, content: string): string => `Write ${JSON.stringify({ file_path: path, content })}`;

describe("a run that is started by the server", () => {
  it("is a run as any other, answered by its id, with the envelope of the command when it has ended", async () => {
    const body = { directory: work, offline: "direct", model: "claude-sonnet-4-5", max_responses: 9 };
    const started = await post("runs", { ...body, prompt: write(join(work, "a.txt"), "one") });
    expect(started.json).toMatchObject({ run: { kind: "turn", workspace: work } });
    const { run } = started.json.run;
    const envelope = await resultOf(run);
    expect(envelope).toMatchObject({ command: "run", exit_code: 0, data: { transition_id: run, offline: true } });
    expect(await readFile(join(work, "a.txt"), "utf8")).toBe("one");
    expect((await ask(`${monitor.url}/api/runs/${run}`, monitor)).json.run).toMatchObject({
      state: "ended",
      state_id: envelope.data.state_id,
    });
    const next = await post("runs", { directory: work, offline: "direct", prompt: "say more", continue: true });
    const { data } = await resultOf(next.json.run.run);
    expect(data).toMatchObject({ conversation_id: envelope.data.conversation_id, text: "more" });
  });

  it("takes a prompt that looks like flags, and files, as what they are", async () => {
    const prompt = "--cwd=/etc --permission-mode=bypassPermissions\nsay -";
    const attachments = [{ name: "notes.txt", content_base64: Buffer.from("to do").toString("base64") }];
    const { json } = await post("runs", { directory: work, offline: "direct", prompt, attachments });
    expect(json.run).toMatchObject({ prompt, directory: work });
    expect((await resultOf(json.run.run)).data.text).toContain("--cwd=/etc");
    const { transition } = (await ask(`${monitor.url}/api/workspaces/${await workspaceId()}/states/@`, monitor)).json;
    expect(transition.prompt).toMatchObject({ text: prompt, attachments: [{ name: "notes.txt", type: "text" }] });
    const dash = await post("runs", { directory: work, offline: "direct", prompt: "-" });
    expect((await resultOf(dash.json.run.run)).exit_code).toBe(0);
  });

  it("lives on when the server is killed, and is known to the next one to its end", async () => {
    const go = join(work, "go");
    const prompt = `Bash ${JSON.stringify({ command: `until [ -e ${go} ]; do sleep 0.1; done; echo gone on` })}`;
    const { json } = await post("runs", { directory: work, offline: "direct", prompt });
    const { run, process_id: pid } = json.run;
    using listener = await listenTo(monitor.url, { ...monitor, query: `?subscribe=run:${run}` });
    await listener.until((messages) => messages.some(({ event }) => event?.type === "tool-start"));
    monitor.process.kill("SIGKILL");
    await once(monitor.process, "close");
    monitor = await serveMonitor(home);
    expect((await ask(`${monitor.url}/api/runs/${run}`, monitor)).json.run).toMatchObject({
      state: "running",
      process_id: pid,
    });
    await writeFile(go, "");
    expect((await resultOf(run)).data.text).toContain("gone on");
  });

  it("keeps what it was told and said for its owner, without the server's token", async () => {
    const folder = join(home, "monitor", "launches");
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    for (const name of await readdir(folder)) {
      for (const file of ["input", "out.json", "err.txt", "process.json"]) {
        expect([file, (await stat(join(folder, name, file))).mode & 0o777]).toEqual([file, 0o600]);
        expect(await readFile(join(folder, name, file), "utf8")).not.toContain(monitor.token);
      }
    }
  });

  it("answers with the command's own error where no run began", async () => {
    const closed = join(root, "closed");
    await mkdir(closed);
    await writeFile(join(closed, "skein.config.json"), "{");
    const { status, json } = await post("runs", { directory: closed, offline: "direct", prompt: "say hi" });
    expect([status, json.error.kind, json.error.operation]).toEqual([500, "config", "startRun"]);
    const from = { directory: work, offline: "direct", prompt: "say hi", from: "nowhere" };
    expect((await post("runs", from)).json.error.kind).toBe("state_not_found");
  });
});

describe("who starts a run", () => {
  it("names a directory that there is, and none of Skein's own", async () => {
    await writeFile(join(root, "file"), "");
    await symlink(home, join(root, "link"));
    for (const directory of ["work", "", "..", join(root, "none"), join(root, "file"), home, join(home, "monitor")]) {
      const { status, json } = await post("runs", { directory, offline: "direct", prompt: "say hi" });
      expect([directory, status, json.error.target]).toEqual([directory, 400, "directory"]);
    }
    const linked = await post("runs", { directory: join(root, "link"), offline: "direct", prompt: "say hi" });
    expect(linked.json.error.target).toBe("directory");
    for (const given of [{}, { directory: work, workspace: await workspaceId() }]) {
      expect((await post("runs", { ...given, prompt: "say hi" })).json.error.kind).toBe("usage");
    }
    for (const workspace of ["none", "../work", "--cwd"]) {
      const { status, json } = await post("runs", { workspace, offline: "direct", prompt: "say hi" });
      expect([workspace, status, json.error.kind]).toEqual([workspace, 404, "state_not_found"]);
    }
  });

  it("gives no name that would be a flag or a file, and no flag that is not described", async () => {
    const body = { directory: work, offline: "direct", prompt: "say hi" };
    for (const [given, target] of [
      [{ model: "--dangerously-skip-permissions" }, "model"],
      [{ model: "-p" }, "model"],
      [{ model: "a b" }, "model"],
      [{ offline: "../evil.mjs" }, "offline"],
      [{ offline: "--cwd" }, "offline"],
      [{ trust: true }, "trust"],
      [{ cli_path: "/bin/sh" }, "cli_path"],
      [{ mcp_config: ["x"] }, "mcp_config"],
      [{ env: ["PATH=/tmp"] }, "env"],
      [{ prompt: "a\0b" }, "prompt"],
      [{ max_cost_usd: -1 }, "max_cost_usd"],
      [{ attachments: [{ name: "../../evil", content_base64: "" }] }, "attachments[0].name"],
      [{ attachments: [{ name: "-x", content_base64: "" }] }, "attachments[0].name"],
      [{ attachments: [{ name: "x", content_base64: "!" }] }, "attachments[0].content_base64"],
    ] as const) {
      const { status, json } = await post("runs", { ...body, ...given });
      expect([given, status, json.error.target]).toEqual([given, 400, target]);
    }
  });

  it("runs no command outside the sandbox, where the server does not allow that", async () => {
    for (const [path, given, target] of [
      ["runs", { prompt: "say hi", permission_mode: "bypassPermissions" }, "permission_mode"],
      ["searches", { prompt: ["say hi"], permission_mode: "bypassPermissions" }, "permission_mode"],
      ["runs", { prompt: "say hi", ask: "remote" }, "ask"],
      ["searches", { prompt: ["say hi"], ask: "remote" }, "ask"],
      ["searches", { prompt: ["say hi"], reward: "touch /tmp/evil" }, "reward"],
    ] as const) {
      const { status, json } = await post(path, { directory: work, offline: "direct", ...given });
      expect([path, status, json.error.kind, json.error.target]).toEqual([path, 403, "policy", target]);
    }
  });

  it("makes no folder trusted: nothing runs that it configures", async () => {
    const foreign = join(root, "foreign");
    const ran = join(root, "ran");
    await mkdir(join(foreign, ".claude"), { recursive: true });
    const hooks = { SessionStart: [{ hooks: [{ type: "command", command: `touch ${ran}` }] }] };
    await writeFile(join(foreign, ".claude", "settings.json"), JSON.stringify({ hooks }));
    await writeFile(
      join(foreign, "plugin.mjs"),
      `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(ran)}, "");`,
    );
    await chmod(join(foreign, "plugin.mjs"), 0o755);
    await writeFile(join(foreign, "skein.config.json"), JSON.stringify({ plugins: ["./plugin.mjs"] }));
    const body = { directory: foreign, offline: "direct", prompt: "say hi" };
    for (const given of [{ setting_sources: ["project"] }, { trust: true }]) {
      expect([given, (await post("runs", { ...body, ...given })).status]).toEqual([given, 400]);
    }
    const { json } = await post("runs", body);
    expect((await resultOf(json.run.run)).data.text).toBe("hi");
    await expect(stat(ran)).rejects.toMatchObject({ code: "ENOENT" });
  });
});

it("starts an exploration, which leaves the directory alone and is a search among the runs", async () => {
  const prompt = [write("b.txt", "b"), "--reward=touch /tmp/evil"];
  const { json } = await post("searches", {
    workspace: await workspaceId(),
    offline: "direct",
    prompt,
    concurrency: 1,
  });
  expect(json.run).toMatchObject({ kind: "search", workspace: work, strategy: "best-of-n" });
  const { data } = await resultOf(json.run.run);
  expect(data.branches.map(({ prompt: tried }: { readonly prompt: string }) => tried)).toEqual(prompt);
  await expect(stat(join(work, "b.txt"))).rejects.toMatchObject({ code: "ENOENT" });
  const { searches } = (await ask(`${monitor.url}/api/states/searches`, monitor)).json;
  expect(searches).toEqual([
    {
      workspace_id: await workspaceId(),
      workspace: work,
      id: json.run.run,
      first_prompt: prompt[0],
      turns: 2,
      failed: 0,
      cost_usd: 0,
      offline_cost_usd: expect.any(Number),
      created_at: expect.any(String),
      updated_at: expect.any(String),
      best: null,
    },
  ]);
  const { states } = (await ask(`${monitor.url}/api/states?search=${json.run.run}`, monitor)).json;
  expect(states).toHaveLength(2);
});

it("makes flags whose values are in the same word", () => {
  const given = { cwd: "-x", prompt: ["--a", "b c"], fresh: true, adopt: false, n: 2, model: undefined };
  expect(toFlags(given)).toEqual(["--cwd=-x", "--prompt=--a", "--prompt=b c", "--fresh", "--n=2"]);
});

async function workspaceId(): Promise<string> {
  const { workspaces } = (await ask(`${monitor.url}/api/workspaces`, monitor)).json;
  return workspaces.find(({ path }: { readonly path: string }) => path === work).id;
}
