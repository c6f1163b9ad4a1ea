import { execFile } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { serveMonitor, ask, type ServedMonitor } from "../support/monitor-client.ts";
import { describeWith } from "../support/require-package.ts";
import { readEnvelope, runSkein, runSkeinJson, startSkein } from "./support/skein.ts";

/** Two machines: each has a home and a data folder of its own. There a server runs; here is who drives it. */
let root: string;
let there: string;
let work: string;
let here: string;
let server: ServedMonitor;
let tokenFile: string;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "skein-two-")));
  [there, work, here] = [join(root, "there"), join(root, "there-work"), join(root, "here")];
  for (const folder of [work, here]) await mkdir(folder);
  server = await serveMonitor(there);
  tokenFile = join(here, "token");
  await writeFile(tokenFile, server.token, { mode: 0o600 });
}, 60_000);

afterAll(async () => {
  await end(server);
  await rm(root, { recursive: true, force: true, maxRetries: 9 });
});

async function end({ process: child }: ServedMonitor, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, "close");
}

const options = () => ({ cwd: here, env: { HOME: here } });

const place = (): readonly string[] => ["--remote-cwd", work, "--offline", "direct", "--token-file", tokenFile];

const write = (name: string, content: string): string =>
  `Write ${JSON.stringify({ file_path: join(work, name), content })}`;

// oxlint-disable-next-line typescript/no-explicit-any -- what a test expects of them, it compares whole
function linesOf(stdout: string): any[] {
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
}

const typesOf = (lines: readonly { readonly type?: string }[]): readonly (string | undefined)[] =>
  lines.map(({ type }) => type).filter((type) => type?.endsWith("-delta") === false);

async function errorOf(...given: Parameters<typeof runThere>): Promise<unknown> {
  const { code, error } = await runThere(...given);
  return [code, error.kind, error.target];
}

async function kindOf(...given: Parameters<typeof runThere>): Promise<string> {
  return (await runThere(...given)).error.kind;
}

async function runThere(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { code, envelope } = await runSkeinJson(words, { cwd: here, env: { HOME: here, ...env } });
  const error = envelope["error"] as { readonly kind: string; readonly target: string };
  return { code, error };
}

/** A run there that waits for a file. */
async function startWaiting(): Promise<{ readonly run: string; go(): Promise<void> }> {
  const directory = await mkdtemp(join(root, "waiting-"));
  const go = join(directory, "go");
  const prompt = `say before\nBash ${JSON.stringify({ command: `until [ -e ${go} ]; do sleep 0.1; done; echo gone` })}\nsay after`;
  const body = JSON.stringify({ directory, offline: "direct", prompt });
  const headers = { "content-type": "application/json" };
  const { json } = await ask(`${server.url}/api/runs`, { ...server, method: "POST", headers, body });
  return { run: json.run.run, go: async () => await writeFile(go, "") };
}

