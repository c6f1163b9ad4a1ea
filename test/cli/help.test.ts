import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { runSkein, runSkeinJson } from "./support/skein.ts";

const { version } = JSON.parse(await readFile("package.json", "utf8")) as { version: string };

const HELP = `Usage: skein [options] [command]

Run coding agents the way you run experiments, with the Claude Code CLI.

Options:
  -V, --version                  Print the version
  -h, --help                     Show help

Agents:
  run <prompt>                   Run an agent on a prompt and record the turn
  explore                        Try prompts on branches and find the best
  demo                           Watch the real CLI build an app, without a key

Recorded states:
  status                         Show what changed and what is not recorded
  log                            List the recorded turns, newest first
  tree                           Draw the tree of states with their rewards
  show <state>                   Show everything about a state
  diff <from>                    Compare two states, or one with the files now
  compare <left> <right>         Put two states side by side
  checkpoint <name>              Name the current files, or a state
  restore <state>                Put the files back to a state
  adopt <state>                  Bring a branch's state and conversation here
  undo                           Take back the last turn: files, git and session
  branch <state>                 Make a working copy of a state elsewhere
  recover                        Show what was cut off; keep it or undo it

The store:
  push <remote>                  Send all states to a git remote
  pull <remote>                  Fetch all states from a git remote
  save <id> <file>               Save a conversation to one file
  load <file>                    Load a conversation from a file
  verify                         Check that every state is present and intact
  gc                             Free the space of conversations long unused
  reindex                        Rebuild the index of states from the store
  relink                         Reattach the record of a directory that moved

Transcripts:
  sessions                       List Claude Code sessions with tokens and cost
  session <id>                   Show a session, or write it as a page
  search <words>                 Search the text of all sessions
  stats                          Total up tokens and cost across sessions
  watch                          Follow sessions as they are written

For programs:
  list-sessions                  List the recorded sessions, newest first
  load-session <session-id>      Load a whole recorded session
  delete-session <session-id>    Forget a recorded session
  flush-transcript <session-id>  Write a recorded session's transcript
  turn-loop <prompt>             Run turns of one conversation within limits
  bootstrap <prompt>             Report the setup, route a prompt, run one turn
  bootstrap-graph                List the stages of startup with their times
  commands                       List the slash commands and skills offered here
  show-command <name>            Show a slash command or skill
  exec-command <name>            Run a slash command or skill
  tools                          List the tools the CLI offers here
  show-tool <name>               Show a tool and its input schema
  exec-tool <name> <payload>     Run one tool under the CLI's rules
  route <prompt>                 Rank commands and tools for a prompt
  tool-pool                      Show which tools would be offered, and why
  command-graph                  Group the slash commands by source

Reports:
  summary                        Report what is installed, offered and recorded
  manifest                       Report the package, its needs and its commands
  setup-report                   Report what an agent starts with here
  subsystems                     List the parts of the installed package
  parity-audit                   Report what is new in the installed CLI and SDK

Elsewhere:
  ssh-mode <host> <prompt>       Run an agent on another machine
  teleport-mode <target>         Move a conversation to another machine
  deep-link-mode                 Follow or make a skein:// link
  remote-mode <target>           Drive a monitor server (none exists yet)
  direct-connect-mode <target>   Attach to a monitor server (none exists yet)

Other:
  doctor                         Check what Skein needs on this machine
  trust                          Trust a folder's settings to run programs
  schema                         Print what commands take and return
  offline serve                  Serve the offline model to other programs
  rpc                            Serve all commands over JSON-RPC
  mcp                            Serve Skein to agents and editors over MCP
  help                           Show help for a command
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
    for (const text of [
      "skein run [options] <prompt>",
      "--no-record",
      "--import <session>",
      "--offline [scenario]",
      '"acceptEdits"',
      "Examples:",
    ]) {
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
