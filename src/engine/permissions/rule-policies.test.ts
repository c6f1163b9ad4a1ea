import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allowRules, denyRules } from "./rule-policies.ts";

let root = "";
let base = { cwd: "", home: "" };

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skein-rules-")));
  base = { cwd: join(root, "work"), home: join(root, "home") };
  for (const folder of ["work/src/sub", "work/x/src", "home/d", "out"]) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  symlinkSync(join(root, "out"), join(root, "work/link"));
  symlinkSync(join(root, "out"), join(root, "work/src/link"));
  symlinkSync(join(root, "work"), join(root, "linked-work"));
});

afterAll(() => rmSync(root, { recursive: true }));

const signal = new AbortController().signal;
const request = (tool: string, input: Record<string, unknown>) => ({ tool, input, toolUseId: "1", signal });
const decide = async (
  kind: "allow" | "deny",
  rules: readonly string[],
  [tool, input]: readonly [string, Record<string, unknown>],
): Promise<boolean> => {
  const policy = (kind === "allow" ? allowRules : denyRules)(rules, base);
  return (await policy(request(tool, input))).type === kind;
};
const bash = (command: string) => ["Bash", { command }] as const;

describe("an allow rule for commands", () => {
  it.each([
    ["Bash", "alpha $(beta) > x"],
    ["Bash()", "alpha"],
    ["Bash(*)", "alpha $X"],
    ["Bash(alpha:*)", "alpha"],
    ["Bash(alpha:*)", "  alpha x  "],
    ["Bash(alpha:*)", "alpha;alpha | alpha\nalpha"],
    ["Bash(alpha:*)", "alpha 'a && b' \"a; b\""],
    ["Bash(alpha:*)", "alpha x 2>&1 >/dev/null"],
    ["Bash(alpha:*)", "NO_COLOR=1 timeout 5 alpha"],
    ["Bash(alpha:*)", "nice -n 5 nohup alpha"],
    ["Bash(alpha:*)", "alpha -m \"$(cat <<'EOF'\nIt's done\nEOF\n)\""],
    ["Bash(alpha run:*)", "alpha  run x"],
    ["Bash(alpha *)", "alpha"],
    ["Bash(alpha *)", "alpha x y"],
    ["Bash(alpha*)", "alphax"],
    ["Bash(alpha * main)", "alpha x y main"],
    ["Bash(* --version)", "beta --version"],
    ["Bash(alpha run x)", "alpha run x && alpha run x"],
    ["Bash(alpha && beta)", "alpha && beta"],
    ["Bash(FOO=1 alpha:*)", "FOO=1 alpha x"],
  ])("%s covers %j", async (rule, command) => {
    expect(await decide("allow", [rule], bash(command))).toBe(true);
  });

  it.each([
    ["Bash(alpha:*)", "alphax"],
    ["Bash(alpha:*)", "alpha && beta"],
    ["Bash(alpha:*)", "alpha|beta"],
    ["Bash(alpha:*)", "alpha\nbeta"],
    ["Bash(alpha:*)", "alpha & alpha"],
    ["Bash(alpha:*)", "alpha $(beta)"],
    ["Bash(alpha:*)", 'alpha "`beta`"'],
    ["Bash(alpha:*)", "alpha $X"],
    ["Bash(alpha:*)", "alpha <(beta)"],
    ["Bash(alpha:*)", "alpha > out.txt"],
    ["Bash(alpha:*)", "alpha < /etc/passwd"],
    ["Bash(alpha:*)", "PATH=/x alpha"],
    ["Bash(alpha:*)", "NO_COLOR=$(beta) alpha"],
    ["Bash(alpha:*)", "env alpha"],
    ["Bash(alpha:*)", "sudo alpha"],
    ["Bash(alpha:*)", "bash -c alpha"],
    ["Bash(alpha:*)", "timeout --foo 5 alpha"],
    ["Bash(alpha:*)", "(alpha)"],
    ["Bash(alpha:*)", "alpha 'open"],
    ["Bash(alpha:*)", "alpha\r\nbeta"],
    ["Bash(alpha:*)", ""],
    ["Bash(alpha:*)", 'alpha $[1<<"2"]\ntouch X\n2]'],
    ["Bash(alpha:*)", 'alpha "$[1]"'],
    ["Bash(alpha*)", 'alpha[1<<"2"]\ntouch X\n2]'],
    ["Bash(declare:*)", 'declare a[1<<"2"]\ntouch X\n2]'],
    ["Bash(alpha:*)", "alpha <<\\\nE\n$(beta)\nE\n"],
    ["Bash(alpha:*)", "alpha ${ beta; }"],
    ["Bash(alpha:*)", "alpha \u202ex"],
    ["Bash(alpha:*)", "time { alpha; }"],
    ["Bash(alpha:*)", "alpha {a,b}"],
    ["Bash(* --version)", "$X --version"],
    ["Bash(alpha * main)", "alpha main"],
    ["Bash(alpha * main)", "alpha x && alpha main"],
    ["Bash(alpha run x)", "alpha run x y"],
    ["Bash(beta:*)", "alpha"],
  ])("%s does not cover %j", async (rule, command) => {
    expect(await decide("allow", [rule], bash(command))).toBe(false);
  });

  it("covers a line together with others", async () => {
    expect(await decide("allow", ["Bash(alpha:*)", "Bash(beta x)"], bash("alpha && beta x"))).toBe(true);
    expect(await decide("allow", ["Bash(alpha:*)", "Bash(beta x)"], bash("alpha && beta y"))).toBe(false);
  });
});

