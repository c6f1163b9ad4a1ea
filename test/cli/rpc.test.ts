import { beforeAll, describe, expect, it } from "vitest";
import { expectNoProcessWith } from "./support/marked-processes.ts";
import { openSkein, type Message } from "./support/open-skein.ts";
import { endlessBash, scenarioFile } from "./support/scenario-file.ts";
import { readEnvelope, runSkein, temporaryDirectory } from "./support/skein.ts";
import { keptWorkspace, type TracedWorkspace } from "./support/traced-workspace.ts";

const SLOW = { timeout: 60_000 } as const;

let workspace: TracedWorkspace;
beforeAll(async () => {
  workspace = await keptWorkspace();
});

function request(id: unknown, method: string, params?: object): object {
  return { jsonrpc: "2.0", id, method, ...(params ? { params } : {}) };
}

function answerTo(id: unknown): (message: Message) => boolean {
  return (message) => message.id === id && message.method === undefined;
}

function inWorkspace(): { readonly cwd: string; readonly env: { readonly SKEIN_HOME: string } } {
  return { cwd: workspace.cwd, env: { SKEIN_HOME: workspace.home } };
}

/** Sends lines, closes the input, and gives what was answered. */
async function exchange(
  ...lines: readonly string[]
): Promise<{ readonly answers: Message[]; readonly stderr: string }> {
  const { code, stdout, stderr } = await runSkein(["rpc"], { ...inWorkspace(), stdin: `${lines.join("\n")}\n` });
  expect(code).toBe(0);
  const answers = stdout.split("\n").filter(Boolean);
  return { answers: answers.map((line) => JSON.parse(line) as Message), stderr };
}

async function codesOf(...messages: readonly object[]): Promise<unknown[]> {
  const { answers } = await exchange(...messages.map((message) => JSON.stringify(message)));
  return answers
    .toSorted((one, other) => Number(one.id) - Number(other.id))
    .map(({ error }) => [error?.code, error?.data["kind"], error?.data["target"]]);
}

