import { mkdtemp, mkdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeCall } from "./describe-call.ts";

let root = "";
const place = () => ({ cwd: join(root, "work"), isSandboxed: true });

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "skein-question-")));
  for (const folder of ["work", "out"]) await mkdir(join(root, folder));
  await symlink(join(root, "out"), join(root, "work/link"));
  await writeFile(join(root, "work/there.txt"), "abc");
});
afterAll(() => rm(root, { recursive: true }));

it("shows a command with all its lines, and where it runs", async () => {
  const input = { command: "true # harmless\ntouch X", description: "Check the weather", timeout: 5 };
  const confined = {
    action: "run a command in the sandbox",
    warnings: [],
    isRisky: false,
    isConfined: true,
    facts: [
      { name: "The agent says", value: "Check the weather" },
      { name: "timeout", value: "5" },
    ],
    body: [{ text: "true # harmless" }, { text: "touch X" }],
  };
  expect(await describeCall("Bash", input, place())).toEqual(confined);
  expect(await describeCall("Bash", input, { ...place(), isSandboxed: false })).toEqual({
    ...confined,
    action: "run a command",
    isConfined: false,
    warnings: ["Without a sandbox, with the network and all your files, including your keys"],
  });
});

it.each([true, "true", 1])("says that a command leaves the sandbox: %j", async (dangerouslyDisableSandbox) => {
  expect(await describeCall("Bash", { command: "x", dangerouslyDisableSandbox }, place())).toMatchObject({
    action: "run a command",
    warnings: ["Outside the sandbox, with the network and all your files, including your keys"],
    isRisky: true,
    isConfined: false,
  });
});

it("shows the address that is watched, not what the agent says of it", async () => {
  const ws = { url: "ws://127.0.0.1:99/x", protocols: ["a"] };
  expect(await describeCall("Monitor", { description: "The build", timeout_ms: 1, ws }, place())).toEqual({
    action: "open a connection and watch it",
    warnings: ["Outside the sandbox"],
    isRisky: true,
    isConfined: false,
    facts: [
      { name: "Host", value: "127.0.0.1:99" },
      { name: "protocols", value: '[\n  "a"\n]' },
      { name: "The agent says", value: "The build" },
      { name: "timeout_ms", value: "1" },
    ],
    body: [{ text: "ws://127.0.0.1:99/x" }],
  });
  expect(await describeCall("Monitor", { description: "The build", command: "a\nb" }, place())).toMatchObject({
    action: "run a command and watch its output in the sandbox",
    body: [{ text: "a" }, { text: "b" }],
  });
});

it("says which host an address means", async () => {
  const call = await describeCall("WebFetch", { url: "https://good.test@exämple.test/", prompt: "Sum up" }, place());
  expect(call.facts).toEqual([
    { name: "Host", value: "xn--exmple-cua.test" },
    { name: "Login", value: "the address carries one" },
    { name: "prompt", value: "Sum up" },
  ]);
});

it("says where a link leads to, and shows what is written", async () => {
  const input = { file_path: join(root, "work/link/n.txt"), content: "a\nb\n" };
  expect(await describeCall("Write", input, place())).toEqual({
    action: "write a file",
    warnings: ["Outside the working directory"],
    isRisky: false,
    isConfined: false,
    facts: [
      { name: "File", value: join(root, "out/n.txt") },
      { name: "Given as", value: join(root, "work/link/n.txt") },
      { name: "Now", value: "new" },
    ],
    body: [
      { text: "a", change: "added" },
      { text: "b", change: "added" },
    ],
  });
});

it("shows no line of a file that is to be empty", async () => {
  const call = await describeCall("Write", { file_path: join(root, "work/n.txt"), content: "" }, place());
  expect(call.body).toEqual([]);
});

it("shows an edit as a change", async () => {
  const input = {
    file_path: join(root, "work/there.txt"),
    old_string: "a\nb\nc",
    new_string: "a\nB\nc",
    replace_all: true,
  };
  expect(await describeCall("Edit", input, place())).toEqual({
    action: "change a file",
    warnings: [],
    isRisky: false,
    isConfined: true,
    facts: [
      { name: "File", value: join(root, "work/there.txt") },
      { name: "Now", value: "exists, 3 bytes" },
      { name: "replace_all", value: "true" },
    ],
    body: [{ text: "a" }, { text: "b", change: "removed" }, { text: "B", change: "added" }, { text: "c" }],
  });
});

it("shows all that a tool it does not know is given", async () => {
  const call = await describeCall("mcp__x__y", { a: 1, text: "one\ntwo" }, place());
  expect(call.action).toBe("call a tool of an MCP server");
  expect(call.body.map(({ text }) => text)).toEqual(["a: 1", "text:", "  one", "  two"]);
  expect(call.isConfined).toBe(false);
  expect((await describeCall("constructor", {}, place())).body).toEqual([]);
});
