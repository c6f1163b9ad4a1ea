import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { describeWith } from "../support/require-package.ts";
import { onTerminal, TERMINAL_PACKAGES } from "./support/pseudo-terminal.ts";
import { runSkein, temporaryDirectory } from "./support/skein.ts";
import { tracedWorkspace } from "./support/traced-workspace.ts";

const run = promisify(execFile);

const PACKAGES = [
  { command: "bwrap", package: "bubblewrap" },
  { command: "socat", package: "socat" },
  ...TERMINAL_PACKAGES,
];

/** Keys of the person who runs the command; none of them is one. */
const KEYS = {
  ANTHROPIC_API_KEY: "sk-ant-api03-0123456789abcdef-of-the-host",
  AWS_SECRET_ACCESS_KEY: "host/aws+secret0123456789012345678901234",
  ANTHROPIC_FOUNDRY_API_KEY: "foundry-key-0123456789",
};

/** A home with secrets in it, and a workspace beside it. */
async function personalHome(): Promise<{
  readonly home: string;
  readonly cwd: string;
  readonly env: Record<string, string>;
}> {
  const { cwd } = await tracedWorkspace();
  const home = await temporaryDirectory();
  const files = {
    ".ssh/id_rsa": "THE SSH KEY",
    ".netrc": "THE NETRC",
    "vault/credentials": "THE AWS FILE",
    "notes.txt": "plain notes",
  };
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(home, name)), { recursive: true });
    await writeFile(join(home, name), content);
  }
  await symlink(join(home, "vault"), join(home, ".aws"));
  await symlink(join(home, ".ssh"), join(cwd, "shortcut"));
  return { home, cwd, env: { ...KEYS, HOME: home, SKEIN_HOME: join(home, "skein") } };
}

/** Runs tool calls, one a line, in one turn; gives what each came to. */
async function calls(
  place: { readonly cwd: string; readonly env: Record<string, string> },
  lines: readonly (readonly [tool: string, input: object])[],
  ...flags: readonly string[]
): Promise<readonly string[]> {
  const prompt = lines.map(([tool, input]) => `${tool} ${JSON.stringify(input)}`).join("\n");
  const args = ["run", prompt, "--offline", "direct", "--output-format", "stream-json", ...flags];
  const { stdout } = await runSkein(args, place);
  return stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { readonly type?: string; readonly output?: unknown })
    .filter(({ type }) => type === "tool-end")
    .map(({ output }) => (typeof output === "string" ? output : JSON.stringify(output)));
}

const bash = (command: string, more: object = {}): readonly [string, object] => ["Bash", { command, ...more }];

