import { existsSync } from "node:fs";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runSkeinJson, temporaryDirectory } from "./support/skein.ts";
import { tracedWorkspace } from "./support/traced-workspace.ts";

it("runs no program that a machine names by the directory that it says it has", async () => {
  const root = await temporaryDirectory();
  const marker = join(root, "marker");
  const programs = join(root, "bin");
  await mkdir(programs);
  const program = async (name: string, script: string): Promise<void> => {
    await writeFile(join(programs, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(programs, name), 0o755);
  };
  // Git takes HOST::ADDRESS for what git-remote-HOST understands.
  await program("git-remote-helper", `echo "$@" >> ${marker}; exit 1`);
  const env = { PATH: `${programs}:${process.env["PATH"] ?? ""}` };
  for (const said of [":address", ":/address", "relative", "--upload-pack=x", ""]) {
    await program("ssh", `echo ${said}`);
    const { envelope } = await runSkeinJson(["ssh-mode", "helper", "x", "--offline"], { env });
    expect(envelope).toMatchObject({ error: { target: "helper" } });
    expect([said, existsSync(marker)]).toEqual([said, false]);
  }
});

it.each([
  ["a state that is here already", (id: string) => id],
  ["a name instead of a state", () => "@~1"],
  ["a path instead of a state", () => "../../../HEAD"],
])("restores nothing where a machine names %s for what it ran", async (_, named) => {
  const { cwd, home, data } = await tracedWorkspace();
  await writeFile(join(cwd, "a.txt"), "one\n");
  const { state_id: before } = await data<{ state_id: string }>("checkpoint", "before");
  await writeFile(join(cwd, "a.txt"), "two\n");
  const root = await temporaryDirectory();
  const turn = { ...FORGED_TURN, state_id: named(before) };
  await writeFile(join(root, "rpc.mjs"), forgedRpc(turn));
  const script = `for word; do last=$word; done
case "$last" in *rpc*) exec ${process.execPath} ${root}/rpc.mjs;; *) exec sh -c "$last";; esac`;
  await writeFile(join(root, "ssh"), `#!/bin/sh\n${script}\n`);
  await chmod(join(root, "ssh"), 0o755);
  const env = { SKEIN_HOME: home, PATH: `${root}:${process.env["PATH"] ?? ""}` };
  const words = ["--adopt", "--offline", "--remote-cwd", join(root, "there")];
  const { envelope } = await runSkeinJson(["ssh-mode", "helper", "x", ...words], { cwd, env });
  expect(envelope).toMatchObject({ error: { kind: named(before) === before ? "policy" : "parse" } });
  expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("two\n");
});

const FORGED_TURN = {
  text: "",
  session_id: "",
  model: "",
  is_error: false,
  offline: false,
  scenario: null,
  subtype: null,
  uuid: null,
  stop_reason: null,
  terminal_reason: null,
  usage: { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 },
  usage_by_model: {},
  cost_usd: 0,
  duration_ms: 0,
  duration_api_ms: null,
  responses: 0,
  attempts: 1,
  tools: [],
  files: { created: [], modified: [], deleted: [], renamed: [] },
  unheld: [],
  git_left_out: null,
  permission_denials: [],
  before_state_id: null,
  transition_id: null,
};

/** A Skein that answers everything with success, and a turn with what it was given. */
function forgedRpc(turn: object): string {
  return `import { execFileSync } from "node:child_process";
import { createInterface } from "node:readline";
let remote = "";
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  if (method === "pull") remote = params.remote;
  const names = ["for-each-ref", "--format=%(refname:lstrip=3)", "refs/skein/conversations"];
  const [conversation_id] = method === "run" ? execFileSync("git", names, { cwd: remote, encoding: "utf8" }).split("\\n") : [];
  const result = method === "run" ? { ...${JSON.stringify(turn)}, conversation_id } : {};
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
}
`;
}