describe("a deny rule for commands", () => {
  it.each([
    "alpha",
    "beta; alpha x",
    "beta $(alpha)",
    'beta "`alpha`"',
    "( alpha )",
    "if true; then alpha; fi",
    "FOO=1 alpha",
    "env FOO=1 alpha",
    "sudo -u root alpha",
    "timeout -s KILL 5 alpha",
    "xargs -n 1 alpha",
    "find . -exec alpha {} +",
    "/usr/bin/alpha",
    "'alpha' x",
    "al\\pha",
    "eval alpha",
    "bash -c 'beta; alpha'",
    "bash <<EOF\nalpha\nEOF",
    "$X alpha",
    "a*pha",
    'eval "$X"',
    "beta 'open",
    "alpha > /dev/null",
    "{alpha,x}",
    "{fd}>x alpha",
    "beta ${X:-(beta <(alpha))}",
    "beta ${X:->(alpha)}",
    "coproc alpha",
    "coproc NAME { alpha x; }",
    "function f { alpha x; }; f",
    "bash -cx 'alpha x'",
    "bash -c -- 'alpha x'",
    "bash -c -o posix 'alpha x'",
    "echo 'alpha x' | sh",
    "echo 'alpha x' | { sh; }",
    "sh",
    "source /dev/stdin <<< 'alpha x'",
    "echo beta > x; . ./x",
    "env -S'alpha x'",
    "env -vS 'alpha x'",
    "env --split-string='alpha x'",
    "env 'A-B=1' alpha",
    "trap 'alpha x' EXIT",
    "chroot / alpha",
    "timeout 1e1 alpha",
    "flock f alpha",
    "su -c 'alpha x'",
    "echo alpha | xargs env",
    "echo alpha | xargs -I% %",
    "parallel ::: x",
    "alias beta=alpha",
    "PS4='$(alpha)'; set -x; beta",
    "env 'BASH_FUNC_beta%%=() { alpha; }' bash -c beta",
    "x='a[$(alpha)]'; beta $((x))",
    "x='$(alpha)'; beta ${x@P}",
    'beta "${X:-\'}"; alpha; beta "\'}"',
    "beta <<E\nE\\\n\nalpha\nE\n",
    'beta $[1<<"2"]\nalpha\n2]',
    "beta \u0001 x",
  ])("Bash(alpha:*) stops %j", async (command) => {
    expect(await decide("deny", ["Bash(alpha:*)"], bash(command))).toBe(true);
    expect(await decide("deny", ["Bash(alpha:*)"], ["Monitor", { command }])).toBe(true);
  });

  it.each([
    "beta",
    "alphax",
    "beta alpha",
    "echo 'alpha'",
    "cat <<EOF\nalpha\nEOF",
    "beta $X ${Y:-1}",
    "xargs beta alpha",
    "cd src && beta run build > build.log 2>&1",
    'for f in *.ts; do beta "$f"; done',
    "beta | grep -v '^#' | sort -u",
    "i=0; while [ $i -lt 3 ]; do beta; i=$((i + 1)); done",
    "beta -m \"$(cat <<'EOF'\nIt's $5\nEOF\n)\"",
    "if [[ -f a ]]; then beta; else echo none; fi",
    "bash build.sh && . ./env.sh && bash --version",
    "bash -c 'beta $1' _ x",
    "X=$(beta) && echo ${X%.*} ${#X}",
    "ENV=test timeout 30 beta",
    "git stash show stash@{0}",
  ])("Bash(alpha:*) lets %j be", async (command) => {
    expect(await decide("deny", ["Bash(alpha:*)"], bash(command))).toBe(false);
  });

  it("compares the words, not how they are quoted or spaced", async () => {
    expect(await decide("deny", ["Bash(alpha x *)"], bash("alpha   'x' y"))).toBe(true);
    expect(await decide("deny", ["Bash(alpha x)"], bash("alpha x y"))).toBe(false);
  });

  it("stops what may turn out to be denied", async () => {
    for (const command of ["alpha $X", "alpha r{un,x}", "echo run | xargs alpha"]) {
      expect(await decide("deny", ["Bash(alpha run:*)"], bash(command))).toBe(true);
    }
    for (const command of ["alpha test $X", "alphabet $X", "beta $X"]) {
      expect(await decide("deny", ["Bash(alpha run:*)"], bash(command))).toBe(false);
    }
  });

  it("is named in the message", async () => {
    expect(await denyRules(["Bash(rm:*)"])(request("Bash", { command: "rm x" }))).toEqual({
      type: "deny",
      message: "Bash was denied: the rule Bash(rm:*) forbids it, or might.",
    });
  });
});