describe("skein rpc", () => {
  it("gives as the result of a method what the command gives as data", SLOW, async () => {
    const { answers } = await exchange(JSON.stringify(request(1, "checkpoint", { name: "first" })));
    const [{ result } = {}] = answers;
    expect(answers).toEqual([
      { jsonrpc: "2.0", id: 1, result: { name: "first", state_id: expect.any(String), action: "set" } },
    ]);
    const { answers: shown } = await exchange(JSON.stringify(request("s", "show", { state: "first" })));
    expect(shown).toEqual([
      { jsonrpc: "2.0", id: "s", result: await workspace.data("show", String(result?.["state_id"])) },
    ]);
  });

  it(
    "answers what is no request, no method or no fit for it by the codes of JSON-RPC, with the envelope's error",
    SLOW,
    async () => {
      const { answers } = await exchange("{half", "[]", "3", '{"jsonrpc":"1.0","id":7,"method":"log"}');
      expect(answers.map(({ id, error }) => [id, error?.code, error?.data["kind"]])).toEqual([
        [null, -32_700, "parse"],
        [null, -32_600, "invalid_request"],
        [null, -32_600, "invalid_request"],
        [7, -32_600, "invalid_request"],
      ]);
      expect(
        await codesOf(
          request(1, "no-such"),
          request(2, "rpc"),
          request(3, "show"),
          request(4, "log", { limt: 3 }),
          request(5, "log", { limit: "many" }),
          request(6, "run", { prompt: "x", continue: true, from: "@" }),
          { ...request(7, "log"), params: [1] },
          request(8, "show", { state: "nowhere" }),
        ),
      ).toEqual([
        [-32_601, "command_not_found", "no-such"],
        [-32_601, "command_not_found", "rpc"],
        [-32_602, "usage", "state"],
        [-32_602, "usage", "limt"],
        [-32_602, "usage", "limit"],
        [-32_602, "usage", "from"],
        [-32_602, "usage", null],
        [-32_000, "state_not_found", "nowhere"],
      ]);
    },
  );

  it("answers a batch together and a notification not at all", SLOW, async () => {
    const notification = { jsonrpc: "2.0", method: "show", params: { state: "nowhere" } };
    const batch = [request("a", "log"), notification, request("b", "no-such"), 1];
    const { answers, stderr } = await exchange(JSON.stringify(batch), JSON.stringify([notification]));
    expect(answers).toEqual([
      [
        { jsonrpc: "2.0", id: "a", result: await workspace.data("log") },
        expect.objectContaining({ id: "b", error: expect.objectContaining({ code: -32_601 }) }),
        expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32_600 }) }),
      ],
    ]);
    expect(stderr.match(/^show: .*$/gmu)).toHaveLength(2);
  });

  it("tells events by the request's id while other requests are answered, and cancels by id", SLOW, async () => {
    const mark = `rpc-cancel-${process.pid}`;
    const { send, find, received, end } = await openSkein(["rpc"], inWorkspace());
    const offline = await scenarioFile([endlessBash(mark)]);
    const cwd = await temporaryDirectory();
    send(request("endless", "run", { prompt: "go", offline, allowed_tools: ["Bash"], cwd }));
    await find(({ params }) => params?.id === "endless" && params.event.type === "tool-start");
    send(request("endless", "log"), request(2, "log"), request(3, "$/cancelRequest", { id: "nobody" }));
    expect((await find(answerTo(2))).result).toEqual(await workspace.data("log"));
    expect(await find(answerTo(3))).toEqual({ jsonrpc: "2.0", id: 3, result: { cancelled: false } });
    expect((await find(answerTo("endless"))).error).toMatchObject({ code: -32_600 });
    send(request(4, "checkpoint", { name: "meanwhile", cwd }));
    expect((await find(answerTo(4))).error).toMatchObject({ code: -32_000, data: { kind: "workspace_busy" } });
    const before = received.length;
    send({ jsonrpc: "2.0", method: "$/cancelRequest", params: { id: "endless" } });
    await find((message) => answerTo("endless")(message) && received.indexOf(message) >= before);
    const { error } = received.findLast(answerTo("endless")) ?? {};
    expect(error).toMatchObject({
      code: -32_800,
      data: { kind: "cancelled", operation: "run", turn: { state_id: expect.any(String) } },
    });
    await expectNoProcessWith(mark);
    expect(await end()).toMatchObject({ code: 0 });
  });

  it("finishes what runs when the input ends, and with --abort-on-end ends it", SLOW, async () => {
    const call = request(1, "run", {
      prompt: 'Bash {"command":"touch made"}',
      offline: "direct",
      allowed_tools: ["Bash"],
    });
    const { answers } = await exchange(JSON.stringify(call), JSON.stringify(request(2, "offline serve")));
    expect(answers.find(answerTo(1))?.result).toMatchObject({ is_error: false, files: { created: ["made"] } });
    // What serves until it is told to end could never be told.
    expect(answers.some(answerTo(2))).toBe(true);

    const mark = `rpc-end-${process.pid}`;
    const { send, find, received, end } = await openSkein(["rpc", "--abort-on-end"], inWorkspace());
    const offline = await scenarioFile([endlessBash(mark)]);
    send(request(1, "run", { prompt: "go", offline, allowed_tools: ["Bash"], cwd: await temporaryDirectory() }));
    await find(({ params }) => params?.event.type === "tool-start");
    expect(await end()).toMatchObject({ code: 0 });
    expect(received.at(-1)?.error).toMatchObject({ code: -32_800, data: { kind: "cancelled" } });
    await expectNoProcessWith(mark);
  });

  it("ends by a signal, and in JSON formats with the envelope", SLOW, async () => {
    const { child, send, find, received, end } = await openSkein(["rpc", "--output-format", "json"], inWorkspace());
    send(request(1, "log"));
    await find(answerTo(1));
    child.kill("SIGTERM");
    expect(await end()).toMatchObject({ code: 0 });
    expect(readEnvelope(JSON.stringify(received.at(-1)))).toEqual({
      command: "rpc",
      exit_code: 0,
      output_format: "json",
      schema_version: "2.0",
      data: { requests: 1, failed: 0 },
    });
  });
});