describeWith(PACKAGES, "the secrets of the person who runs an agent", () => {
  it("are seen neither by Bash nor by file tools, by no way round, and nothing of Skein's records is", async () => {
    const place = await personalHome();
    const { home, cwd } = place;
    // A first turn, so that there are records; the index of this store must not be seen by the next.
    await calls(place, [bash("echo recorded-secret-word")]);
    const seen = await calls(
      place,
      [
        bash("env"),
        bash("cat ~/.ssh/id_rsa ~/.netrc ~/.aws/credentials ~/vault/credentials shortcut/id_rsa ~/notes.txt 2>&1"),
        bash(`cd ~ && cat .s*/id_r*; find . -type f -exec cat {} + 2>/dev/null | grep -c 'THE SSH' ; true`),
        bash("cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n' | grep -c of-the-hos[t]; true"),
        bash(
          "grep -rl recorded-secret-wor[d] ~/skein/workspaces ~/skein/transcripts 2>&1; ls ~/skein/workspaces/*/store.git",
        ),
        bash("rm -rf ~/skein/workspaces; ls -d ~/skein/workspaces/*/store.git; true"),
        bash("env; cat ~/.ssh/id_rsa", { dangerouslyDisableSandbox: true }),
        ["Read", { file_path: join(home, ".ssh/id_rsa") }],
        ["Read", { file_path: join(cwd, "shortcut/id_rsa") }],
        ["Read", { file_path: join(home, "vault/credentials") }],
        ["Read", { file_path: join(home, ".netrc") }],
        ["Write", { file_path: join(home, ".ssh/authorized_keys"), content: "mine" }],
      ],
      "--allowed-tools",
      "Bash",
      "Read",
      "Write",
    );
    expect(seen).toHaveLength(12);
    const all = seen.join("\n");
    for (const secret of [...Object.values(KEYS), "THE SSH KEY", "THE NETRC", "THE AWS FILE", "recorded-secret-word"]) {
      expect(all).not.toContain(secret);
    }
    // What is nobody's secret is still read, so that the rest means something.
    expect(seen[1]).toContain("plain notes");
    expect(seen[0]).toContain(`HOME=${home}`);
    expect(seen[0]).not.toContain("ANTHROPIC_API_KEY=");
    await expect(readFile(join(home, ".ssh/authorized_keys"))).rejects.toMatchObject({ code: "ENOENT" });
    const { stdout } = await run("find", [join(home, "skein/workspaces"), "-name", "store.git"]);
    expect(stdout).not.toBe("");
  });

  it("are refused to file tools where there is no sandbox, and whoever is asked about Bash is told", async () => {
    const place = await personalHome();
    const path = await temporaryDirectory();
    for (const name of ["node", "git", "sh", "bash", "stty", "cat", "script"]) {
      const { stdout } = await run("which", [name]);
      await symlink(stdout.trim(), join(path, name));
    }
    const env = { ...place.env, PATH: path };
    const lines = [
      `Read ${JSON.stringify({ file_path: join(place.home, ".ssh/id_rsa") })}`,
      `Bash ${JSON.stringify({ command: "node -p 1" })}`,
    ];
    const args = ["run", lines.join("\n"), "--offline", "direct", "--allowed-tools", "Read"];
    const { shown, press, finished } = await onTerminal(args, { cwd: place.cwd, env });
    await shown("Without a sandbox, with the network and all your files, including your keys");
    await shown("Allow Bash?");
    await shown("No");
    press("\u001b[B\u001b[B\r");
    expect((await finished).screen).not.toContain("THE SSH KEY");
  });

  it("are shown one by one where a flag says so", async () => {
    const place = await personalHome();
    const flags = ["--reveal", "~/.ssh/id_rsa", "AWS_SECRET_ACCESS_KEY", "--allowed-tools", "Read"];
    const [command, file, other] = await calls(
      place,
      [
        bash("cat ~/.ssh/id_rsa ~/.netrc; echo ${AWS_SECRET_ACCESS_KEY:+there} ${ANTHROPIC_API_KEY:+there}"),
        ["Read", { file_path: join(place.home, ".ssh/id_rsa") }],
        ["Read", { file_path: join(place.home, ".netrc") }],
      ],
      ...flags,
    );
    expect(command).toContain("THE SSH KEY");
    expect(command?.match(/there/gu)).toEqual(["there"]);
    expect(command).not.toContain("THE NETRC");
    expect(file).toContain("THE SSH KEY");
    expect(other).not.toContain("THE NETRC");
  });
});

describe("a secret of this process that a tool has printed", () => {
  it("is in nothing that is recorded or shown, and the model's own words are redacted too; files are kept as they are", async () => {
    const place = await personalHome();
    const token = "deploy-token-0123456789-abcdef";
    const env = { ...place.env, DEPLOY_TOKEN: token };
    const prompt = [
      `Bash ${JSON.stringify({ command: "echo $DEPLOY_TOKEN; echo $DEPLOY_TOKEN > kept.txt" })}`,
      `Bash ${JSON.stringify({ command: `echo typed ${token}` })}`,
    ].join("\n");
    const flags = ["--offline", "direct", "--reveal", "DEPLOY_TOKEN", "--allowed-tools", "Bash"];
    const shown = await Promise.all([
      runSkein(["run", prompt, ...flags, "--output-format", "stream-json"], { cwd: place.cwd, env }),
      runSkein(["run", prompt, ...flags, "--no-record"], { cwd: await temporaryDirectory(), env }),
    ]);
    const log = await runSkein(["log", "--output-format", "json"], { cwd: place.cwd, env });
    const found = await runSkein(["search", "typed", "--output-format", "json"], { cwd: place.cwd, env });
    for (const { code, stdout, stderr } of [...shown, log, found]) {
      expect({ code, leaks: (stdout + stderr).includes(token) }).toEqual({ code: 0, leaks: false });
    }
    expect(shown[0]?.stdout).toContain("[redacted DEPLOY_TOKEN]");
    const stores = join(place.home, "skein/workspaces");
    const { stdout: plain } = await run("grep", ["-rla", token, stores]).catch(() => ({ stdout: "" }));
    expect(plain).toBe("");
    const [store = ""] = await readdir(stores);
    const git = ["--git-dir", join(stores, store, "store.git")];
    const { stdout: objects } = await run("git", [...git, "cat-file", "--batch", "--batch-all-objects"]);
    // Once: in the file that the agent wrote, which a restore has to bring back as it was.
    expect(objects.split(token)).toHaveLength(2);
    expect(objects).toContain(`\n${token}\n`);
  });
});
