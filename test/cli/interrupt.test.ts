import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createId } from "../../src/core/internal.ts";
import { expectNoProcessWith } from "./support/marked-processes.ts";
import { endlessBash, scenarioFile } from "./support/scenario-file.ts";
import { readEnvelope, runSkeinJson, startSkein, temporaryDirectory, type Running } from "./support/skein.ts";

/** Starts a turn whose Bash call does not end; `mark` is in the command line of what it runs. */
async function startEndlessTurn(mark: string): Promise<Running> {
  const scenario = await scenarioFile([{ say: "I wait." }, endlessBash(mark), { say: "Never said." }]);
  const allowed = ["--allowed-tools", "Bash"];
  const running = await startSkein([
    "run",
    "Wait",
    "--offline",
    scenario,
    ...allowed,
    "--output-format",
    "stream-json",
  ]);
  await running.printed('"type":"tool-start"');
  return running;
}

function lastLine(stdout: string): string {
  return stdout.trimEnd().split("\n").at(-1) ?? "";
}

describe("a turn that is stopped", () => {
  it.each(["SIGINT", "SIGTERM"] as const)("by %s ends with an envelope and leaves no process", async (signal) => {
    const mark = createId();
    const { child, finished } = await startEndlessTurn(mark);
    child.kill(signal);
    const { code, stdout } = await finished;
    expect(code).toBe(1);
    expect(readEnvelope(lastLine(stdout))).toMatchObject({
      command: "run",
      exit_code: 1,
      error: { kind: "cancelled", operation: "run", target: null, retryable: false },
    });
    await expectNoProcessWith(mark);
  });

  it("by two signals ends at once, with an envelope, and leaves no process", async () => {
    const mark = createId();
    const { child, finished } = await startEndlessTurn(mark);
    child.kill("SIGINT");
    child.kill("SIGTERM");
    const { code, stdout } = await finished;
    expect(code).toBe(130);
    expect(readEnvelope(lastLine(stdout))).toMatchObject({ exit_code: 130, error: { kind: "cancelled" } });
    await expectNoProcessWith(mark);
  });

  it("by a reader that goes away ends quietly and leaves no process", async () => {
    const mark = createId();
    const slowly = { fail: { type: "drip", tokensPerSecond: 20 } } as const;
    const scenario = await scenarioFile([slowly, { say: "word ".repeat(1000) }]);
    const env = { SKEIN_HOME: join(await temporaryDirectory(), mark) };
    const { child, printed, finished } = await startSkein(
      ["run", "Talk", "--offline", scenario, "--output-format", "stream-json"],
      { env },
    );
    await printed('"type":"text-delta"');
    child.stdout?.destroy();
    const { code, stderr } = await finished;
    // What is said of a missing sandbox came before, and is no complaint about the reader.
    expect({ code, stderr: stderr.replace(/^Bash commands need permission.*\n/, "") }).toEqual({ code: 1, stderr: "" });
    await expectNoProcessWith(mark);
  });

  it("by its time limit ends with code 2 and leaves no process", async () => {
    const mark = createId();
    const scenario = await scenarioFile([endlessBash(mark)]);
    const args = ["run", "Wait", "--offline", scenario, "--allowed-tools", "Bash", "--timeout", "3"];
    const { code, envelope } = await runSkeinJson(args);
    expect(code).toBe(2);
    expect(envelope).toMatchObject({
      command: "run",
      exit_code: 2,
      error: { kind: "timeout", operation: "run", retryable: false, message: "The turn took longer than 3000 ms" },
    });
    await expectNoProcessWith(mark);
  });
});
