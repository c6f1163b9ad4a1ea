import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { runSkein, runSkeinJson } from "./support/skein.ts";

const { version } = JSON.parse(await readFile("package.json", "utf8")) as { version: string };

const HELP = `Usage: skein [options] [command]

Run coding agents as experiments, around the Claude Code CLI.

Options:
  -V, --version  Print the version
  -h, --help     Show help

Commands:
  run <prompt>   Run an agent on a prompt
  demo           Watch the real Claude Code CLI build an app: no key, no network
  doctor         Check what Skein needs on this machine
  offline serve  Serve the offline model to other programs
  help           Show help for a command
`;

describe("help", () => {
  it("is shown by --help and by nothing at all", async () => {
    const shown = { code: 0, stdout: HELP, stderr: "" };
    expect(await Promise.all([runSkein(["--help"]), runSkein([])])).toEqual([shown, shown]);
  });

  it("of a command has its arguments, flags, defaults and examples", async () => {
    const [asked, flagged] = await Promise.all([runSkein(["help", "run"]), runSkein(["run", "--help"])]);
    expect(asked).toEqual(flagged);
    expect(asked.code).toBe(0);
    for (const text of ["skein run [options] <prompt>", "--offline [scenario]", '"acceptEdits"', "Examples:"]) {
      expect(asked.stdout).toContain(text);
    }
  });

  it("is an envelope in JSON mode, and so is the version", async () => {
    const [help, number] = await Promise.all([runSkeinJson(["doctor", "--help"]), runSkeinJson(["--version"])]);
    const head = { exit_code: 0, output_format: "json", schema_version: "2.0" };
    expect(help.envelope).toMatchObject({
      command: "doctor",
      ...head,
      data: { help: expect.stringContaining("Usage:") },
    });
    expect(number.envelope).toEqual({ command: "skein", ...head, data: { version } });
  });

  it("gives the version", async () => {
    expect(await runSkein(["--version"])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });
});
