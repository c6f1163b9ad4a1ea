import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, realpath, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { expect, it } from "vitest";
import { describeWith } from "../support/require-package.ts";
import { connectMcp, errorOf } from "./support/mcp-client.ts";
import { runSkeinJson, temporaryDirectory } from "./support/skein.ts";
import { tracedWorkspace, write } from "./support/traced-workspace.ts";

const SLOW = { timeout: 120_000 } as const;
const PACKAGES = [
  { command: "bwrap", package: "bubblewrap" },
  { command: "socat", package: "socat" },
];
const KEY = "sk-ant-key-of-this-test";
const SECRET = "what the file says";

const call = async (client: Client, name: string, args: Record<string, unknown>): Promise<unknown> =>
  errorOf(await client.callTool({ name, arguments: args }));

it(
  "without flags a model is offered reading and isolated runs, and every other field and place is refused",
  SLOW,
  async () => {
    const workspace = await tracedWorkspace();
    const { cwd, home } = workspace;
    const other = await tracedWorkspace({ home });
    await other.turn(write("private.txt", "of another workspace"));
    const ran = join(home, "ran");
    const module = join(cwd, "scenario.mjs");
    await writeFile(module, `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(ran)}, "");`);
    await symlink(other.cwd, join(cwd, "link"));
    await mkdir(join(cwd, "inside"));
    await mkdir(join(cwd, ".git/hooks"), { recursive: true });
    await symlink(".git/hooks", join(cwd, "hooks"));

    const client = await connectMcp(workspace);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["run", "log", "search", "show", "tree"]);
    const [run] = tools;
    expect(Object.keys(run?.inputSchema.properties ?? {}).toSorted()).toEqual(
      [
        "append_system_prompt continue cwd disallowed_tools effort fallback_model from json_schema max_cost_usd",
        "max_responses max_thinking_tokens model offline prompt retries system_prompt timeout tools",
      ].flatMap((names) => names.split(" ")),
    );

    const asked = { prompt: "say no", offline: "direct" };
    const refused: readonly [Record<string, unknown>, object][] = [
      [
        { ...asked, permission_mode: "bypassPermissions" },
        { kind: "policy", target: "permission_mode" },
      ],
      [
        { ...asked, allowed_tools: ["Bash"] },
        { kind: "policy", target: "allowed_tools" },
      ],
      [
        { ...asked, record: false },
        { kind: "policy", target: "record" },
      ],
      [
        { ...asked, attach: ["/etc/passwd"] },
        { kind: "policy", target: "attach" },
      ],
      [
        { ...asked, resume: "0198c0de-0000-4000-8000-000000000000" },
        { kind: "policy", target: "resume" },
      ],
      ...["setting_sources", "mcp_config", "agents", "env", "cli_path", "allow_domain", "mount", "add_dir"].map(
        (field): [Record<string, unknown>, object] => [
          { ...asked, [field]: ["x"] },
          { kind: "policy", target: field },
        ],
      ),
      [
        { ...asked, json_schema: "/etc/passwd" },
        { kind: "policy", target: "json_schema" },
      ],
      [
        { ...asked, trust: true },
        { kind: "usage", target: "trust" },
      ],
      [
        { ...asked, offline: module },
        { kind: "policy", target: module },
      ],
      [
        { ...asked, offline: "constructor" },
        { kind: "policy", target: "constructor" },
      ],
      [
        { ...asked, cwd: other.cwd },
        { kind: "policy", target: other.cwd },
      ],
      [{ ...asked, cwd: ".." }, { kind: "policy" }],
      [{ ...asked, cwd: "link" }, { kind: "policy" }],
      [{ ...asked, cwd: "inside/../link/." }, { kind: "policy" }],
      [{ ...asked, cwd: "/" }, { kind: "policy" }],
      [{ ...asked, cwd: ".git" }, { kind: "policy" }],
      [{ ...asked, cwd: "hooks" }, { kind: "policy" }],
    ];
    for (const [args, error] of refused) expect(await call(client, "run", args)).toMatchObject(error);
    for (const tool of ["log", "tree"]) {
      expect(await call(client, tool, { cwd: "link" })).toMatchObject({ kind: "policy" });
    }
    expect(await call(client, "show", { state: "@", cwd: other.cwd })).toMatchObject({ kind: "policy" });
    expect(await call(client, "log", { cwd: "inside" })).toMatchObject({ states: [] });
    for (const name of ["explore", "restore", "adopt", "checkpoint", "search_sessions", "exec-tool", "push", "rpc"]) {
      await expect(client.callTool({ name, arguments: {} })).rejects.toThrow(`There is no tool ${name}`);
    }
    const wide = await connectMcp(workspace, "--allow-unconfined");
    expect(await call(wide, "run", { ...asked, record: false, cwd: "link" })).toMatchObject({ kind: "policy" });
    expect(existsSync(ran)).toBe(false);
  },
);

