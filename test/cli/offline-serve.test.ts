import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readEnvelope, runSkeinJson, startSkein, temporaryDirectory, type Running } from "./support/skein.ts";

const ASK = {
  method: "POST",
  headers: { "content-type": "application/json", "x-api-key": "a-secret" },
  body: JSON.stringify({
    model: "claude-opus-5-5",
    max_tokens: 100,
    messages: [{ role: "user", content: "What can you do?" }],
  }),
};

async function serve(args: readonly string[]): Promise<Running & { readonly url: string }> {
  const running = await startSkein(["offline", "serve", ...args, "--output-format", "stream-json"]);
  let line = "";
  running.child.stdout?.on("data", (chunk: Buffer) => (line += chunk.toString("utf8")));
  await running.printed("\n");
  return { ...running, url: (JSON.parse(line) as { url: string }).url };
}

describe("offline serve", () => {
  it.each(["SIGINT", "SIGTERM"] as const)("prints what to export, and ends well by %s", async (signal) => {
    const { child, printed, finished } = await startSkein(["offline", "serve"]);
    await printed("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1\n");
    child.kill(signal);
    const { code, stdout, stderr } = await finished;
    const port = /127\.0\.0\.1:(\d+)/u.exec(stdout)?.[1];
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout:
        `export ANTHROPIC_BASE_URL=http://127.0.0.1:${port}\n` +
        "export ANTHROPIC_API_KEY=offline\n" +
        "export CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1\n",
      stderr: `Serving on http://127.0.0.1:${port} until Ctrl-C.\n`,
    });
  });

  it("tells where it listens in a line of JSON, and ends with the envelope", async () => {
    const { child, finished, url } = await serve(["--scenario", "direct"]);
    child.kill("SIGTERM");
    const { code, stdout } = await finished;
    const served = {
      mode: "scenario",
      url,
      port: Number(new URL(url).port),
      environment: {
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: "offline",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      },
    };
    const [listening = "", envelope = ""] = stdout.trimEnd().split("\n");
    expect(code).toBe(0);
    expect(JSON.parse(listening)).toEqual({ type: "listening", ...served });
    expect(readEnvelope(envelope)).toEqual({
      command: "offline serve",
      exit_code: 0,
      output_format: "stream-json",
      schema_version: "2.0",
      data: served,
    });
  });

  it("records an upstream and replays it, without the key", async () => {
    const cassette = join(await temporaryDirectory(), "run.jsonl");
    const upstream = await serve(["--scenario", "todo"]);
    const recorder = await serve(["--upstream", upstream.url, "--cassette", cassette]);
    const recorded = await (await fetch(`${recorder.url}/v1/messages`, ASK)).json();
    for (const { child } of [recorder, upstream]) child.kill("SIGTERM");
    expect((await recorder.finished).code).toBe(0);
    expect((await upstream.finished).code).toBe(0);

    const player = await serve(["--replay", cassette]);
    const replayed = await (await fetch(`${player.url}/v1/messages`, ASK)).json();
    player.child.kill("SIGTERM");

    expect((await player.finished).code).toBe(0);
    expect(replayed).toMatchObject({ content: (recorded as { content: unknown }).content });
    expect(await readFile(cassette, "utf8")).not.toContain("a-secret");
  });

  it("refuses a port that is in use", async () => {
    const { child, finished, url } = await serve([]);
    const { port } = new URL(url);
    const { code, envelope } = await runSkeinJson(["offline", "serve", "--port", port]);
    child.kill("SIGTERM");
    await finished;
    expect(code).toBe(1);
    expect(envelope).toEqual({
      command: "offline serve",
      exit_code: 1,
      output_format: "json",
      schema_version: "2.0",
      error: {
        kind: "network",
        code: "EADDRINUSE",
        operation: "offline serve",
        target: `127.0.0.1:${port}`,
        retryable: false,
        message: `Port ${port} is in use`,
        hint: "Choose another port, or leave it out to get a free one.",
      },
    });
  });
});
