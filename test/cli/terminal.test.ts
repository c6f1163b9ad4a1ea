import { access, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { describeWith } from "../support/require-package.ts";
import { onTerminal, TERMINAL_PACKAGES } from "./support/pseudo-terminal.ts";
import { scenarioFile } from "./support/scenario-file.ts";
import { runSkein, temporaryDirectory } from "./support/skein.ts";

const CLEAR_LINE = "\r\u001b[2K";
const ENTER = "\r";
const DOWN = "\u001b[B";
const UP = "\u001b[A";
const CTRL_C = "\u0003";
const SLOW = { timeout: 60_000 } as const;

/** A turn that writes two files outside of its directory, which has to be asked for. */
async function writeOutside(): Promise<{ readonly scenario: string; readonly cwd: string; readonly files: string[] }> {
  const [cwd, outside] = [await temporaryDirectory(), await temporaryDirectory()];
  const files = ["one", "two"].map((name) => join(outside, name));
  const writes = files.map((path) => ({ call: { tool: "Write", input: { file_path: path, content: "x" } } }));
  return { scenario: await scenarioFile([...writes, { say: "Tried both." }]), cwd, files };
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

describeWith(TERMINAL_PACKAGES, "on a terminal", () => {
  it("streams text, shows a spinner and colours, and ends with the summary", async () => {
    const scenario = await scenarioFile([
      { say: "Hello \u001b[5mthere." },
      { call: { tool: "Write", input: { file_path: "{{cwd}}/one.txt", content: "one\n" } } },
      { say: "Done." },
    ]);
    const cwd = await temporaryDirectory();
    const { finished } = await onTerminal(["run", "Hi", "--offline", scenario], { cwd });
    const { code, screen } = await finished;
    expect(code).toBe(0);
    for (const text of [`${CLEAR_LINE}  `, "Starting Claude Code", "Hello there.", "\u001b[32m✓", "Done.", "Session"]) {
      expect(screen).toContain(text);
    }
    expect(await readFile(join(cwd, "one.txt"), "utf8")).toBe("one\n");
  });

  it("has no colour under NO_COLOR", async () => {
    const scenario = await scenarioFile([{ say: "Hello." }]);
    const { finished } = await onTerminal(["run", "Hi", "--offline", scenario], {
      cwd: await temporaryDirectory(),
      env: { NO_COLOR: "1" },
    });
    const { code, screen } = await finished;
    expect(code).toBe(0);
    expect(screen.replaceAll(CLEAR_LINE, "")).not.toContain("\u001b");
  });

  it("shows states and patches in colour, and nothing of a file that steers the terminal", async () => {
    const cwd = await temporaryDirectory();
    const env = { SKEIN_HOME: await temporaryDirectory() };
    await runSkein(["checkpoint", "start"], { cwd, env });
    await writeFile(join(cwd, "a.txt"), "one\u001b[5m\n");
    const [log, patch] = await Promise.all(
      [["log"], ["diff", "start", "--patch"]].map(async (args) => (await onTerminal(args, { cwd, env })).finished),
    );
    expect(log?.screen).toContain("\u001b[36m@\u001b[39m");
    expect(patch?.screen).toContain("\u001b[32m+one\u001b[39m");
  });

  it("asks each time, and does as it is told", async () => {
    const { scenario, cwd, files } = await writeOutside();
    const place = { cwd, env: { NO_COLOR: "1" } };
    const { shown, press, finished } = await onTerminal(["run", "Write", "--offline", scenario], place);
    await shown("Allow Write?");
    // Outside of the workspace No is preselected; below it the list begins again.
    await shown("● No");
    press(DOWN + ENTER);
    await shown("✓");
    await shown("Allow Write?");
    press(ENTER);
    const { code, screen } = await finished;
    expect(code).toBe(0);
    expect(screen).toContain("Denied");
    expect(await Promise.all(files.map(isThere))).toEqual([true, false]);
  });

  it("asks about calls of one moment one after the other, and prints nothing else meanwhile", async () => {
    const { cwd, files } = await writeOutside();
    for (const path of files) await writeFile(path, "secret");
    // Reads run side by side, so both wait for an answer at once.
    const call = files.map((path) => ({ tool: "Read", input: { file_path: path } }));
    const scenario = await scenarioFile([{ call }, { say: "Read **one**.\n\n- a\n- b" }]);
    const place = { cwd, env: { NO_COLOR: "1" } };
    const { shown, press, finished } = await onTerminal(["run", "Read", "--offline", scenario], place);
    await shown("Allow Read?");
    await shown("● No");
    press(ENTER);
    await shown("Allow Read? (2 of 2)");
    press(DOWN + ENTER);
    const { code, screen } = await finished;
    expect(code).toBe(0);
    const marks = ["Allow Read?", "Allow Read? (2 of 2)", "⊘ Read", "✓ Read", "Read one.", "• a", "Next", "skein undo"];
    const places = marks.map((text) => screen.indexOf(text));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((left, right) => left - right));
    expect(screen).not.toContain("secret");
  });

  it("does not ask again after always, and writes no settings", async () => {
    const { scenario, cwd, files } = await writeOutside();
    const { shown, press, finished } = await onTerminal(["run", "Write", "--offline", scenario], { cwd });
    await shown("Allow Write?");
    press(UP + ENTER);
    const { code } = await finished;
    expect(code).toBe(0);
    expect(await Promise.all(files.map(isThere))).toEqual([true, true]);
    expect(await isThere(join(cwd, ".claude", "settings.local.json"))).toBe(false);
    await rm(cwd, { recursive: true });
  });

  it("shows the whole of what it asks about, line by line, and what leaves the sandbox", SLOW, async () => {
    const long = Array.from({ length: 120 }, (_, index) => `: line ${index + 1}`);
    const scenario = await scenarioFile([
      { call: { tool: "Bash", input: { command: "true # harmless\ntouch X\u202e", description: "Look around" } } },
      { call: { tool: "Bash", input: { command: "touch Y", dangerouslyDisableSandbox: true } } },
      {
        call: {
          tool: "Monitor",
          input: { description: "The log", timeout_ms: 1000, ws: { url: "ws://127.0.0.1:9/" } },
        },
      },
      { call: { tool: "Bash", input: { command: [...long, "touch Z"].join("\n") } } },
      { say: "Done." },
    ]);
    const cwd = await temporaryDirectory();
    const args = ["run", "Go", "--offline", scenario, "--permission-mode", "default"];
    const { shown, press, finished } = await onTerminal(args, { cwd, env: { NO_COLOR: "1", IS_SANDBOX: "1" } });
    for (const text of ["Bash wants to run a command", "1 │ true # harmless", "2 │ touch X\\u{202e}", "● No"])
      await shown(text);
    press(ENTER);
    for (const text of ["▲ Outside the sandbox", "1 │ touch Y", "Allow Bash?", "● No"]) await shown(text);
    press(ENTER);
    for (const text of ["▲ Outside the sandbox", "127.0.0.1:9", "The log", "Allow Monitor?", "● No"]) await shown(text);
    press(ENTER);
    for (const text of ["  1 │ : line 1", "rows, then the question", "● Next page"]) await shown(text);
    press(ENTER);
    for (const text of [" 50 │ : line 50", "● Next page"]) await shown(text);
    press(DOWN + ENTER);
    for (const text of ["121 │ touch Z", "Allow Bash?", "● No"]) await shown(text);
    press(ENTER);
    expect((await finished).code).toBe(0);
    expect(await Promise.all(["X", "Y", "Z"].map((name) => isThere(join(cwd, name))))).toEqual([false, false, false]);
  });

  it("ends the turn by Ctrl-C in a question", async () => {
    const { scenario, cwd, files } = await writeOutside();
    const { shown, press, finished } = await onTerminal(["run", "Write", "--offline", scenario], { cwd });
    await shown("Allow Write?");
    press(CTRL_C);
    const { code, screen } = await finished;
    expect(code).toBe(1);
    expect(screen).not.toContain("Tried both.");
    expect(await Promise.all(files.map(isThere))).toEqual([false, false]);
  });
});
