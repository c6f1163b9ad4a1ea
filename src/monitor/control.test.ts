import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  ask,
  listenTo,
  serveMonitor,
  type Answer,
  type Listener,
  type ServedMonitor,
} from "../../test/support/monitor-client.ts";

let root: string;
let home: string;
let monitor: ServedMonitor;
let listener: Listener;
const children: ChildProcess[] = [];

async function serve(): Promise<void> {
  monitor = await serveMonitor(home);
  children.push(monitor.process);
  listener = await listenTo(monitor.url, { ...monitor, query: "?subscribe=questions,runs" });
}

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "skein-asked-")));
  home = join(root, "home");
  await mkdir(home);
  await serve();
}, 60_000);

afterAll(async () => {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill("SIGKILL");
    await once(child, "close");
  }
  await rm(root, { recursive: true, force: true, maxRetries: 9 });
});

interface StartedRun {
  readonly process: ChildProcess;
  readonly directory: string;
  /** Its envelope, when it is over. */
  readonly ended: Promise<Readonly<Record<string, unknown>>>;
}

/** `skein run` on the offline model, which does what the prompt says, in a process of its own. */
async function startRun(name: string, prompt: string, flags: readonly string[] = []): Promise<StartedRun> {
  const directory = join(root, name);
  await mkdir(directory);
  const fixed = ["--offline", "direct", "--ask", "remote", "--cwd", directory, "--output-format", "json"];
  const child = spawn(process.execPath, ["dist/cli/main.js", "run", prompt, ...fixed, ...flags], {
    env: { PATH: process.env["PATH"], TMPDIR: tmpdir(), HOME: home, SKEIN_HOME: home, IS_SANDBOX: "1" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  let written = "";
  child.stdout.on("data", (chunk: Buffer) => (written += chunk.toString()));
  const ended = once(child, "close").then(() => JSON.parse(written || "{}") as Readonly<Record<string, unknown>>);
  return { process: child, directory, ended };
}

const json = { "content-type": "application/json" };
const post = async (path: string, body: object): Promise<Answer> =>
  await ask(`${monitor.url}${path}`, { ...monitor, method: "POST", headers: json, body: JSON.stringify(body) });

/** The question that is asked in a directory, as the server tells it, by all that it has told since it was started. */
async function asked(directory: string, tool: string): Promise<{ readonly id: string; readonly run: string }> {
  const isIt = (question: { readonly directory: string; readonly tool: string }): boolean =>
    question.directory === directory && question.tool === tool;
  const questionsIn = (messages: Listener["messages"]): readonly Record<string, never>[] =>
    messages.flatMap(({ type, question, questions }) =>
      type === "question" ? [question] : type === "snapshot" ? questions : [],
    );
  await listener.until((messages) => questionsIn(messages).some(isIt as never));
  const found = questionsIn(listener.messages).findLast(isIt as never) as unknown as Record<string, string>;
  return { id: found["question_id"] ?? "", run: found["run"] ?? "" };
}

const outside = (name: string): string => join(root, name);
const write = (name: string): string => `Write ${JSON.stringify({ file_path: outside(name), content: name })}`;
const colours = { question: "Which colour?", header: "Colour", multiSelect: false };
const options = ["Red", "Blue"].map((label) => ({ label, description: label }));
const asking = `AskUserQuestion ${JSON.stringify({ questions: [{ ...colours, options }] })}`;

describe("a run that asks by way of the server", () => {
  it("goes on with the answers, those to another server too when the first was killed while it asked", async () => {
    const started = await startRun("answered", [write("a.txt"), write("b.txt"), asking, "say Done."].join("\n"));
    const first = await asked(started.directory, "Write");
    const { questions } = (await ask(`${monitor.url}/api/questions`, monitor)).json;
    expect(questions).toMatchObject([
      {
        kind: "permission",
        asked_on: "remote",
        directory: started.directory,
        input: { file_path: outside("a.txt"), content: "a.txt" },
        is_sandboxed: false,
        warnings: ["Outside the working directory"],
        rules: [`files in ${root}`],
      },
    ]);
    const { processes } = (await ask(`${monitor.url}/api/processes`, monitor)).json;
    expect(processes).toMatchObject([{ process_id: started.process.pid, state: "waiting", state_limit_ms: 3_600_000 }]);
    const both = await Promise.all(
      ["alice", "bob"].map(async (by) => await post(`/api/questions/${first.id}/answer`, { decision: "deny", by })),
    );
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 409]));
    const winner = both[0]?.status === 200 ? "alice" : "bob";
    expect(both.find(({ status }) => status === 409)?.json.error).toMatchObject({ kind: "conflict", by: winner });
    await listener.until((messages) => messages.some((each) => each.question_id === first.id));
    expect(listener.messages.find((each) => each.question_id === first.id)).toMatchObject({
      type: "question-closed",
      decision: "deny",
      by: winner,
    });
    await listener.until((messages) => messages.filter(({ type }) => type === "question").length === 2);
    monitor.process.kill("SIGKILL");
    await once(monitor.process, "close");
    await serve();
    const second = await asked(started.directory, "Write");
    expect(second.id).not.toBe(first.id);
    const path = `/api/questions/${second.id}/answer`;
    expect((await post(path, { decision: "allow", rules: [1] })).json.error).toMatchObject({ kind: "usage" });
    expect((await post(path, { decision: "allow", message: "No" })).json.error).toMatchObject({ kind: "usage" });
    expect((await post(path, { decision: "allow", rules: [0] })).status).toBe(200);
    const third = await asked(started.directory, "AskUserQuestion");
    await post(`/api/questions/${third.id}/answer`, { decision: "allow", answers: { "Which colour?": "Blue" } });
    const { data, exit_code: code } = await started.ended;
    expect([code, data]).toMatchObject([0, { text: "Done.", permission_denials: [{ tool: "Write" }] }]);
    expect(await readFile(outside("b.txt"), "utf8")).toBe("b.txt");
    await expect(readFile(outside("a.txt"))).rejects.toMatchObject({ code: "ENOENT" });
    const events = (await ask(`${monitor.url}/api/runs/${first.run}/events`, monitor)).json.events as readonly {
      readonly event: Readonly<Record<string, unknown>>;
    }[];
    const answers = events.map(({ event }) => event).filter(({ type }) => type === "question-answered");
    expect(answers).toMatchObject([
      { decision: "deny", by: winner, message: "The user did not allow this.", rules: [] },
      { decision: "allow", by: "monitor", rules: [`files in ${root}`] },
      { decision: "allow", by: "monitor", answers: { "Which colour?": "Blue" } },
    ]);
    // The time in which somebody thinks is not the tool's.
    const ends = events.map(({ event }) => event).filter(({ type, tool }) => type === "tool-end" && tool === "Write");
    const waited = answers.map(({ waited_ms: ms }) => Number(ms));
    expect(ends.every(({ duration_ms: ms }, place) => Number(ms) < (waited[place] ?? 0) + 1000)).toBe(true);
    const late = await post(path, { decision: "allow" });
    expect([late.status, late.json.error]).toMatchObject([409, { kind: "conflict" }]);
    expect((await post(`/api/runs/${first.run}/interrupt`, {})).json.error).toMatchObject({ kind: "conflict" });
  });

  it("can be told to stop, twice too, and given another mode, but none that is looser than its own", async () => {
    const started = await startRun("stopped", [write("c.txt"), "say Done."].join("\n"), [
      "--permission-mode",
      "default",
    ]);
    const { run, id } = await asked(started.directory, "Write");
    const set = async (body: object): Promise<Answer> => await post(`/api/runs/${run}/settings`, body);
    for (const mode of ["bypassPermissions", "auto", "acceptEdits"]) {
      const { status, json: refused } = await set({ permission_mode: mode, model: "opus" });
      expect([mode, status, refused.error.kind]).toEqual([mode, 403, "policy"]);
    }
    expect((await set({})).json.error).toMatchObject({ kind: "usage" });
    expect((await set({ permission_mode: "plan", by: "alice" })).status).toBe(200);
    expect((await set({ permission_mode: "default" })).status).toBe(200);
    const stop = (): Promise<Answer> => post(`/api/runs/${run}/interrupt`, { by: "alice" });
    const stops = await Promise.all([stop(), stop()]);
    expect(stops[0]?.status).toBe(200);
    expect([200, 409]).toContain(stops[1]?.status);
    expect((await started.ended)["error"]).toMatchObject({ kind: "cancelled" });
    await listener.until((messages) => messages.some((each) => each.run?.run === run && each.run.state === "ended"));
    const told = (await ask(`${monitor.url}/api/runs/${run}`, monitor)).json.run;
    expect(told).toMatchObject({ activity: "dead", end_reason: "cancelled" });
    expect((await post(`/api/questions/${id}/answer`, { decision: "allow" })).status).toBe(409);
    await expect(readFile(outside("c.txt"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("takes its question along when it is killed", async () => {
    const started = await startRun("killed", [write("d.txt"), "say Done."].join("\n"));
    const { id, run } = await asked(started.directory, "Write");
    const killedAtMs = Date.now();
    started.process.kill("SIGKILL");
    await listener.until((messages) =>
      messages.some((each) => each.run?.run === run && each.run.state === "interrupted"),
    );
    expect(Date.now() - killedAtMs).toBeLessThan(5000);
    expect(listener.messages.find((each) => each.question_id === id)).toMatchObject({ decision: null, by: null });
    expect((await ask(`${monitor.url}/api/questions`, monitor)).json).toEqual({ questions: [] });
    expect((await post(`/api/questions/${id}/answer`, { decision: "allow" })).json.error.kind).toBe("conflict");
    const { processes } = (await ask(`${monitor.url}/api/processes`, monitor)).json;
    expect(processes).toMatchObject([{ process_id: started.process.pid, state: "dead", end_reason: "killed" }]);
  });

  it.each([
    ["in its sandbox", []],
    ["isolated", ["--isolated"]],
  ])("cannot be answered by its own agent, %s: neither socket nor token can be reached", async (name, flags) => {
    const [token, file, socket] = ["token", "server.json", "events.sock"].map((each) => join(home, "monitor", each));
    const attempts = `
      const { readFileSync, writeFileSync } = require("node:fs");
      const found = [${JSON.stringify(token)}, ${JSON.stringify(file)}].map((path) => {
        try { return readFileSync(path, "utf8"); } catch (error) { return error.code; }
      });
      const tryTo = (options) => new Promise((resolve) => {
        try {
          const socket = require("node:net").connect(options);
          socket.on("connect", () => resolve("connected")).on("error", (error) => resolve(error.code));
        } catch (error) { resolve(error.code); }
      });
      (async () => {
        found.push(await tryTo({ path: ${JSON.stringify(socket)} }));
        found.push(await tryTo({ host: "127.0.0.1", port: ${new URL(monitor.url).port} }));
        console.log(JSON.stringify(found));
        process.exit(0);
      })();`;
    const prompt = [
      `Write ${JSON.stringify({ file_path: "{{cwd}}/attack.cjs", content: attempts })}`,
      `Read ${JSON.stringify({ file_path: token })}`,
      `Bash ${JSON.stringify({ command: "node attack.cjs" })}`,
      "say {{result}}",
    ].join("\n");
    const started = await startRun(`attacked-${name}`.replaceAll(" ", "-"), prompt, flags);
    const { data } = (await started.ended) as {
      readonly data: { readonly text: string; readonly permission_denials: unknown };
    };
    const found = JSON.parse(data.text) as readonly string[];
    // The files are not there for it, the kernel gives it no such socket, and its network has nobody on it.
    expect(found).toEqual(["ENOENT", "ENOENT", "EPERM", "ECONNREFUSED"]);
    // Nobody is asked whether it may read the token.
    expect(data.permission_denials).toMatchObject([{ tool: "Read" }]);
    const questions = listener.messages.filter(({ type }) => type === "question");
    expect(questions.filter(({ question }) => question.directory === started.directory)).toEqual([]);
  });
});