describe("remote-mode", () => {
  it("runs a turn on the other machine, and tells its events and what it came to as run does", async () => {
    const words = ["remote-mode", server.url, ...place(), "--prompt", `${write("a.txt", "one")}\nsay done`];
    const { code, stdout } = await runSkein([...words, "--output-format", "stream-json"], options());
    const lines = linesOf(stdout);
    const { data, ...envelope } = lines.at(-1);
    expect([code, envelope.command, envelope.exit_code]).toEqual([0, "remote-mode", 0]);
    expect(data).toMatchObject({
      target: server.url,
      run: { state: "ended", directory: work, run: data.turn.transition_id },
      turn: { text: "done", files: { created: ["a.txt"] }, offline: true },
    });
    expect(await readFile(join(work, "a.txt"), "utf8")).toBe("one");
    const direct = ["run", `${write("a.txt", "two")}\nsay done`, "--cwd", work, "--offline", "direct"];
    const env = { HOME: there, SKEIN_HOME: there };
    const own = await runSkein([...direct, "--output-format", "stream-json"], { cwd: work, env });
    expect(typesOf(lines.slice(0, -1))).toEqual(typesOf(linesOf(own.stdout).slice(0, -1)));
    // Nothing of it is recorded here.
    await expect(readdir(join(here, "skein"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("says what went wrong there in the words of the command there", async () => {
    const failed = ["remote-mode", server.url, ...place(), "--prompt", 'fail {"type":"error","status":401}'];
    const { code, envelope } = await runSkeinJson(failed, options());
    expect([code, envelope["error"]]).toEqual([
      1,
      expect.objectContaining({
        kind: "auth",
        operation: "remote-mode",
        run: expect.stringMatching(/^[0-9a-f-]{36}$/u),
      }),
    ]);
    expect((envelope["error"] as { turn: object }).turn).toMatchObject({ is_error: true });
    const words = ["remote-mode", server.url, "--prompt", "x", "--offline", "direct", "--token-file", tokenFile];
    expect(await errorOf([...words, "--remote-cwd", join(root, "none")])).toEqual([1, "usage", "directory"]);
    expect(await errorOf([...words, "--workspace", "none"])).toEqual([1, "state_not_found", "none"]);
    expect(await errorOf([...words, "--remote-cwd", work, "--model", "--evil"])).toEqual([1, "usage", "model"]);
  });

  it("stops the run there when it is interrupted here", async () => {
    const prompt = `Bash ${JSON.stringify({ command: "sleep 600" })}`;
    const words = ["remote-mode", server.url, ...place(), "--prompt", prompt, "--output-format", "stream-json"];
    const running = await startSkein(words, options());
    await running.printed('"type":"tool-start"');
    running.child.kill("SIGINT");
    const { code, stdout } = await running.finished;
    const { error } = readEnvelope(stdout.trimEnd().split("\n").at(-1) ?? "") as {
      readonly error: { readonly kind: string; readonly run: string };
    };
    expect([code, error.kind]).toEqual([1, "cancelled"]);
    const { json } = await ask(`${server.url}/api/runs/${error.run}`, server);
    expect(json.run).toMatchObject({ state: "ended", is_error: true, error_kind: "cancelled" });
  });
});

describe("direct-connect-mode", () => {
  it("tells all events of a run, from the first to the last, though the server is killed in between", async () => {
    const { run, go } = await startWaiting();
    const port = new URL(server.url).port;
    const words = ["direct-connect-mode", server.url, run, "--token-file", tokenFile];
    const running = await startSkein([...words, "--output-format", "stream-json"], options());
    await running.printed('"type":"tool-start"');
    await end(server, "SIGKILL");
    await go();
    server = await serveMonitor(there, ["--port", port]);
    const { code, stdout, stderr } = await running.finished;
    const lines = linesOf(stdout);
    expect([code, lines.at(-1).data]).toMatchObject([0, { target: server.url, run: { run, state: "ended" } }]);
    const { events } = (await ask(`${server.url}/api/runs/${run}/events`, server)).json;
    const recorded = events.map(({ event }: { readonly event: object }) => event);
    expect(lines.slice(0, -1).filter(({ type }) => !type.endsWith("-delta"))).toEqual(recorded.slice(1, -1));
    expect(stderr).toContain("was lost; trying again");
    const again = await runSkein([...words, "--output-format", "stream-json"], options());
    expect(linesOf(again.stdout).slice(0, -1)).toEqual(recorded.slice(1, -1));
    const text = await runSkein(["direct-connect-mode", server.url, "--token-file", tokenFile], options());
    expect(text.stdout).toContain("after");
    expect(text.stdout).toMatch(/State +ended/u);
  });

  it("leaves the run alone when it is interrupted", async () => {
    const { run, go } = await startWaiting();
    const words = ["direct-connect-mode", server.url, run, "--token-file", tokenFile];
    const running = await startSkein([...words, "--output-format", "stream-json"], options());
    await running.printed('"type":"tool-start"');
    running.child.kill("SIGINT");
    const { code, stdout } = await running.finished;
    expect([code, linesOf(stdout).at(-1).data.run.state]).toEqual([0, "running"]);
    await go();
    const { stdout: rest } = await runSkein([...words, "--output-format", "json"], options());
    expect(linesOf(rest)[0].data.run.state).toBe("ended");
  });

  it("says that a run is none, or was killed", async () => {
    const none = "0199b3c4-5d6e-7f80-9123-456789abcdef";
    const words = ["direct-connect-mode", server.url];
    expect(await errorOf([...words, none, "--token-file", tokenFile])).toEqual([1, "state_not_found", none]);
    expect(await errorOf([...words, "../../x", "--token-file", tokenFile])).toEqual([1, "usage", "run"]);
    const { run } = await startWaiting();
    const { json } = await ask(`${server.url}/api/runs/${run}`, server);
    process.kill(json.run.process_id as number, "SIGKILL");
    expect(await errorOf([...words, run, "--token-file", tokenFile])).toEqual([1, "process", run]);
  });
});

const connect = (url: string, ...flags: readonly string[]): readonly string[] => [
  "direct-connect-mode",
  url,
  "0199b3c4-5d6e-7f80-9123-456789abcdef",
  ...flags,
];

describe("a server elsewhere", () => {
  it("is given a token from a file for its owner, or a variable, and no other server's", async () => {
    expect(await errorOf(connect(server.url))).toEqual([1, "auth", server.url]);
    expect(await errorOf(connect(server.url), { SKEIN_MONITOR_TOKEN: "x".repeat(43) })).toEqual([
      1,
      "auth",
      server.url,
    ]);
    expect(await kindOf(connect(server.url), { SKEIN_MONITOR_TOKEN: server.token })).toBe("state_not_found");
    // Whoever is on the server's machine, with its data folder, needs to say nothing.
    expect(await kindOf(connect(server.url), { SKEIN_HOME: there })).toBe("state_not_found");
    const open = join(here, "open");
    await writeFile(open, server.token);
    await chmod(open, 0o644);
    expect(await errorOf(connect(server.url, "--token-file", open))).toEqual([1, "policy", open]);
  });

  it("is told from nobody, from something else, and from a newer version", async () => {
    const answers = { body: "<html>", status: 200 };
    const asked: (string | undefined)[] = [];
    const other = createServer((request, response) => {
      asked.push(request.headers.authorization);
      response.writeHead(answers.status, { location: "http://127.0.0.1:1/" }).end(answers.body);
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void other.close());
    await once(other, "listening");
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const token = ["--token-file", tokenFile];
    expect(await errorOf(connect("http://127.0.0.1:1", ...token))).toEqual([1, "network", "http://127.0.0.1:1"]);
    expect(await errorOf(connect(url, ...token))).toEqual([1, "parse", url]);
    Object.assign(answers, { status: 302 });
    expect(await errorOf(connect(url, ...token))).toEqual([1, "parse", url]);
    Object.assign(answers, { status: 200, body: '{"status":"ok","api_version":2}' });
    expect(await errorOf(connect(url, ...token))).toEqual([1, "parse", url]);
    expect(asked).toHaveLength(3);
    for (const wrong of ["server", "ftp://x", `${server.url}/api`, `${server.url}/?code=x`, "http://me:pw@127.0.0.1"]) {
      expect(await errorOf(connect(wrong, ...token))).toEqual([1, "usage", wrong]);
    }
    // The token would be there for all on the way to read.
    const clear = "http://build.example:4269";
    expect(await errorOf(connect(clear, ...token))).toEqual([1, "policy", clear]);
  });
});

describeWith({ command: "openssl", package: "openssl" }, "a server with a certificate", () => {
  it("is believed by https where its certificate is, and mistakes about that are told", async () => {
    const [cert, key] = [join(here, "cert.pem"), join(here, "key.pem")];
    const subject = ["-subj", "/CN=skein", "-addext", "subjectAltName=IP:127.0.0.1"];
    const files = ["-keyout", key, "-out", cert];
    await promisify(execFile)("openssl", [
      "req",
      "-x509",
      "-newkey",
      "rsa:2048",
      "-nodes",
      "-days",
      "2",
      ...files,
      ...subject,
    ]);
    const home = join(root, "secure");
    const flags = ["--port", "0", "--tls-cert", cert, "--tls-key", key, "--read-only"];
    const secure = await serveMonitor(home, flags);
    onTestFinished(async () => await end(secure));
    const { url } = secure;
    const env = { SKEIN_MONITOR_TOKEN: secure.token };
    expect(url).toMatch(/^https:/u);
    expect(await errorOf(connect(url), env)).toEqual([1, "config", url]);
    expect(await kindOf(connect(url, "--ca-file", cert), env)).toBe("state_not_found");
    expect(await kindOf(connect(url.replace("127.0.0.1", "localhost"), "--ca-file", cert), env)).toBe("config");
    for (const [wrong, hint] of [
      [server.url.replace("http:", "https:"), "Use http:// if the server has no certificate"],
      [url.replace("https:", "http:"), "Use https:// if the server has a certificate"],
    ] as const) {
      const { error } = await runThere(connect(wrong), env);
      expect(error).toMatchObject({ kind: "network", target: wrong, hint });
    }
    const run = ["remote-mode", url, "--ca-file", cert, "--prompt", "say hi", "--remote-cwd", work];
    expect(await errorOf(run, env)).toEqual([1, "policy", "startRun"]);
  });
});
