import { execFile } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formatDeepLink, parseDeepLink } from "../../src/protocol/elsewhere/deep-link.ts";
import { describeWith } from "../support/require-package.ts";
import { expectNoProcessWith } from "./support/marked-processes.ts";
import { endlessBash, scenarioFile } from "./support/scenario-file.ts";
import { runSkeinJson, startSkein, temporaryDirectory } from "./support/skein.ts";
import { SSH_PACKAGES, startSshServer, type SshServer } from "./support/ssh-server.ts";
import { tracedWorkspace, write, type TracedWorkspace, type TurnIds } from "./support/traced-workspace.ts";

const SLOW = { timeout: 90_000 } as const;
const OFFLINE = ["--offline", "direct", "--allowed-tools", "Bash"] as const;
const run = promisify(execFile);

interface Moved {
  readonly conversation_id: string;
  readonly state_id: string;
  readonly next: readonly string[];
  readonly turn: TurnIds | null;
}

describe("deep links", () => {
  it("are read as they were written", () => {
    const path = fc.array(fc.string({ minLength: 1, unit: "grapheme" }).filter(isPlainName), { minLength: 1 });
    const id = fc.stringMatching(/^[0-9a-f]{40}$/u);
    fc.assert(
      fc.property(id, path, (state, names) => {
        const link = { type: "state" as const, id: state, workspace: `/${names.join("/")}` };
        expect(parseDeepLink(formatDeepLink(link))).toEqual(link);
      }),
    );
  });

  it.each([
    "skein://state/../x",
    "skein://state/..%2fx",
    "skein://state/abc",
    "skein://state/abcdef1/more",
    "skein://state/abcdef1#part",
    "skein://state/ABCDEF1",
    "skein://user@state/abcdef1",
    "skein://state:80/abcdef1",
    "skein://checkpoint/abcdef1",
    "skein://conversation/abcdef1",
    "skein:state/abcdef1",
    "https://state/abcdef1",
    "skein://state/abcdef1?run=rm",
    "skein://state/abcdef1?workspace=relative",
    "skein://state/abcdef1?workspace=/a/../b",
    "skein://state/abcdef1?workspace=/a%2f..%2fb",
    "skein://state/abcdef1?workspace=/a%00",
    "skein://state/abcdef1?workspace=/a&workspace=/b",
  ])("refuse %s", (link) => {
    expect(() => parseDeepLink(link)).toThrow(expect.objectContaining({ kind: "usage", target: link }));
  });

  it("lead to a state or a conversation from anywhere, and open it", SLOW, async () => {
    const { cwd, home, data, turn } = await tracedWorkspace();
    const first = await turn(write("a.txt", "one"));
    await turn(write("a.txt", "two"), "--continue");
    const made = await data("deep-link-mode", "--make", first.state_id);
    const link = `skein://state/${first.state_id}?workspace=${encodeURIComponent(cwd)}`;
    expect(made).toMatchObject({ link, state_id: first.state_id, is_here: false, opened: null });
    expect(made["conversation_link"]).toBe(
      `skein://conversation/${first.conversation_id}?workspace=${encodeURIComponent(cwd)}`,
    );

    const elsewhere = { env: { SKEIN_HOME: home } };
    const { envelope } = await runSkeinJson(["deep-link-mode", link], elsewhere);
    expect(envelope["data"]).toEqual(made);
    const last = await runSkeinJson(["deep-link-mode", String(made["conversation_link"])], elsewhere);
    expect(last.envelope["data"]).toMatchObject({ type: "conversation", is_here: true });

    const branch = await runSkeinJson(["deep-link-mode", link, "--open"], elsewhere);
    const { opened } = branch.envelope["data"] as {
      readonly opened: { readonly how: string; readonly directory: string };
    };
    expect(opened.how).toBe("branch");
    expect(await readFile(join(opened.directory, "a.txt"), "utf8")).toBe("one");
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("two");
    const restored = await runSkeinJson(["deep-link-mode", link, "--open", "restore"], elsewhere);
    expect(restored.envelope["data"]).toMatchObject({ opened: { how: "restore", directory: cwd } });
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("one");
  });

  it("to what was not recorded there are told so", SLOW, async () => {
    const { cwd, error } = await tracedWorkspace();
    const id = "0".repeat(40);
    expect(await error("deep-link-mode", `skein://state/${id}`)).toMatchObject({ kind: "state_not_found" });
    const conversation = "019a0000-0000-7000-8000-000000000000";
    expect(await error("deep-link-mode", `skein://conversation/${conversation}?workspace=${cwd}`)).toMatchObject({
      kind: "state_not_found",
      target: conversation,
    });
    expect(await error("deep-link-mode")).toMatchObject({ kind: "usage" });
  });
});

