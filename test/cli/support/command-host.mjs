// Runs command lines one after another with all modules loaded, each as if it were a process of its own: its directory, its environment
// and its streams. The built command is used; what only a process has (signals, a terminal, its end) is for tests that spawn one.
import { EventEmitter } from "node:events";
import { readFileSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import { asksForHelp, loadCommand, runCommandLine, showHelp } from "../../../dist/cli/index.js";

const { version } = read("../../../package.json");
const commands = read("../../../dist/cli/command-list.json");
const words = read("../../../dist/cli/parser-words.json");
/** The streams of the command that runs: what is written past it, as a warning of Node is, is its as well. */
let streams = { stdout: createSink(), stderr: createSink() };
process.stdout.write = (chunk, ...rest) => streams.stdout.write(chunk, ...rest);
process.stderr.write = (chunk, ...rest) => streams.stderr.write(chunk, ...rest);

process.on("disconnect", () => process.exit());
// What a command does not catch ends this process, and with it the test.
process.on("message", (command) => void answer(command));

async function answer({ argv, cwd, env, stdin }) {
  streams = { stdout: createSink(), stderr: createSink() };
  process.chdir(cwd);
  replaceEnvironment(env);
  const code = await runMain(argv, readableOf(stdin));
  process.send({ code, stdout: streams.stdout.text(), stderr: streams.stderr.text() });
}

/** As `main.ts` does it. */
async function runMain(argv, stdin) {
  const line = { argv, commands, version, stdin, ...streams, env: { ...process.env } };
  const help = asksForHelp(argv, commands);
  if (help) {
    showHelp(line, { ...help, words: words[help.about] });
    return 0;
  }
  const exit = () => {
    throw new Error("A command ended the process");
  };
  return await runCommandLine({ ...line, load: loadCommand, process: Object.assign(new EventEmitter(), { exit }) });
}

/** Bytes, as a pipe gives them. */
function readableOf(text) {
  return Readable.from(text === "" ? [] : [Buffer.from(text)], { objectMode: false });
}

/** Variable by variable: another object in its place would be seen by nothing but JavaScript. */
function replaceEnvironment(env) {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
}

function createSink() {
  const parts = [];
  const sink = new Writable({
    write(chunk, _, done) {
      parts.push(chunk);
      done();
    },
  });
  return Object.assign(sink, { text: () => Buffer.concat(parts).toString("utf8") });
}

function read(path) {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));
}
