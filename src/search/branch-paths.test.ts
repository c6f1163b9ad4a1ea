import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tool } from "@anthropic-ai/claude-agent-sdk";
import { afterEach, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { call, SANDBOX, startBranchBench, workOnBoth, type BranchBench } from "../../test/support/branch-bench.ts";
import { bash } from "../../test/support/direct-script.ts";
import { hashOf } from "../../test/support/hash-of.ts";
import { describeWith } from "../../test/support/require-package.ts";
import { hostPath } from "../core/internal.ts";
import { pathScope, toCanUseTool, toolServer, type ClaudeOptions } from "../engine/index.ts";
import { ClaudeEnvironment } from "./claude-environment.ts";

const PACKAGES = [
  { command: "bwrap", package: "bubblewrap" },
  { command: "socat", package: "socat" },
];

let bench: BranchBench;
let cwd: string;

beforeEach(async () => {
  bench = await startBranchBench();
  ({ cwd } = bench.agent);
});

afterEach(async () => {
  await bench.close();
});

describeWith(PACKAGES, "An agent on a branch", () => {
  it("finds its files at the workspace's own path, and each branch has its own", async () => {
    expect(await workOnBoth(bench)).toEqual(["one", "two"]);
    expect(bench.told).toEqual([]);
  }, 120_000);

  it("cannot write the workspace by that path or another, nor what is lent to it", async () => {
    writeFileSync(join(cwd, "precious.txt"), "precious");
    await using environment = await bench.open();
    // Not on the command line, where the CLI itself would refuse it.
    const escapes = [
      `umount ${cwd}; umount -l ${cwd}; unshare -rm sh -c 'umount -l ${cwd}; echo x > ${cwd}/precious.txt'`,
      `for each in /proc/[0-9]*; do echo x > $each/root${cwd}/precious.txt; echo x > $each/cwd/precious.txt; done`,
      `for each in /proc/[0-9]*; do nsenter -t \${each#/proc/} -m sh -c 'echo x > ${cwd}/precious.txt'; done`,
      `echo x > ../$(basename ${cwd})/precious.txt; mv ${cwd} ${cwd}-away; mkdir ${cwd}`,
      `mount -o remount,bind,rw .git/lent; chmod -R u+w .git/lent; rm -rf .git/lent/*; touch .git/lent/x`,
      `for each in ${environment.workspace.home}/branches/*/*; do echo x > $each/precious.txt; done`,
      `find ${bench.home} -type f | while read -r each; do echo x > "$each"; done; rm -rf ${bench.home}/*`,
    ];
    writeFileSync(join(cwd, "escape.sh"), [...escapes, "touch tried", ""].join("\n"));
    const start = await environment.checkpoint();
    await using sibling = await environment.workspace.branch(start.id);
    const before = [hashOf(cwd), hashOf(sibling.view)];
    const folders = [`/proc/${process.pid}/root${cwd}`, `/proc/${process.pid}/cwd`, `/proc/1/root${cwd}`, sibling.path];
    const writes = folders.flatMap((folder) =>
      ["precious.txt", "new.txt"].map((name) => call("Write", { file_path: `${folder}/${name}`, content: "x" })),
    );

    const { state, transition } = await environment.exploreFrom(start, [bash("sh escape.sh"), ...writes].join("\n"));

    const read = async (path: string): Promise<string> => (await environment.workspace.read(state.id, path)).toString();
    expect([await read("precious.txt"), await read("tried")]).toEqual(["x\n", ""]);
    expect(transition.execution.tools.filter(({ isError }) => isError)).toHaveLength(writes.length);
    expect([hashOf(cwd), hashOf(sibling.view)]).toEqual(before);
    expect(readdirSync(process.cwd())).not.toContain("new.txt");
    expect((await environment.workspace.read(start.id, "precious.txt")).toString()).toBe("precious");
  }, 120_000);

  it("is judged by rules, hooks and tools of the host, which mean its branch by the workspace's path", async () => {
    writeFileSync(join(cwd, "plain.txt"), "of the workspace");
    const heard: string[] = [];
    const look = tool("look", "Reads a file", { path: z.string() }, async ({ path }) => ({
      content: [{ type: "text", text: `${path}: ${readFileSync(path, "utf8")} (${hostPath(cwd) !== cwd})` }],
    }));
    const listen: NonNullable<ClaudeOptions["hooks"]> = {
      PreToolUse: [
        {
          hooks: [
            async (input) => {
              const { file_path: path = "" } = (input as { tool_input: { file_path?: string } }).tool_input;
              if (path.endsWith("plain.txt")) heard.push(readFileSync(path, "utf8"));
              return {};
            },
          ],
        },
      ],
    };
    await using environment = await bench.open(undefined, {
      permissionMode: "default",
      sandbox: SANDBOX,
      canUseTool: toCanUseTool(pathScope({ root: cwd }), { fallback: "allow" }),
      mcpServers: { host: toolServer({ name: "host", tools: [look] }) },
      hooks: listen,
    });
    const start = await environment.checkpoint();
    const links = `ln -s /etc out; ln -s ${cwd}/near around; ln -s /var near`;

    const { state } = await environment.exploreFrom(
      start,
      [
        bash(`echo of the branch > ${cwd}/plain.txt; mkdir in; ${links}`),
        call("Read", { file_path: `${cwd}/plain.txt` }),
        call("Write", { file_path: `${cwd}/in/new.txt`, content: "made" }),
        call("Write", { file_path: `${cwd}/out/skein-test`, content: "x" }),
        call("Write", { file_path: `${cwd}/around/skein-test`, content: "x" }),
        call("mcp__host__look", { path: `${cwd}/plain.txt` }),
      ].join("\n"),
    );

    expect(heard).toEqual(["of the branch\n"]);
    expect((await environment.workspace.read(state.id, "in/new.txt")).toString()).toBe("made");
    const said = JSON.stringify(bench.agent.requests.at(-1));
    expect(said).toContain(`${cwd}/plain.txt: of the branch\\n (true)`);
    expect(said).toContain(`/etc/skein-test is outside of ${cwd}`);
    expect(said).toContain(`/var/skein-test is outside of ${cwd}`);
    expect(readFileSync(join(cwd, "plain.txt"), "utf8")).toBe("of the workspace");
  }, 120_000);

  it("is at the branch's own path, and it is said once why, where the workspace holds what the agent needs", async () => {
    mkdirSync(join(cwd, "data"));
    const told: string[] = [];
    const workspace = { home: join(cwd, "data"), branches: { onOwnPath: (reason: string) => void told.push(reason) } };
    await using environment = await ClaudeEnvironment.open(cwd, { engine: bench.agent.engine, workspace });
    const start = await environment.checkpoint();
    await using branch = await environment.workspace.branch(start.id);
    expect(branch.agentPath).toBe(branch.path);
    await (await environment.workspace.branch(start.id)).close();
    expect(told).toEqual([`${environment.workspace.home} lies in the workspace`]);
  });
});
