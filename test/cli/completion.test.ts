import { execFile } from "node:child_process";
import { chmod, copyFile, readdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished, vi } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { completeNames } from "../../src/cli/shell/complete-names.ts";
import { flagsOf } from "../../src/protocol/index.ts";
import { describeWith } from "../support/require-package.ts";
import { runSkein, temporaryDirectory } from "./support/skein.ts";

const execute = promisify(execFile);

/** A folder with a script and the command, called `skein`, and a workspace with the checkpoint `good`. */
async function prepare(
  shell: string,
): Promise<{ readonly script: string; run(args: readonly string[]): Promise<string> }> {
  const folder = await temporaryDirectory();
  const [script, home] = [join(folder, "script"), join(folder, "home")];
  const env = { HOME: folder, SKEIN_HOME: home, PATH: `${folder}:${process.env["PATH"] ?? ""}`, TERM: "dumb" };
  await writeFile(
    join(folder, "skein"),
    `#!/bin/sh\nexec '${process.execPath}' '${resolve("dist/cli/main.js")}' "$@"\n`,
  );
  await chmod(join(folder, "skein"), 0o755);
  const [made] = await Promise.all([
    runSkein(["completion", shell], { env }),
    runSkein(["checkpoint", "good"], { cwd: folder, env }),
  ]);
  await writeFile(script, made.stdout);
  return {
    script,
    run: async (args) => (await execute(shell, args, { cwd: folder, env, timeout: 30_000 })).stdout,
  };
}

it("names to complete are plain words, whatever refs a store has", async () => {
  const [cwd, home] = [await temporaryDirectory(), await temporaryDirectory()];
  await runSkein(["checkpoint", "good"], { cwd, env: { SKEIN_HOME: home } });
  const [found] = (await readdir(home, { recursive: true })).filter((path) => path.endsWith("checkpoints/good"));
  const good = join(home, found ?? "");
  await copyFile(good, join(dirname(good), "x$(touch${IFS}pwned)"));
  vi.stubEnv("SKEIN_HOME", home);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await completeNames(cwd)).toEqual(["@", "good"]);
});

describeWith({ command: "bash", package: "bash" }, "bash", () => {
  it("completes commands, flags, words, folders and names of states", async () => {
    const { script, run } = await prepare("bash");
    const complete = `c() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _skein; echo "\${COMPREPLY[*]}"; }`;
    const lines = [
      "c skein sta",
      "c skein -C . sho",
      "c skein run --permission-mode a",
      "c skein run hello -C . --per",
      "c skein offline ''",
      "c skein offline serve --sc",
      "c skein help relo",
      "c skein show g",
      "c skein diff @ g",
      "c skein show @ --cwd ho",
      "c skein completion z",
      "c skein run ''",
    ];
    expect((await run(["--norc", "-c", [`source '${script}'`, complete, ...lines].join("\n")])).split("\n")).toEqual([
      "status stats",
      "show show-command show-tool",
      "acceptEdits auto",
      "--permission-mode",
      "serve",
      "--scenario",
      "",
      "good",
      "good",
      "home",
      "zsh",
      "",
      "",
    ]);
  });
});

describeWith({ command: "fish", package: "fish" }, "fish", () => {
  it("completes commands, flags, words and names of states", async () => {
    const { script, run } = await prepare("fish");
    const typed = [
      "skein sta",
      "skein -C . show-c",
      "skein run --permission-mode ",
      "skein help relo",
      "skein help reco",
      "skein run log --jso",
      "skein offline ",
      "skein show g",
      "skein -C /usr/bi",
    ];
    const lines = typed.map((line) => `complete -C'${line}' | string replace -r '\\t.*' ''`);
    const shown = await run(["--no-config", "-c", [`source '${script}'`, ...lines].join("\n")]);
    expect(shown.trim().split("\n")).toEqual([
      "stats",
      "status",
      "show-command",
      "acceptEdits",
      "auto",
      "bypassPermissions",
      "default",
      "dontAsk",
      "plan",
      "recover",
      "--json",
      "--json-schema",
      "serve",
      "good",
      "/usr/bin/",
    ]);
  });
});

describeWith({ command: "zsh", package: "zsh" }, "zsh", () => {
  it("completes commands, flags, words and names of states", async () => {
    const { script, run } = await prepare("zsh");
    const typed = [
      ["skein undo --dis", "skein undo --discard"],
      ["skein -C . show-c", "skein -C . show-command"],
      ["skein run --permission-mode acc", "skein run --permission-mode acceptEdits"],
      ["skein offline se", "skein offline serve"],
      ["skein show g", "skein show good"],
    ] as const;
    const asked = typed.map(([line, whole]) => {
      return `zpty -w -n s ${JSON.stringify(line)}$'\\t'; zpty -r s seen '*${whole}*' && print -r -- ${JSON.stringify(whole)}; zpty -w -n s $'\\C-u'`;
    });
    const begin = `autoload -Uz compinit; compinit -u -D; source '${script}'; print re''ady`;
    const words = [
      "zmodload zsh/zpty",
      "zpty s zsh -f -i",
      `zpty -w s ${JSON.stringify(begin)}`,
      "zpty -r s seen '*ready*'",
    ];
    const shown = await run(["-f", "-c", [...words, ...asked].join("\n")]);
    expect(shown.trim().split("\n")).toEqual(typed.map(([, whole]) => whole));
  });
});

it("names no state where nothing is recorded, and leaves nothing behind", async () => {
  const home = join(await temporaryDirectory(), "data");
  const main = resolve("dist/cli/main.js");
  const folder = await temporaryDirectory();
  const options = { cwd: folder, env: { HOME: folder, SKEIN_HOME: home } };
  expect(await execute(process.execPath, [main, "completion", "names"], options)).toEqual({ stdout: "", stderr: "" });
  expect(await readdir(home).catch(() => [])).toEqual([]);
});

describeWith({ command: "groff", package: "groff-base" }, "the manual page", () => {
  it("is set without a warning, with every command and flag", async () => {
    const page = join(await temporaryDirectory(), "skein.1");
    await writeFile(page, (await runSkein(["man"])).stdout);
    const set = ["-man", "-ww", "-Tascii", "-P-c", "-rLL=500n", page];
    const { stdout, stderr } = await execute("groff", set, { maxBuffer: 1 << 24 });
    expect(stderr).toBe("");
    // Bold is each letter over itself, and italic over a line.
    const text = stdout.split("\b").reduce((before, after) => before.slice(0, -1) + after);
    const named = COMMANDS.flatMap((command) => [
      `skein ${command.name}`,
      ...flagsOf(command).flatMap(({ name, isPositional }) => (isPositional ? [] : [name])),
    ]);
    expect(named.filter((name) => !text.includes(name))).toEqual([]);
  });
});
