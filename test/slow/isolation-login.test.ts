import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ClaudeEngine, type ClaudeOptions } from "../../src/engine/index.ts";
import { loadScenario } from "../../src/offline/index.ts";
import { ClaudeAgentSDKAdapter, PromptSession } from "../../src/prompt/index.ts";
import { isolate, IsolationConfig } from "../../src/isolation/index.ts";
import { type IsolationOptions } from "../../src/isolation/internal.ts";
import { startOfflineAgent } from "../../src/testing/index.ts";
import { probe, runCalls, toVerdict, type Attempt } from "../support/isolated-attack.ts";
import { samplePrompt } from "../support/prompt-bench.ts";
import { describeWith } from "../support/require-package.ts";

const PACKAGES = [
  { command: "bwrap", package: "bubblewrap" },
  { command: "socat", package: "socat" },
];

/** The token that is handed over, and a pattern for it that does not match itself. */
const TOKEN = "skein-handed-over-0123456789";
const TOKEN_PATTERN = "'skein-handed-ov[e]r-0123456789'";
const UNCONFINED: IsolationOptions = { sandbox: { enabled: false }, networkPolicy: { allowedDomains: ["*"] } };

let home: string;

/** A person who is logged in with `claude`, in a home of the test's own, and has set no variable. */
beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "skein-person-")));
  await mkdir(join(home, ".claude"));
  const login = { claudeAiOauth: { accessToken: "of-the-login", refreshToken: "no", expiresAt: 4_102_444_800_000 } };
  await writeFile(join(home, ".claude/.credentials.json"), JSON.stringify(login), { mode: 0o600 });
  vi.stubEnv("HOME", home);
  for (const name of ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR"]) {
    vi.stubEnv(name, undefined);
  }
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(home, { recursive: true, force: true });
});

/** Stands before the offline model and keeps the headers that it is sent. */
async function startCheckpoint(url: string) {
  const headers: IncomingHttpHeaders[] = [];
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method === "POST") headers.push(request.headers);
    const body = request.method === "POST" ? { body: await text(request) } : {};
    const sent = { method: request.method ?? "GET", headers: { "content-type": "application/json" }, ...body };
    const answer = await fetch(new URL(request.url ?? "/", url), sent);
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "text/plain" });
    for await (const chunk of answer.body ?? []) response.write(chunk);
    response.end();
  };
  const server = createServer((request, response) => void pass(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, headers, [Symbol.asyncDispose]: close };
}

/** What became of each call: commands tell it themselves. */
function verdicts(attempts: readonly Attempt[]): readonly string[] {
  return attempts.map((attempt) => (attempt.tool === "Bash" ? attempt.output.trim() : toVerdict(attempt)));
}

describe("an isolated run of a person who is logged in", () => {
  test("says plainly what it needs, before anything is started", async () => {
    await using agent = await startOfflineAgent(await loadScenario("direct"));
    const env = { ANTHROPIC_BASE_URL: agent.url };
    const engine = new ClaudeEngine({ env });
    const adapter = new ClaudeAgentSDKAdapter({ engine, isolation: IsolationConfig(UNCONFINED) });
    const evaluate = async () => await adapter.evaluate(samplePrompt(), { session: new PromptSession() });
    await expect(evaluate()).rejects.toMatchObject({
      kind: "auth",
      target: "cli-login",
      hint: expect.stringMatching(/claude setup-token.*CLAUDE_CODE_OAUTH_TOKEN.*oauthToken/u),
    });
    // Who is not logged in is told something else.
    await rm(join(home, ".claude/.credentials.json"));
    await expect(evaluate()).rejects.toMatchObject({ kind: "auth", target: undefined });
    expect(agent.requests).toEqual([]);
  });
});

describeWith(PACKAGES, "a token that is handed over", () => {
  const attempts = [
    probe(`env | grep -q ${TOKEN_PATTERN}`),
    probe(`cat /proc/*/environ /proc/$PPID/environ | grep -qa ${TOKEN_PATTERN}`),
    probe(`cat /proc/*/cmdline | grep -qa ${TOKEN_PATTERN}`),
    probe(`grep -rqs ${TOKEN_PATTERN} "$HOME/.." "$TMPDIR" "$CLAUDE_CONFIG_DIR" .`),
  ];

  test.each<[string, (token: string) => { readonly given: IsolationOptions; readonly variables: object }]>([
    ["by the configuration", (oauthToken) => ({ given: { oauthToken }, variables: {} })],
    ["by the environment", (token) => ({ given: {}, variables: { CLAUDE_CODE_OAUTH_TOKEN: token } })],
  ])("is what the API is asked with, and out of the tools' reach: %s", async (_, hand) => {
    await using agent = await startOfflineAgent(await loadScenario("direct"));
    await using checkpoint = await startCheckpoint(agent.url);
    const { given, variables } = hand(TOKEN);
    const env = { ANTHROPIC_BASE_URL: checkpoint.url, ANTHROPIC_API_KEY: undefined };
    const options: ClaudeOptions = {
      cwd: agent.cwd,
      model: "claude-sonnet-5-5",
      permissionMode: "bypassPermissions",
      env,
    };
    const hostEnv = { ...process.env, ...variables };
    await using isolated = await isolate(IsolationConfig(given), options, { hostEnv });
    // An engine with a key of its own does not pay where a token was given.
    const own = "oauthToken" in given ? { ANTHROPIC_API_KEY: "key-of-the-engine" } : {};
    const merged = { ...isolated.options, env: { ...own, ...isolated.options.env } };
    const login = join(home, ".claude/.credentials.json");
    const done = await runCalls(merged, [
      ...attempts,
      probe(`cat ${login}`),
      { tool: "Read", input: { file_path: login } },
      { tool: "Read", input: { file_path: "/proc/self/environ" } },
      { tool: "Read", input: { file_path: join(dirname(isolated.home), ".claude/.credentials.json") } },
    ]);
    expect(verdicts(done.attempts)).toEqual([...Array(5).fill("blocked"), ...Array(3).fill("Read refused")]);
    expect(new Set(checkpoint.headers.map(({ authorization }) => authorization))).toEqual(new Set([`Bearer ${TOKEN}`]));
    expect(checkpoint.headers.filter((sent) => sent["x-api-key"] !== undefined)).toEqual([]);
    expect(JSON.stringify([done, agent.requests])).not.toContain(TOKEN);
    const root = dirname(dirname(isolated.home));
    const found = promisify(execFile)("grep", ["-rla", TOKEN, root]).then(
      ({ stdout }) => stdout,
      ({ code }: { readonly code: number }) => `exit ${code}`,
    );
    expect(await found).toBe("exit 1");
  });

  test("is there for commands where the sandbox is off, as the documents say", async () => {
    await using agent = await startOfflineAgent(await loadScenario("direct"));
    const options: ClaudeOptions = {
      cwd: agent.cwd,
      model: "claude-sonnet-5-5",
      permissionMode: "acceptEdits",
      allowedTools: ["Bash"],
      env: { ANTHROPIC_BASE_URL: agent.url },
    };
    await using isolated = await isolate(IsolationConfig({ ...UNCONFINED, oauthToken: TOKEN }), options);
    const done = await runCalls(isolated.options, attempts.slice(1, 2));
    expect(verdicts(done.attempts)).toEqual(["REACHED"]);
  });
});
