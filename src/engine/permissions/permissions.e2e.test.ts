import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { MessagesRequest } from "../../offline/internal.ts";
import { startOfflineAgent } from "../../testing/index.ts";
import type { ClaudeOptions } from "../options/claude-options.ts";
import { claudePrompt } from "../prompts/claude-prompt.ts";
import { pathScope } from "./file-access.ts";
import type { PermissionDecision, PermissionPolicy } from "./permission-policy.ts";
import { allowRules, denyRules } from "./rule-policies.ts";
import { toCanUseTool, type PendingPermission } from "./to-can-use-tool.ts";

interface Call {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** A model that makes some calls at once, then says that it is done. */
const calling = (...calls: readonly Call[]) => ({
  name: "calls",
  rules: [{ steps: [{ call: calls.map((call) => ({ ...call })) }, { say: "Done." }] }],
});
const writing = (name: string): Call => ({ tool: "Write", input: { file_path: `{{cwd}}/${name}`, content: name } });
const go = claudePrompt({ text: "go" });

describe("the real CLI", () => {
  it("asks about two calls at once, and takes answers in reverse order, each with its own input", async () => {
    const open = new Map<string, (decision: PermissionDecision) => void>();
    const answered: string[] = [];
    const answer = ({ request }: PendingPermission): void => {
      const path = String(request.input["file_path"]);
      answered.push(basename(path));
      open.get(request.toolUseId)?.({ type: "allow", input: { file_path: `${path}.redacted` } });
    };
    const canUseTool = toCanUseTool((request) => {
      const decision = new Promise<PermissionDecision>((resolve) => open.set(request.toolUseId, resolve));
      if (open.size === 2) canUseTool.pending().toReversed().forEach(answer);
      return decision;
    });
    // Reads run side by side, and those outside of the working directory have to be asked for.
    const calls = ["a", "b"].map((name) => ({ tool: "Read", input: { file_path: `{{cwd}}/../${name}` } }));
    await using agent = await startOfflineAgent(calling(...calls), { canUseTool });
    for (const name of ["a", "b"]) {
      await writeFile(join(agent.cwd, "..", name), `secret ${name}`);
      await writeFile(join(agent.cwd, "..", `${name}.redacted`), `redacted ${name}`);
    }
    const result = await agent.engine.execute(go);
    expect(answered).toEqual(["b", "a"]);
    expect(result).toMatchObject({ text: "Done.", permissionDenials: [] });
    expect(resultsById(agent.requests)).toEqual(["1\tredacted a", "1\tredacted b"]);
  });

  it("asks about one write after the other", async () => {
    const pending: number[] = [];
    const canUseTool = toCanUseTool(() => {
      pending.push(canUseTool.pending().length);
      return { type: "allow" };
    });
    await using agent = await startOfflineAgent(calling(writing("a"), writing("b")), {
      permissionMode: "default",
      canUseTool,
    });
    await agent.engine.execute(go);
    expect(pending).toEqual([1, 1]);
    expect(await readFile(join(agent.cwd, "b"), "utf8")).toBe("b");
  });

  it("is told of a deny when nobody answers in time, and goes on", async () => {
    const canUseTool = toCanUseTool(() => new Promise(() => {}), { timeoutMs: 50 });
    await using agent = await startOfflineAgent(calling(writing("a")), { permissionMode: "default", canUseTool });
    const result = await agent.engine.execute(go);
    expect(result).toMatchObject({ text: "Done.", isError: false });
    expect(result.permissionDenials).toEqual([
      { tool: "Write", toolUseId: expect.any(String), input: { file_path: join(agent.cwd, "a"), content: "a" } },
    ]);
    expect(resultsById(agent.requests)).toEqual(["Denied, because nobody answered within 50 ms."]);
    expect(existsSync(join(agent.cwd, "a"))).toBe(false);
  });

  it("ends the turn on a deny that interrupts", async () => {
    const canUseTool = toCanUseTool(() => ({ type: "deny", message: "Stop here.", interrupt: true }));
    await using agent = await startOfflineAgent(calling(writing("a")), { permissionMode: "default", canUseTool });
    const result = await agent.engine.execute(go);
    expect(agent.requests).toHaveLength(1);
    expect(result).toMatchObject({ text: "", terminalReason: "aborted_tools" });
  });

  it("leaves a write through a link out of the workspace to the path scope, which stops it", async () => {
    await using agent = await startOfflineAgent(calling(writing("link/a"), writing("b")));
    const outside = join(agent.home, "outside");
    await mkdir(outside);
    await symlink(outside, join(agent.cwd, "link"));
    const canUseTool = toCanUseTool(pathScope({ root: agent.cwd }), { fallback: "allow" });
    const result = await agent.engine.execute(go, { canUseTool });
    expect(result.permissionDenials.map(({ input }) => input)).toEqual([
      { file_path: join(agent.cwd, "link/a"), content: "link/a" },
    ]);
    expect(resultsById(agent.requests)).toContain(`Write was denied: ${outside}/a is outside of ${agent.cwd}.`);
    expect([existsSync(join(outside, "a")), existsSync(join(agent.cwd, "b"))]).toEqual([false, true]);
  });
});

describe("the rules of the CLI and ours", () => {
  let bin = "";
  beforeAll(async () => {
    bin = await realpath(await mkdtemp(join(tmpdir(), "skein-bin-")));
    for (const name of ["alpha", "beta"]) await writeFile(join(bin, name), "#!/bin/sh\n", { mode: 0o755 });
  });
  afterAll(() => rm(bin, { recursive: true }));

  /** What becomes of each call in the CLI: made without a question, asked about, or refused. */
  async function judge(calls: readonly Call[], options: ClaudeOptions): Promise<readonly Verdict[]> {
    await using agent = await startOfflineAgent(calling(...calls), {
      permissionMode: "default",
      env: { PATH: `${bin}:${process.env["PATH"]}` },
      canUseTool: () => Promise.resolve({ behavior: "deny", message: "asked" }),
      ...options,
    });
    for (const folder of ["src/sub", "x/src"]) await mkdir(join(agent.cwd, folder), { recursive: true });
    const verdicts: Verdict[] = [];
    await agent.engine.execute(go);
    for (const text of resultsById(agent.requests)) {
      verdicts.push(
        text === "asked" ? "ask" : /has been denied\.|denied by your/.test(String(text)) ? "deny" : "allow",
      );
    }
    return verdicts;
  }
  type Verdict = "allow" | "ask" | "deny";

  /** What ours make of the same calls. */
  async function ours(policy: PermissionPolicy, calls: readonly Call[]): Promise<readonly string[]> {
    const signal = new AbortController().signal;
    const fill = (input: Call["input"]): Call["input"] =>
      JSON.parse(JSON.stringify(input).replaceAll("{{cwd}}", "/work")) as Call["input"];
    const decisions = calls.map(
      async ({ tool, input }, at) => await policy({ tool, input: fill(input), toolUseId: `${at}`, signal }),
    );
    return (await Promise.all(decisions)).map(({ type }) => type);
  }

  const bash = (...commands: readonly string[]): readonly Call[] =>
    commands.map((command) => ({ tool: "Bash", input: { command } }));

  it("allow the same commands, ours never more", async () => {
    const calls = bash(...AGREED, ...STRICTER);
    const theirs = await judge(calls, { allowedTools: ["Bash(alpha:*)"] });
    const decided = await ours(allowRules(["Bash(alpha:*)"]), calls);
    const both = calls.map(({ input }, at) => ({ command: input["command"], theirs: theirs[at], ours: decided[at] }));
    const agreed = both.slice(0, AGREED.length);
    expect(agreed.filter((each) => (each.theirs === "allow") !== (each.ours === "allow"))).toEqual([]);
    expect(both.slice(AGREED.length)).toEqual(STRICTER.map((command) => ({ command, theirs: "allow", ours: "pass" })));
  });

  it("deny the same commands, ours never fewer", async () => {
    const calls = bash(...AGREED, ...STRICTER, ...HIDDEN);
    const rules = ["Bash(alpha:*)"];
    const theirs = await judge(calls, { disallowedTools: rules });
    const decided = await ours(denyRules(rules), calls);
    const both = calls.map(({ input }, at) => ({ command: input["command"], theirs: theirs[at], ours: decided[at] }));
    expect(both.filter((each) => each.theirs === "deny" && each.ours !== "deny")).toEqual([]);
    expect(both.filter((each) => each.theirs !== "deny" && each.ours === "deny").map(({ command }) => command)).toEqual(
      HIDDEN,
    );
  });

  it.each(["src/**", "src/*", "/src/**", "*.ts"])("allow and deny the same paths: Edit(%s)", async (pattern) => {
    const names = ["src/n.ts", "src/sub/n.ts", "x/src/n.ts", "n.ts", "src/../m.ts", "src/n.md"];
    const [calls, rules] = [names.map(writing), [`Edit(${pattern})`]];
    const allowed = await judge(calls, { allowedTools: rules });
    const denied = await judge(calls, { permissionMode: "acceptEdits", disallowedTools: rules });
    expect({
      allowed: allowed.map((each) => each === "allow"),
      denied: denied.map((each) => each === "deny"),
    }).toEqual({
      allowed: (await ours(allowRules(rules, { cwd: "/work" }), calls)).map((each) => each === "allow"),
      denied: (await ours(denyRules(rules, { cwd: "/work" }), calls)).map((each) => each === "deny"),
    });
  });

  it("differ on Write(…), which the CLI takes and never matches", async () => {
    const calls = [writing("src/n.ts")];
    const rules = ["Write(src/**)"];
    expect(await judge(calls, { allowedTools: rules })).toEqual(["ask"]);
    expect(await judge(calls, { permissionMode: "acceptEdits", disallowedTools: rules })).toEqual(["allow"]);
    expect(await ours(denyRules(rules, { cwd: "/work" }), calls)).toEqual(["deny"]);
  });
});

const AGREED = [
  "alpha",
  "alpha x",
  "alphax",
  "alpha && beta",
  "alpha;alpha",
  "alpha | alpha",
  "alpha|beta",
  "alpha & alpha",
  "alpha\nalpha",
  "alpha\nbeta",
  "alpha $(beta)",
  "alpha `beta`",
  'alpha "$(alpha)"',
  "alpha > out.txt",
  "alpha 2>&1",
  "alpha >/dev/null 2>&1",
  "alpha < /etc/passwd",
  "FOO=1 alpha",
  "NODE_ENV=test alpha",
  "LANG=C TZ=UTC TERM=dumb NO_COLOR=1 FORCE_COLOR=0 CI=1 alpha",
  "RUST_LOG=x RUST_BACKTRACE=1 PYTHONUNBUFFERED=1 GOOS=x GOARCH=x alpha",
  "PATH=/x alpha",
  "NODE_OPTIONS=1 alpha",
  "timeout 5 alpha",
  "timeout 5 timeout 5 alpha",
  "nohup alpha",
  "nice -n 5 alpha",
  "time alpha",
  "time -p alpha",
  "env alpha",
  "sudo alpha",
  "( alpha )",
  "{ alpha; }",
  "alpha 'a && b'",
  'alpha "a; b"',
  "alpha $X",
  "alpha ${X:-1}",
  "alpha <(beta)",
  "alpha <<EOF\nhi\nEOF",
  "alpha <<'EOF'\nhi\nEOF",
  "alpha # c",
  "alpha *",
  "alpha a\\;b",
  "alpha x\\\n y",
  "alpha {a,b}",
  "alpha -m \"$(cat <<'EOF'\nIt's done\nEOF\n)\"",
];

/** What the CLI allows beyond its rule, because it finds it harmless or looks deeper. */
const STRICTER = [
  "alpha && true",
  "cd . && alpha",
  "if true; then alpha; fi",
  "al\\pha",
  "alpha $HOME",
  "xargs alpha",
  "stdbuf -o0 alpha",
  "alpha < in.txt",
];

/** What the CLI lets past its deny rule. */
const HIDDEN = ["timeout --foo 5 alpha", "bash -c alpha", "eval alpha", "bash <<EOF\nalpha\nEOF", "$X alpha"];

/** What the tools answered in the last request, in the order of the calls: the CLI sends what ends first, first. */
function resultsById(requests: readonly MessagesRequest[]): readonly unknown[] {
  const blocks = requests.at(-1)?.messages.flatMap(({ content }) => (Array.isArray(content) ? content : [])) ?? [];
  const results = new Map<unknown, unknown>();
  for (const block of blocks as readonly Record<string, unknown>[]) {
    if (block["type"] === "tool_use") results.set(block["id"], undefined);
    if (block["type"] === "tool_result") results.set(block["tool_use_id"], block["content"]);
  }
  return [...results.values()];
}