describe("a rule for paths", () => {
  const file = (tool: string, path: string) => [tool, { file_path: path.replace("ROOT", root) }] as const;
  const rules = (rule: string): readonly string[] => [rule.replace("ROOT", root)];

  it.each([
    ["Edit(src/**)", "src/n.ts"],
    ["Edit(src/**)", "src/sub/deep/n.ts"],
    ["Edit(./src/**)", "src/n.ts"],
    ["Edit(/src/**)", "src/n.ts"],
    ["Edit(src)", "x/src/n.ts"],
    ["Edit(src/)", "x/src/n.ts"],
    ["Edit(src/*)", "src/sub/n.ts"],
    ["Edit(*.ts)", "x/src/n.ts"],
    ["Edit(n.[tj]s)", "x/n.js"],
    ["Edit(**/src/**)", "x/src/n.ts"],
    ["Edit(**)", "x/../top.ts"],
    ["Edit(//ROOT/out/**)", "ROOT/out/n.txt"],
    ["Edit(~/d/**)", "~/d/n.ts"],
    ["Write(src/**)", "src/n.ts"],
  ])("%s allows to write %s", async (rule, path) => {
    expect(await decide("allow", rules(rule), file("Write", path))).toBe(true);
  });

  it.each([
    ["Edit(src/**)", "x/src/n.ts"],
    ["Edit(src/**)", "src/../top.ts"],
    ["Edit(src/**)", "src/link/n.txt"],
    ["Edit(src/*.ts)", "src/sub/n.ts"],
    ["Edit(/src/**)", "x/src/n.ts"],
    ["Edit(link/**)", "link/n.txt"],
    ["Edit(//ROOT/out/**)", "link/n.txt"],
    ["Edit(**)", "ROOT/out/n.txt"],
    ["Edit(~/d/**)", "~/n.ts"],
    ["Read(src/**)", "src/n.ts"],
    ["NotebookEdit(src/**)", "src/n.ts"],
    ["Edit", "src/n.ts"],
  ])("%s does not allow to write %s", async (rule, path) => {
    expect(await decide("allow", rules(rule), file("Write", path))).toBe(false);
  });

  it.each([
    ["Edit(src/**)", "src/n.ts"],
    ["Edit(src/**)", "src"],
    ["Edit(src/**)", "x/src/n.ts"],
    ["Edit(./src/**)", "x/src/n.ts"],
    ["Edit(link/**)", "link/n.txt"],
    ["Edit(link/**)", "ROOT/out/n.txt"],
    ["Edit(//ROOT/out/**)", "link/n.txt"],
    ["Edit(//ROOT/out/**)", "src/link/n.txt"],
    ["Edit(*.ts)", "src/n.ts"],
    ["Write(src/**)", "src/n.ts"],
  ])("%s denies to write %s", async (rule, path) => {
    expect(await decide("deny", rules(rule), file("Write", path))).toBe(true);
  });

  it.each([
    ["Edit(/src/**)", "x/src/n.ts"],
    ["Edit(x/src/*.md)", "x/src/n.ts"],
    ["Edit(src/sub/**)", "x/src/sub/n.ts"],
    ["Read(src/**)", "src/n.ts"],
  ])("%s lets %s be written", async (rule, path) => {
    expect(await decide("deny", rules(rule), file("Write", path))).toBe(false);
  });

  it("reads a working directory that is itself a link", async () => {
    const policy = allowRules(["Edit(src/**)"], { cwd: join(root, "linked-work"), home: base.home });
    for (const cwd of ["linked-work", "work"]) {
      const input = { file_path: join(root, cwd, "src/n.ts") };
      expect((await policy(request("Write", input))).type).toBe("allow");
    }
  });

  it("holds for all tools that read or write", async () => {
    expect(await decide("deny", ["Read(.env)"], ["Grep", { pattern: "x", path: ".env" }])).toBe(true);
    expect(await decide("deny", ["Read(//etc/**)"], ["Glob", { pattern: "/etc/*.conf" }])).toBe(true);
    expect(await decide("allow", ["Edit(src/**)"], ["NotebookEdit", { notebook_path: "src/n.ipynb" }])).toBe(true);
    expect(await decide("allow", ["Read(src/**)"], ["Glob", { pattern: "../*", path: "src" }])).toBe(false);
  });
});

