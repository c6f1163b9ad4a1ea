import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createFakeClock } from "../../testing/index.ts";
import { checkDisk, checkEndpoint, checkHealth, worstLevel } from "./check-health.ts";
import type { BreakerState } from "./circuit-breaker.ts";

let server: Server;
let url: string;
let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "skein-health-"));
  // It answers by its path: a status, or nothing at all.
  server = createServer((request, response) => {
    const status = Number(request.url?.slice(1));
    if (status > 0) response.writeHead(status).end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(home, { recursive: true });
});

const machine = (): { readonly HOME: string; readonly CLAUDE_CONFIG_DIR: string } => ({
  HOME: home,
  CLAUDE_CONFIG_DIR: join(home, ".claude"),
});

test("a machine that has everything is healthy, and no secret is told", async () => {
  const env = { ...machine(), ANTHROPIC_API_KEY: "secret", ANTHROPIC_BASE_URL: `${url}/404` };
  const report = await checkHealth({
    engine: { breakers: () => [{ key: "api opus", state: "closed", failures: 1 }] },
    env,
    dataFolder: join(home, "not", "there", "yet"),
    clock: createFakeClock(),
  });
  expect(report).toEqual({
    level: "healthy",
    checkedAt: "2026-01-01T00:00:00.000Z",
    checks: [
      { name: "claude-cli", level: "healthy", detail: expect.stringMatching(/^\d+\.\d+\.\d+ at \//) },
      { name: "credentials", level: "healthy", detail: "api-key" },
      { name: "endpoint", level: "healthy", detail: expect.stringMatching(/\/404 answered 404 in \d+ ms$/) },
      { name: "breakers", level: "healthy", detail: "closed" },
      { name: "disk", level: "healthy", detail: expect.stringMatching(/^\d+\.\d GiB free at /) },
    ],
  });
  expect(JSON.stringify(report)).not.toContain("secret");
});

test("what is missing is named with what to do, and the worst is the whole", async () => {
  const report = await checkHealth({ env: machine(), cliPath: "/no/claude", dataFolder: home });
  expect(report.level).toBe("failed");
  expect(report.checks.map(({ name, level, fix }) => [name, level, fix !== undefined])).toEqual([
    ["claude-cli", "failed", true],
    ["credentials", "critical", true],
    ["endpoint", "unknown", false],
    ["disk", "healthy", false],
  ]);
});

test.each([
  ["open", "critical"],
  ["half-open", "warning"],
] as const)("a breaker that is %s is %s", async (state, level) => {
  const breaker: BreakerState = { key: "api opus", state, failures: 5 };
  const { checks } = await checkHealth({ engine: { breakers: () => [breaker] }, env: machine(), dataFolder: home });
  expect(checks.find(({ name }) => name === "breakers")).toMatchObject({
    level,
    detail: `api opus: ${state}, 5 failures`,
  });
});

describe("the endpoint", () => {
  const check = (base: string, timeoutMs = 5000, probe?: boolean): ReturnType<typeof checkEndpoint> =>
    checkEndpoint({ env: { ANTHROPIC_BASE_URL: base }, timeoutMs, probe });

  test("that answers with its own failure is critical", async () => {
    expect(await check(`${url}/503`)).toMatchObject({
      level: "critical",
      detail: expect.stringContaining("answered 503"),
    });
  });

  test("that does not answer in time is critical", async () => {
    expect(await check(`${url}/silent`, 50)).toMatchObject({
      level: "critical",
      detail: `${url}/silent: no answer in time`,
    });
  });

  test("that is not there is critical, told by the system's code", async () => {
    const gone = createServer().listen(0, "127.0.0.1");
    await once(gone, "listening");
    const { port } = gone.address() as AddressInfo;
    await once(gone.close(), "close");
    expect(await check(`http://ada:secret@127.0.0.1:${port}`)).toEqual({
      name: "endpoint",
      level: "critical",
      detail: `http://127.0.0.1:${port}: ECONNREFUSED`,
      fix: "Check ANTHROPIC_BASE_URL, the network and the proxy.",
    });
  });

  test("is not asked unless it is on this machine, or that is wanted", async () => {
    expect(await check("https://gate.example/v1")).toEqual({
      name: "endpoint",
      level: "unknown",
      detail: "https://gate.example/v1: not asked",
    });
    expect(await check(`${url}/200`, 5000, false)).toMatchObject({ level: "unknown" });
    expect(await check("nonsense", 5000, true)).toMatchObject({
      level: "unknown",
      detail: "unknown: no address to ask",
    });
  });
});

test.each([
  [2 * 1024 ** 3, "healthy"],
  [1024 ** 3 - 1, "warning"],
  [1024 ** 2, "critical"],
  [undefined, "unknown"],
] as const)("%s bytes that are free are %s", async (freeBytes, level) => {
  expect(await checkDisk("/data", async () => freeBytes)).toMatchObject({ name: "disk", level });
});

test("unknown decides only where nothing else is known", () => {
  expect(worstLevel(["unknown", "healthy"])).toBe("healthy");
  expect(worstLevel(["warning", "failed", "critical"])).toBe("failed");
  expect(worstLevel([])).toBe("unknown");
});