describe("teleport-mode", () => {
  it("moves a conversation to another machine, where it goes on, and back", SLOW, async () => {
    const remote = await temporaryDirectory();
    await run("git", ["init", "--quiet", "--bare", remote]);
    const here = await tracedWorkspace();
    const first = await here.turn(write("a.txt", "one"));
    await writeFile(join(here.cwd, "by-hand.txt"), "mine");
    const sent = await here.data<Moved>("teleport-mode", remote);
    expect(sent).toMatchObject({ action: "sent", conversation_id: first.conversation_id, restored: null, turn: null });

    // Another home is another machine: the command that was printed is run there, with a prompt.
    const there = await tracedWorkspace();
    const [, ...words] = sent.next;
    expect(words).toEqual(["teleport-mode", remote, "--pull", "--conversation", first.conversation_id, "--cwd", "app"]);
    const prompt = 'Bash {"command":"cat a.txt by-hand.txt > both.txt"}';
    const place = { cwd: resolve(there.cwd, ".."), env: { SKEIN_HOME: there.home } };
    const { envelope } = await runSkeinJson([...words.toSpliced(2, 0, prompt), ...OFFLINE], place);
    expect(envelope["error"]).toBeUndefined();
    const received = envelope["data"] as Moved;
    expect(received).toMatchObject({
      action: "received",
      state_id: sent.state_id,
      turn: { conversation_id: first.conversation_id, files: { created: ["both.txt"] } },
    });
    expect(await readFile(join(there.cwd, "both.txt"), "utf8")).toBe("onemine");

    await there.data("teleport-mode", remote);
    const back = await here.data<Moved>("teleport-mode", remote, "--pull");
    expect(back.state_id).toBe(received.turn?.state_id);
    expect(await readFile(join(here.cwd, "both.txt"), "utf8")).toBe("onemine");
  });

  it(
    "does not touch a directory with files of its own, and leaves none behind when there is nothing to fetch",
    SLOW,
    async () => {
      const remote = await temporaryDirectory();
      await run("git", ["init", "--quiet", "--bare", remote]);
      const { cwd, error } = await tracedWorkspace();
      await writeFile(join(cwd, "mine.txt"), "mine");
      expect(await error("teleport-mode", remote, "--pull")).toMatchObject({ kind: "usage", target: cwd });
      expect(await readdir(cwd)).toEqual(["mine.txt"]);
      expect(await error("teleport-mode", remote, "--pull", "--cwd", "new")).toMatchObject({ kind: "state_not_found" });
      expect(await error("teleport-mode", "/no/such", "--pull", "--cwd", "new")).toMatchObject({ kind: "network" });
      expect(await readdir(cwd)).toEqual(["mine.txt"]);
      expect(await error("teleport-mode", remote, "a prompt")).toMatchObject({ kind: "usage", target: "prompt" });
    },
  );
});

