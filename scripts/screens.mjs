// Plays the terminal at three widths for each view, in tmux, and compares what it shows with the screens in test/screens.
// `--update` writes them; `--only log,tree` plays some of them.
import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { VIEWS } from "./screens/views.mjs";

const WIDTHS = [60, 100, 160];
const LONGEST_MS = 120_000;
const END = "[end of the screen]";
const repository = fileURLToPath(new URL("..", import.meta.url));
const pins = join(repository, "test", "screens");
const run = promisify(execFile);
const { update, only } = parseArgs({ options: { update: { type: "boolean" }, only: { type: "string" } } }).values;

if (spawnSync("tmux", ["-V"]).status !== 0) {
  console.error("tmux is not installed; the screens are played in it");
  process.exit(1);
}
// A short path of always the same length, whatever TMPDIR says: it is shown, and sockets lie in it.
const root = mkdtempSync(join(realpathSync("/tmp"), "screens-"));
const socket = join(root, "tmux");
try {
  await main();
} finally {
  spawnSync("tmux", ["-S", socket, "kill-server"], { stdio: "ignore" });
  rmSync(root, { recursive: true, force: true, maxRetries: 10 });
}

async function main() {
  const wanted = only === undefined ? VIEWS : VIEWS.filter(({ name }) => only.split(",").includes(name));
  if (wanted.length === 0) throw new Error(`no such view: ${only}`);
  makeCommand("skein", [join(repository, "scripts", "screens", "fixed-clock.mjs")]);
  makeCommand("skein-now", []);
  mkdirSync(join(root, "home"));
  await run(process.execPath, [join(repository, "scripts", "screens", "make-project.mjs"), root], {
    env: environment(),
  });
  // Without a session the server would end between two views.
  await tmux("-f", "/dev/null", "new-session", "-d", "-s", "keeper", "-x", "80", "-y", "24", "cat");
  let differing = 0;
  for (const view of wanted) {
    const screens = await Promise.all(WIDTHS.map((columns) => play(view, columns)));
    const text = screens.map((screen, index) => `── ${WIDTHS[index]} columns: ${view.command}\n${screen}`).join("\n");
    if (!matchesPin(view.name, text)) differing += 1;
  }
  if (only === undefined) differing += unknownPins().length;
  console.log(`${wanted.length * WIDTHS.length} screens of ${wanted.length} views; ${differing} views differ`);
  if (differing > 0 && !update) {
    console.log("If that is meant: npm run screens -- --update, and look at what it wrote");
    process.exitCode = 1;
  }
}

/** Plays one view; gives its screen without what varies. */
async function play(view, columns) {
  const { name, command, clock = "fixed", keys = [], rows = 200, hide = [] } = view;
  const session = `${name}-${columns}`;
  const words = clock === "real" ? command.replaceAll(/\bskein\b/gu, "skein-now") : command;
  // The end is printed in two pieces, so that it is not found in the command itself. The shell lives on, and with it the screen.
  const script = `cd ${join(root, "app")}; ${words}; code=$?; printf '\\n%s%s\\n' '[end of ' "the screen] $code"; exec cat`;
  await tmux(
    "-f",
    "/dev/null",
    "new-session",
    "-d",
    "-s",
    session,
    "-x",
    `${columns}`,
    "-y",
    `${rows}`,
    "env",
    ...pairs(environment()),
    "sh",
    "-c",
    script,
  );
  for (const [shown, key] of keys) {
    await press(session, shown, key);
  }
  const screen = await seen(session, END);
  await tmux("kill-session", "-t", session);
  return plain(screen, hide);
}

/** Presses a key once the screen shows a text, and again if the text stays: a key that comes too early is lost. */
async function press(session, shown, key) {
  await seen(session, shown);
  const until = Date.now() + LONGEST_MS;
  for (let pressedAt = 0; Date.now() < until; await wait(50)) {
    const { stdout } = await tmux("capture-pane", "-p", "-S", "-", "-t", session);
    if (!stdout.includes(shown)) return;
    if (Date.now() - pressedAt < 2000) continue;
    await tmux("send-keys", "-t", session, key);
    pressedAt = Date.now();
  }
  throw new Error(`${session} still shows "${shown}"`);
}