describe("a rule for other tools", () => {
  it.each([
    ["TodoWrite", "TodoWrite", {}],
    ["WebFetch(domain:example.com)", "WebFetch", { url: "https://EXAMPLE.com:8443/x" }],
    ["WebFetch(domain:*.example.com)", "WebFetch", { url: "https://a.b.example.com/" }],
    ["mcp__files", "mcp__files__read", {}],
    ["mcp__files__*", "mcp__files__read", {}],
    ["mcp__files__read", "mcp__files__read", {}],
    ["mcp__files__re*", "mcp__files__read", {}],
    ["Agent(Explore)", "Agent", { subagent_type: "Explore" }],
    ["Task(Explore)", "Agent", { subagent_type: "Explore" }],
    ["Agent(general-purpose)", "Agent", {}],
    ["Agent", "Task", {}],
  ])("%s matches in both lists", async (rule, tool, input) => {
    expect(await decide("allow", [rule], [tool, input])).toBe(true);
    expect(await decide("deny", [rule], [tool, input])).toBe(true);
  });

  it.each([
    ["WebFetch(domain:example.com)", "WebFetch", { url: "https://sub.example.com/" }],
    ["WebFetch(domain:example.com)", "WebFetch", { url: "https://example.com.evil.test/" }],
    ["WebFetch(domain:example.com)", "WebFetch", { url: "https://example.com@evil.test/" }],
    ["WebFetch(domain:*.example.com)", "WebFetch", { url: "https://example.com/" }],
    ["WebFetch(domain:example.com)", "WebFetch", { url: "no url" }],
    ["mcp__files", "mcp__files2__read", {}],
    ["mcp__files__read", "mcp__files__read_all", {}],
    ["Agent(Explore)", "Agent", { subagent_type: "Plan" }],
    ["Agent(Explore)", "Explore", {}],
  ])("%s does not match another call", async (rule, tool, input) => {
    expect(await decide("allow", [rule], [tool, input])).toBe(false);
    expect(await decide("deny", [rule], [tool, input])).toBe(false);
  });

  it.each([
    "",
    "Bash(",
    "Bash(x) y",
    "Web*",
    "WebFetch(example.com)",
    "Skill(x)",
    "mcp__",
    "mcp__a__b(c)",
    "Edit(!src)",
  ])("%j is refused, rather than never matching", (rule) => {
    expect(() => denyRules([rule])).toThrow(`"${rule}" is not a permission rule`);
  });
});
