import { join } from "node:path";
import { writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { readEnvelope, runSkein, runSkeinJson, temporaryDirectory } from "./support/skein.ts";

interface Wrong {
  readonly name: string;
  /** `{dir}` stands for a directory that has the file `file` in it. */
  readonly args: readonly string[];
  readonly command?: string;
  readonly kind?: string;
  readonly target: string | null;
  readonly message: string;
  readonly hint: string;
}

const SEE_RUN = "See skein run --help";

const WRONG: readonly Wrong[] = [
  {
    name: "an unknown command",
    args: ["rnu"],
    command: "skein",
    target: "rnu",
    message: "Unknown command 'rnu'",
    hint: "Did you mean run?",
  },
  ...[
    ["help", "rnu"],
    ["rnu", "--help"],
  ].map((args) => ({
    name: `the help of an unknown command: ${args.join(" ")}`,
    args,
    command: "skein",
    target: "rnu",
    message: "Unknown command 'rnu'",
    hint: "Did you mean run?",
  })),
  {
    name: "a flag that nothing is like",
    args: ["gc", "--keep"],
    command: "gc",
    target: "--keep",
    message: "Unknown option '--keep'",
    hint: "See skein gc --help",
  },
  {
    name: "a folder to look in that is missing",
    args: ["-C", "{dir}/missing", "log"],
    command: "log",
    kind: "filesystem",
    target: "{dir}/missing",
    message: "The working directory {dir}/missing does not exist",
    hint: "Create it first, or name another.",
  },
  {
    name: "a file to load that is missing",
    args: ["load", "{dir}/missing", "-C", "{dir}"],
    command: "load",
    kind: "filesystem",
    target: "{dir}/missing",
    message: "There is no file {dir}/missing",
    hint: "Give a file written by skein save",
  },
  {
    name: "an unknown flag",
    args: ["run", "Build it", "--modle", "x"],
    target: "--modle",
    message: "Unknown option '--modle'",
    hint: "Did you mean --model?",
  },
  {
    name: "no prompt",
    args: ["run", "--offline", "todo"],
    target: "prompt",
    message: "The argument <prompt> is missing",
    hint: 'For example: skein run "Build a TODO app" --offline',
  },
  {
    name: "a prompt that a flag took",
    args: ["run", "--allowed-tools", "Read", "Build it"],
    target: "prompt",
    message: "The argument <prompt> is missing",
    hint: "Flags with several values also take the words after them: put <prompt> first, or write -- before it.",
  },
  {
    name: "an empty prompt",
    args: ["run", " ", "--offline"],
    target: "prompt",
    message: "The prompt is empty",
    hint: "Say what the agent should do.",
  },
  {
    name: "an empty prompt on standard input",
    args: ["run", "-", "--offline"],
    target: "prompt",
    message: "The prompt is empty",
    hint: "Say what the agent should do.",
  },
  {
    name: "two prompts",
    args: ["run", "Build", "it"],
    target: "run",
    message: "Too many arguments for 'run'. Expected 1 argument but got 2.",
    hint: 'Did you mean skein run "…", in quotes?',
  },
  {
    name: "a working directory that is missing",
    args: ["run", "Build it", "--offline", "--cwd", "{dir}/missing"],
    kind: "filesystem",
    target: "{dir}/missing",
    message: "The working directory {dir}/missing does not exist",
    hint: "Add --create to make it, or name another.",
  },
  {
    name: "a working directory that is a file",
    args: ["run", "Build it", "--offline", "--cwd", "{dir}/file"],
    kind: "filesystem",
    target: "{dir}/file",
    message: "{dir}/file is not a directory",
    hint: "Give cwd a directory.",
  },
  {
    name: "an attachment that is missing",
    args: ["run", "Look at it", "--offline", "--attach", "{dir}/missing.png"],
    kind: "filesystem",
    target: "{dir}/missing.png",
    message: "There is no file {dir}/missing.png",
    hint: "Check that the path is a file you may read.",
  },
  {
    name: "a missing file of MCP servers",
    args: ["run", "Look at it", "--offline", "--mcp-config", "{dir}/missing.json"],
    kind: "filesystem",
    target: "--mcp-config",
    message: "--mcp-config: there is no file {dir}/missing.json",
    hint: 'Give the path of a JSON file, or JSON such as {"mcpServers":{"docs":{"command":"node","args":["server.js"]}}}',
  },
  {
    name: "a missing CLI",
    args: ["run", "Look at it", "--offline", "--cli-path", "{dir}/missing"],
    kind: "cli_not_found",
    target: "--cli-path",
    message: "--cli-path: The Claude Code CLI was not found at {dir}/missing: there is no such file",
    hint: "Name the file of the Claude Code CLI, or leave the flag out for the one that comes with Skein",
  },
  {
    name: "a model without a name",
    args: ["run", "Look at it", "--offline", "--model", ""],
    target: "--model",
    message: "--model names no model",
    hint: "Name one, such as sonnet",
  },
  {
    name: "an unknown scenario",
    args: ["run", "Build it", "--offline", "{dir}/missing.json"],
    kind: "filesystem",
    target: "{dir}/missing.json",
    message: "There is no scenario {dir}/missing.json",
    hint: "Give the path of a scenario file, or one of todo, team, direct.",
  },
  {
    name: "a count that is no number",
    args: ["run", "Build it", "--max-responses", "many"],
    target: "--max-responses",
    message: '--max-responses must be a whole number above 0, not "many"',
    hint: SEE_RUN,
  },
  {
    name: "a negative amount",
    args: ["run", "Build it", "--max-cost-usd", "-1"],
    target: "--max-cost-usd",
    message: '--max-cost-usd must be a number above 0, not "-1"',
    hint: SEE_RUN,
  },
  {
    name: "a timeout longer than a timer can be",
    args: ["run", "Build it", "--timeout", "3000000"],
    target: "--timeout",
    message: '--timeout must be a number above 0 up to 2147483, not "3000000"',
    hint: SEE_RUN,
  },
  {
    name: "a recorded conversation without a record",
    args: ["run", "Build it", "--continue", "--no-record"],
    target: "--continue",
    message: "--continue continues a recorded conversation, which --no-record rules out",
    hint: SEE_RUN,
  },
  {
    name: "two places to go on from",
    args: ["run", "Build it", "--continue", "--from", "@~1"],
    target: "--continue",
    message: "Option '--continue' cannot be used with option '--from <state>'",
    hint: SEE_RUN,
  },
  {
    name: "no state",
    args: ["show"],
    command: "show",
    target: "state",
    message: "The argument <state> is missing",
    hint: "For example: skein show @",
  },
  {
    name: "two ways to compare",
    args: ["diff", "@", "--stat", "--patch"],
    command: "diff",
    target: "--stat",
    message: "Option '--stat' cannot be used with option '--patch'",
    hint: "See skein diff --help",
  },
  {
    name: "a limit that is no count",
    args: ["log", "--limit", "0"],
    command: "log",
    target: "--limit",
    message: '--limit must be a whole number above 0, not "0"',
    hint: "See skein log --help",
  },
  {
    name: "an unknown permission mode",
    args: ["run", "Build it", "--permission-mode", "yolo"],
    target: "--permission-mode",
    message:
      '--permission-mode must be one of default, acceptEdits, plan, dontAsk, bypassPermissions, auto, not "yolo"',
    hint: SEE_RUN,
  },
  {
    name: "a demo in a directory that is not empty",
    args: ["demo", "--cwd", "{dir}"],
    command: "demo",
    kind: "filesystem",
    target: "{dir}",
    message: "{dir} is not empty",
    hint: "Name a new or empty directory, or leave out --cwd.",
  },
  {
    name: "two things to serve",
    args: ["offline", "serve", "--scenario", "todo", "--replay", "run.jsonl"],
    command: "offline serve",
    target: "--scenario <scenario>",
    message: "Option '--scenario <scenario>' cannot be used with option '--replay <file>'",
    hint: "See skein offline serve --help",
  },
  {
    name: "a recording without a cassette",
    args: ["offline", "serve", "--upstream", "https://api.anthropic.com"],
    command: "offline serve",
    target: "--upstream",
    message: "--upstream and --cassette must be given together",
    hint: "See skein offline serve --help",
  },
  {
    name: "a port that cannot be",
    args: ["offline", "serve", "--port", "70000"],
    command: "offline serve",
    target: "--port",
    message: '--port must be a whole number from 0 to 65535, not "70000"',
    hint: "See skein offline serve --help",
  },
];

describe("bad input ends with code 1, one error, and nothing started", () => {
  it.each(WRONG)("$name", async ({ args, command = "run", kind = "usage", ...error }) => {
    const directory = await temporaryDirectory();
    await writeFile(join(directory, "file"), "");
    const fill = (value: string): string => value.replaceAll("{dir}", directory);
    const target = error.target === null ? null : fill(error.target);
    const message = fill(error.message);

    const [asText, asJson] = await Promise.all([runSkein(args.map(fill)), runSkeinJson(args.map(fill))]);

    expect(asText).toEqual({ code: 1, stdout: "", stderr: `Error: ${message}\n${error.hint}\n` });
    expect(asJson).toEqual({
      code: 1,
      envelope: {
        command,
        exit_code: 1,
        output_format: "json",
        schema_version: "2.0",
        error: { kind, operation: command, target, retryable: false, message, hint: error.hint },
      },
      stderr: "",
    });
  });
});

describe("the format is found before anything is parsed", () => {
  it("also when it is written with an equals sign, and in the streaming format", async () => {
    const { code, stdout } = await runSkein(["run", "--output-format=stream-json", "--nope"]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ exit_code: 1, output_format: "stream-json", error: { kind: "usage" } });
  });

  it("also when a flag has no value", async () => {
    const { code, stdout } = await runSkein(["run", "Build it", "--output-format", "json", "--cwd"]);
    expect(code).toBe(1);
    expect(readEnvelope(stdout)).toEqual({
      command: "run",
      exit_code: 1,
      output_format: "json",
      schema_version: "2.0",
      error: {
        kind: "usage",
        operation: "run",
        target: "--cwd",
        retryable: false,
        message: "--cwd needs a value: <directory>",
        hint: "See skein run --help",
      },
    });
  });

  it("and a format that does not exist is told in text", async () => {
    expect(await runSkein(["doctor", "--output-format", "xml"])).toEqual({
      code: 1,
      stdout: "",
      stderr:
        "Error: Option '--output-format <format>' argument 'xml' is invalid. Allowed choices are text, json.\n" +
        "See skein doctor --help\n",
    });
  });
});