describeWith(SSH_PACKAGES, "ssh-mode", () => {
  let server: SshServer;
  let here: TracedWorkspace;
  beforeAll(async () => {
    server = await startSshServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** The words after the prompt: how the machine is reached, and a home of its own for it. */
  async function machine(): Promise<{
    readonly directory: string;
    readonly home: string;
    readonly words: readonly string[];
  }> {
    const [directory, home] = [join(await temporaryDirectory(), "it's there"), await temporaryDirectory()];
    const command = `HOME=${home} SKEIN_HOME=${home} ${process.execPath} ${resolve("dist/cli/main.js")}`;
    const words = ["--remote-cwd", directory, "--remote-command", command, "--ssh-option", ...server.options];
    return { directory, home, words };
  }

  it("runs a turn there from the files here, brings its states back, and goes on there", SLOW, async () => {
    here = await tracedWorkspace();
    const { directory, words } = await machine();
    await writeFile(join(here.cwd, "a.txt"), "one");
    const prompt = 'Bash {"command":"cat a.txt > copy.txt; pwd"}';
    const first = await here.data<{ turn: TurnIds & { text: string } }>(
      "ssh-mode",
      server.host,
      prompt,
      ...OFFLINE,
      ...words,
    );
    expect(first).toMatchObject({ host: server.host, remote_cwd: directory, adopted: null });
    expect(first.turn.files.created).toEqual(["copy.txt"]);
    expect(first.turn.text).toContain(directory);
    expect(await readdir(here.cwd)).toEqual(["a.txt"]);
    expect(await here.data("show", first.turn.state_id)).toMatchObject({ state_id: first.turn.state_id });

    await here.data("adopt", first.turn.state_id);
    expect(await readFile(join(here.cwd, "copy.txt"), "utf8")).toBe("one");
    await writeFile(join(here.cwd, "a.txt"), "two");
    const again = ["ssh-mode", server.host, prompt, "--continue", "--adopt", ...OFFLINE, ...words];
    const second = await here.data<{ turn: TurnIds }>(...again);
    expect(second.turn.conversation_id).toBe(first.turn.conversation_id);
    expect(await readFile(join(here.cwd, "copy.txt"), "utf8")).toBe("two");
  });

  it("ends the turn there when it is interrupted here, and brings what it came to", SLOW, async () => {
    here = await tracedWorkspace();
    const { words } = await machine();
    const mark = `ssh-interrupt-${process.pid}`;
    const offline = ["--offline", await scenarioFile([endlessBash(mark)]), "--allowed-tools", "Bash"];
    const args = ["ssh-mode", server.host, "go", ...offline, ...words, "--output-format", "stream-json"];
    const { child, printed, finished } = await startSkein(args, { cwd: here.cwd, env: { SKEIN_HOME: here.home } });
    await printed('"type":"tool-start"');
    child.kill("SIGINT");
    const { code, stdout } = await finished;
    const envelope = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as {
      readonly error: { readonly kind: string; readonly turn: TurnIds };
    };
    expect([code, envelope.error.kind]).toEqual([1, "cancelled"]);
    await expectNoProcessWith(mark);
    expect(await here.data("show", envelope.error.turn.state_id)).toMatchObject({ turn: { outcome: "cancelled" } });
  });

  it("ends the turn there when the Skein here is killed", SLOW, async () => {
    here = await tracedWorkspace();
    const { words } = await machine();
    const mark = `ssh-kill-${process.pid}`;
    const offline = ["--offline", await scenarioFile([endlessBash(mark)]), "--allowed-tools", "Bash"];
    const args = ["ssh-mode", server.host, "go", ...offline, ...words, "--output-format", "stream-json"];
    const { child, printed } = await startSkein(args, { cwd: here.cwd, env: { SKEIN_HOME: here.home } });
    await printed('"type":"tool-start"');
    child.kill("SIGKILL");
    await expectNoProcessWith(mark);
  });

  it("says what is wrong with the host, the connection or the Skein there", SLOW, async () => {
    here = await tracedWorkspace();
    const { words } = await machine();
    const fail = (...args: readonly string[]) => here.error("ssh-mode", ...args);
    expect(await fail("-", "x")).toMatchObject({ kind: "usage", target: "-" });
    expect(await fail("host", "x", "--ssh-option", "nonsense")).toMatchObject({
      kind: "usage",
      target: "--ssh-option",
    });
    expect(await fail("127.0.0.1", "x", "--ssh-option", "Port=1")).toMatchObject({ kind: "network", retryable: true });
    expect(await fail(server.host, "x", ...words, "--remote-command", "no-such-skein")).toMatchObject({
      kind: "process",
      hint: expect.stringContaining("--remote-command"),
    });
    const taken = ["--remote-cwd", here.cwd, "--ssh-option", ...server.options];
    await writeFile(join(here.cwd, "mine.txt"), "mine");
    expect(await fail(server.host, "x", ...taken)).toMatchObject({ kind: "usage", target: here.cwd });
    expect(await fail(server.host, "x", "--remote-cwd", "~")).toMatchObject({ kind: "usage" });
  });
});

/** A name that a path keeps as it is. */
function isPlainName(name: string): boolean {
  return !name.includes("/") && name !== "." && name !== ".." && !/\p{Cc}/u.test(name);
}