it("a folder that holds the home or Skein's records cannot be the root", SLOW, async () => {
  const home = await realpath(await temporaryDirectory());
  for (const root of [home, "/"]) {
    const { envelope } = await runSkeinJson(["mcp", "--root", root], {
      env: { HOME: home, SKEIN_HOME: join(home, "x") },
    });
    expect(envelope).toMatchObject({ error: { kind: "usage", target: "--root" } });
  }
});

describeWith(PACKAGES, "a run that a model asks for", () => {
  it("is isolated, whatever it tries, and goes on like any other", SLOW, async () => {
    const { cwd, home, data } = await tracedWorkspace();
    await writeFile(join(home, "secret.txt"), SECRET);
    const outside = join(home, "made");
    const env = { ANTHROPIC_API_KEY: KEY, MY_TOKEN: KEY };
    const client = await connectMcp({ cwd, home, env });
    const attempts = [
      { command: `cat ${home}/secret.txt; touch ${outside}` },
      { command: "env" },
      { command: "cat /proc/1/environ" },
      { command: `touch ${outside}`, dangerouslyDisableSandbox: true },
    ].map((input) => `Bash ${JSON.stringify(input)}`);
    const prompt = [
      ...attempts,
      `Read ${JSON.stringify({ file_path: `${home}/secret.txt` })}`,
      `Write ${JSON.stringify({ file_path: outside, content: "x" })}`,
      'Bash {"command":"echo made > made.txt"}',
    ].join("\n");
    const made = await call(client, "run", { prompt, offline: "direct" });
    expect(made).toMatchObject({ is_error: false, files: { created: ["made.txt"] } });
    expect(existsSync(outside)).toBe(false);
    const { conversation_id: id } = made as { readonly conversation_id: string };
    const file = join(home, "transcript.jsonl");
    await data("flush-transcript", id, "--file", file);
    const transcript = await readFile(file, "utf8");
    expect([KEY, SECRET].filter((secret) => transcript.includes(secret))).toEqual([]);
    expect(transcript).toContain("PATH=");

    const more = await call(client, "run", {
      prompt: 'Bash {"command":"cat made.txt"}',
      offline: "direct",
      continue: true,
    });
    expect(more).toMatchObject({ is_error: false, conversation_id: id });
  });

  it("is refused where there is no sandbox, while another runs, and when the money is spent", SLOW, async () => {
    const { cwd, home } = await tracedWorkspace();
    const asked = { prompt: "say ok", offline: "direct" };
    const bin = await temporaryDirectory();
    await symlink(await findProgram("git"), join(bin, "git"));
    const bare = await connectMcp({ cwd, home, env: { PATH: bin } });
    expect(await call(bare, "run", asked)).toMatchObject({ kind: "config", target: "sandbox" });

    const client = await connectMcp({ cwd, home }, "--max-cost-usd", "0.01");
    await mkdir(join(cwd, "inside"));
    const first = call(client, "run", { ...asked, max_cost_usd: 100 });
    expect(await call(client, "run", { ...asked, cwd: "inside" })).toMatchObject({
      kind: "workspace_busy",
      retryable: true,
    });
    await first;
    expect(await call(client, "run", asked)).toMatchObject({ kind: "budget", target: "--max-cost-usd" });
  });
});

async function findProgram(name: string): Promise<string> {
  const { stdout } = await promisify(execFile)("sh", ["-c", `command -v ${name}`]);
  return stdout.trim();
}
