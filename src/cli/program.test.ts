import { expect, it } from "vitest";
import { describeTerminal } from "../terminal/index.ts";
import { listCommand } from "../protocol/index.ts";
import { COMMANDS } from "./commands.ts";
import { loadCommand } from "./load-command.ts";
import { parseCommandLine } from "./parse-command-line.ts";
import { parserWords } from "./parser-words.ts";
import { asksForHelp, showHelp } from "./program.ts";

const commands = COMMANDS.map(listCommand);
const streams = { stdin: {}, env: {}, commands, version: "1.2.3" };

it("shows the help of each command from its words alone as it shows it with the command loaded", async () => {
  for (const command of COMMANDS) {
    for (const argv of [
      [...command.name.split(" "), "--help"],
      ["help", ...command.name.split(" ")],
    ]) {
      let shown = "";
      const stdout = { isTTY: false, write: (text: string) => (shown += text) !== "" };
      const asked = asksForHelp(argv, commands);
      expect(asked).toEqual({ about: command.name });
      // As the build writes them.
      const words = JSON.parse(JSON.stringify(parserWords(command))) as ReturnType<typeof parserWords>;
      showHelp({ ...streams, argv, stdout }, { ...asked, words });
      const terminal = describeTerminal({ ...streams, stdout });
      const typed = await parseCommandLine({ ...streams, argv, terminal, load: loadCommand });
      expect(typed).toMatchObject({ type: "help", text: shown });
    }
  }
});

it("leaves to the command what is more than a call for its help", () => {
  const given = [
    ["log", "-n", "3", "--help"],
    ["log", "--help", "--json"],
    ["offline", "--help"],
    ["nothing", "-h"],
    ["help", "--json"],
    ["log"],
  ];
  expect(given.map((argv) => asksForHelp(argv, commands))).toEqual(given.map(() => undefined));
});
