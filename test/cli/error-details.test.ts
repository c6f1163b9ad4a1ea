import { expect, it } from "vitest";
import { connectMcp, errorOf } from "./support/mcp-client.ts";
import { scenarioFile } from "./support/scenario-file.ts";
import { runSkein, runSkeinJson, temporaryDirectory } from "./support/skein.ts";

const SLOW = { timeout: 60_000 } as const;

/** What a rate limit tells, however the command was called. */
const RATE_LIMIT = {
  kind: "rate_limit",
  operation: "run",
  target: null,
  retryable: true,
  message: "The API refused the request: too many requests (429)",
  hint: expect.stringContaining("Wait"),
  status: 429,
  retry_after_ms: 30_000,
  before_state_id: expect.stringMatching(/^[\da-f]{40}$/u) as string,
  turn: expect.objectContaining({ is_error: true }),
};

async function rateLimited(): Promise<string> {
  return await scenarioFile([{ fail: { type: "http", status: 429, retryAfterS: 30 } }]);
}

it("tells all that is known of a rate limit in the envelope", SLOW, async () => {
  const { envelope } = await runSkeinJson(["run", "go", "--offline", await rateLimited()], {
    cwd: await temporaryDirectory(),
  });
  expect(envelope["error"]).toEqual(RATE_LIMIT);
});

it("tells it to a program that calls by JSON-RPC", SLOW, async () => {
  const params = { prompt: "go", offline: await rateLimited() };
  const { stdout } = await runSkein(["rpc"], {
    cwd: await temporaryDirectory(),
    stdin: `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "run", params })}\n`,
  });
  const answers = stdout.split("\n").filter((line) => line.includes('"error":{"code"'));
  expect(answers.map((line) => JSON.parse(line))).toEqual([
    { jsonrpc: "2.0", id: 1, error: { code: -32_000, message: RATE_LIMIT.message, data: RATE_LIMIT } },
  ]);
});

it("names fields in the hints for a program, where a person reads flags", async () => {
  const calls = [
    ["run", { prompt: "go", undo_on_failure: true, record: false }],
    ["run", { prompt: "go", isolated: true, setting_sources: ["user"] }],
    ["turn-loop", { prompt: "go", structured_retry_limit: 1 }],
    ["run", { prompt: "go", cwd: "missing" }],
  ];
  const { stdout } = await runSkein(["rpc"], {
    cwd: await temporaryDirectory(),
    stdin: calls.map(([method, params], id) => `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`).join(""),
  });
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly id: number; readonly error: { readonly data: object } });
  expect(answers.toSorted((one, other) => one.id - other.id).map(({ error }) => error.data)).toMatchObject([
    { kind: "usage", target: "record", hint: "Leave out undo_on_failure or record" },
    { kind: "usage", target: "setting_sources", hint: "Leave out isolated or setting_sources" },
    { kind: "usage", hint: "Give the schema that the answers have to match with json_schema." },
    { kind: "filesystem", hint: "Add create to make it, or name another." },
  ]);
});

it("tells it to a model that calls by MCP", SLOW, async () => {
  const client = await connectMcp(
    { cwd: await temporaryDirectory(), home: await temporaryDirectory() },
    "--allow-modules",
    "--allow-unconfined",
  );
  const result = await client.callTool({ name: "run", arguments: { prompt: "go", offline: await rateLimited() } });
  expect(errorOf(result)).toEqual(RATE_LIMIT);
});