/** Waits for a text on the screen, and gives all that was printed; what does not come is an error, with what was there instead. */
async function seen(session, text) {
  const until = Date.now() + LONGEST_MS;
  for (;;) {
    const { stdout } = await tmux("capture-pane", "-p", "-S", "-", "-t", session);
    if (stdout.includes(text)) return stdout;
    if (Date.now() > until) throw new Error(`${session} has not shown "${text}", but:\n${stdout.trimEnd()}`);
    await wait(50);
  }
}

/** Ids are numbered as they appear, and the folder has a name of the same length: columns stay where they are. */
function plain(screen, hide) {
  const ids = new Map();
  const numbered = (id) => {
    // The ids that the project gives to its own sessions stay.
    if (id.includes("-0000-4000-8000-")) return id;
    const digits = id.includes("-") ? 8 : 12;
    const known = id.slice(0, digits);
    if (!ids.has(known)) ids.set(known, `${ids.size + 1}`.padStart(digits, "0"));
    return ids.get(known) + id.slice(digits).replaceAll(/[0-9a-f]/gu, "0");
  };
  let text = screen.replaceAll(root, "/tmp/screens-______");
  for (const [pattern, instead] of hide) text = text.replaceAll(pattern, instead);
  text = text.replaceAll(
    /\b[0-9a-f]{40}\b|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b[0-9a-f]{12}\b/gu,
    numbered,
  );
  const lines = text.split("\n").map((line) => line.trimEnd());
  const end = lines.findIndex((line) => line.startsWith(END));
  const code = lines[end]?.slice(END.length).trim();
  return `${lines.slice(0, end).join("\n").trimEnd()}\n${code === "0" ? "" : `(exit ${code})\n`}`;
}

function matchesPin(name, text) {
  const path = join(pins, `${name}.txt`);
  const pinned = readPin(path);
  if (pinned === text) return true;
  if (update) {
    writeFileSync(path, text);
    console.log(`written: test/screens/${name}.txt`);
    return false;
  }
  const shown = join(root, `${name}.txt`);
  writeFileSync(shown, text);
  const { stdout } = spawnSync(
    "git",
    ["diff", "--no-index", "--no-color", pinned === undefined ? "/dev/null" : path, shown],
    { encoding: "utf8" },
  );
  console.log(`${name} differs:\n${stdout.split("\n").slice(4).join("\n")}`);
  return false;
}

function readPin(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** Screens whose view is gone. */
function unknownPins() {
  const names = new Set(VIEWS.map(({ name }) => `${name}.txt`));
  const unknown = readdirSync(pins).filter((file) => !names.has(file));
  for (const file of unknown) {
    console.log(update ? `removed: test/screens/${file}` : `test/screens/${file} is of no view`);
    if (update) rmSync(join(pins, file));
  }
  return unknown;
}

function makeCommand(name, imports) {
  const folder = join(root, "bin");
  mkdirSync(folder, { recursive: true });
  const words = [
    process.execPath,
    ...imports.flatMap((path) => ["--import", path]),
    join(repository, "dist/cli/main.js"),
  ];
  writeFileSync(join(folder, name), `#!/bin/sh\nexec ${words.map((word) => `'${word}'`).join(" ")} "$@"\n`, {
    mode: 0o755,
  });
}

/** Nothing of who plays it: no key, no language, no settings of git's or the shell's. */
function environment() {
  return {
    PATH: `${join(root, "bin")}:${process.env.PATH}`,
    HOME: join(root, "home"),
    SKEIN_HOME: join(root, "data"),
    TMPDIR: "/tmp",
    LANG: "C.UTF-8",
    TZ: "UTC",
    SHELL: "/bin/sh",
    GIT_CONFIG_NOSYSTEM: "1",
    TERM: "screen",
    SCREENS: join(repository, "scripts", "screens"),
  };
}

function pairs(env) {
  return ["-i", ...Object.entries(env).map(([name, value]) => `${name}=${value}`)];
}

async function tmux(...args) {
  // Under another locale tmux would draw signs for what it takes to be no characters.
  return await run("tmux", ["-u", "-S", socket, ...args], { env: environment(), maxBuffer: 1e8 });
}
