import { existsSync } from "node:fs";
import { mkdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { bash, write } from "../support/direct-script.ts";
import { describeWith } from "../support/require-package.ts";
import { connectMcp, errorOf } from "./support/mcp-client.ts";
import { temporaryDirectory } from "./support/skein.ts";
import { tracedWorkspace } from "./support/traced-workspace.ts";

const SLOW = { timeout: 120_000 } as const;
const PACKAGES = [
  { command: "bwrap", package: "bubblewrap" },
  { command: "socat", package: "socat" },
];
const OFFLINE = ["--offline", "direct"];

describeWith(PACKAGES, "in the sandbox", () => {
  it(
    "settings of a trusted folder are loaded, and its tools cannot write what they run, nor put another in its place",
    SLOW,
    async () => {
      const { cwd, home, data, error } = await tracedWorkspace();
      const hooked = join(home, "hooked");
      await mkdir(join(cwd, ".claude"), { recursive: true });
      await mkdir(join(cwd, "scripts"));
      await writeFile(join(cwd, "scripts/hook.sh"), `echo kept >> ${hooked}\n`);
      const hooks = { UserPromptSubmit: [{ hooks: [{ type: "command", command: "sh scripts/hook.sh" }] }] };
      await writeFile(
        join(cwd, ".claude/settings.json"),
        JSON.stringify({ hooks, env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:9" } }),
      );
      const prompt = [
        bash("echo evil > scripts/hook.sh"),
        bash("mv scripts away; mkdir scripts; echo evil > scripts/hook.sh"),
        bash("rm -rf scripts/hook.sh .claude; mkdir -p .claude; echo {} > .claude/settings.local.json"),
        bash("echo {} > .mcp.json"),
        write("scripts/hook.sh", "evil"),
        write(".claude/settings.local.json", "{}"),
        write(".mcp.json", "{}"),
        bash("touch fine.txt scripts/other.sh"),
      ].join("\n");
      const settings = ["--setting-sources", "project,local"];
      expect(await error("run", prompt, ...OFFLINE, ...settings)).toMatchObject({ kind: "untrusted_folder" });
      expect(existsSync(hooked)).toBe(false);
      await data("trust");
      const turn = await data("run", prompt, ...OFFLINE, ...settings);
      expect(turn).toMatchObject({
        is_error: false,
        files: { created: ["fine.txt", "scripts/other.sh"], modified: [], deleted: [] },
      });
      expect(await readFile(hooked, "utf8")).toBe("kept\n");
      expect(await readFile(join(cwd, "scripts/hook.sh"), "utf8")).toContain("kept");

      // A state whose settings are others is not gone on from in a branch, whatever the folder has now.
      const { checkpoint } = { checkpoint: (name: string) => data("checkpoint", name) };
      await checkpoint("trusted");
      await writeFile(join(cwd, "scripts/hook.sh"), `echo other >> ${hooked}\n`);
      await data("checkpoint", "other");
      await data("restore", "trusted", "--yes");
      const explore = (from: string) => ["explore", "--prompt", bash("true"), "--from", from, ...OFFLINE, ...settings];
      expect(await error(...explore("other"))).toMatchObject({ kind: "untrusted_folder" });
      expect(await readFile(hooked, "utf8")).toBe("kept\n");
      expect(await data(...explore("trusted"))).toMatchObject({ branches: [{ outcome: "completed" }] });
      expect(await readFile(hooked, "utf8")).toBe("kept\nkept\n");
    },
  );

  it("explore through MCP is isolated as run is, and with --isolated too", SLOW, async () => {
    const { cwd, home, data } = await tracedWorkspace();
    await mkdir(home, { recursive: true });
    await writeFile(join(home, "secret.txt"), "what the file says");
    const prompt = [
      bash(`cat ${home}/secret.txt > stolen.txt; cat ${home}/secret.txt`),
      bash("echo made > made.txt && git status > git.txt"),
    ].join("\n");
    const reward = "test ! -s stolen.txt && test -s made.txt";
    const isolated = { branches: [{ outcome: "completed", reward: { value: 1 } }] };
    const client = await connectMcp({ cwd, home }, "--allow-explore");
    const asked = { prompt: [prompt], reward, offline: "direct" };
    expect(errorOf(await client.callTool({ name: "explore", arguments: asked }))).toMatchObject(isolated);
    for (const field of [
      "setting_sources",
      "mcp_config",
      "agents",
      "env",
      "cli_path",
      "allow_domain",
      "mount",
      "add_dir",
    ]) {
      const answer = errorOf(await client.callTool({ name: "explore", arguments: { ...asked, [field]: ["x"] } }));
      expect(answer).toMatchObject({ kind: "policy", target: field });
    }
    const schema = errorOf(
      await client.callTool({ name: "explore", arguments: { ...asked, json_schema: "/etc/passwd" } }),
    );
    expect(schema).toMatchObject({ kind: "policy", target: "json_schema" });
    const words = ["--prompt", prompt, "--reward", reward, ...OFFLINE, "--isolated"];
    expect(await data("explore", ...words)).toMatchObject(isolated);
  });

  it("--isolated keeps what is the user's from the tools of run and of turn-loop", SLOW, async () => {
    const { cwd, data } = await tracedWorkspace();
    const own = await realpath(await temporaryDirectory());
    await writeFile(join(own, "notes.txt"), "what the file says");
    const prompt = bash(`cat ${own}/notes.txt > read.txt; echo "$HOME" > home.txt; echo made > made.txt`);
    const found = async (...words: readonly string[]) => {
      await Promise.all(["read.txt", "home.txt", "made.txt"].map((name) => rm(join(cwd, name), { force: true })));
      await data(...words, ...OFFLINE);
      const [read, userHome, made] = await Promise.all(
        ["read.txt", "home.txt", "made.txt"].map((name) => readFile(join(cwd, name), "utf8")),
      );
      return { read, made, userHome };
    };
    // Without it, what the user may read is read: the folder is there for both.
    const plain = await found("run", prompt);
    expect(plain).toMatchObject({ read: "what the file says", made: "made\n" });
    const isolated = {
      read: "",
      made: "made\n",
      userHome: expect.not.stringContaining(plain.userHome ?? "") as unknown,
    };
    expect(await found("run", prompt, "--isolated")).toEqual(isolated);
    expect(await found("turn-loop", prompt, "--isolated")).toEqual(isolated);
  });

  it("--allow-domain opens a host to sandboxed commands without --isolated", SLOW, async () => {
    const { cwd, data } = await tracedWorkspace();
    const reach = (host: string) =>
      `curl -s -o /dev/null -w '%{http_connect} %{http_code}' http://${host}/ >> reached.txt; echo >> reached.txt`;
    await data(
      "run",
      [bash(reach("allowed.invalid")), bash(reach("other.invalid"))].join("\n"),
      ...OFFLINE,
      "--allow-domain",
      "allowed.invalid",
    );
    const [allowed, other] = (await readFile(join(cwd, "reached.txt"), "utf8")).trim().split("\n");
    // The proxy of the sandbox lets the one name through, which nobody has, and refuses the other.
    expect(other).toContain("403");
    expect(allowed).not.toContain("403");
  });
});
