import { mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadScenario } from "../src/offline/index.ts";
import { startOfflineAgent, type OfflineAgent } from "../src/testing/index.ts";
import { NetworkPolicy, SandboxConfig } from "../src/isolation/index.ts";
import { attack, bash, KEY_PATTERN, probe, processesWith, toVerdict } from "./support/isolated-attack.ts";
import { describeWith } from "./support/require-package.ts";

/** Another host, as far as the agent can tell: it can be listened on, so that whatever got out would be seen. */
const OUTSIDE = "127.0.0.2";

const PACKAGES = [
  { command: "bwrap", package: "bubblewrap" },
  { command: "socat", package: "socat" },
  { command: "curl", package: "curl" },
  { command: "python3", package: "python3" },
];

let agent: OfflineAgent;
/** A folder that the agent is not told of. */
let hidden: string;
/** They listen where nothing may arrive. */
let listeners: readonly Server[];
let connections = 0;
let port: number;

beforeAll(async () => {
  agent = await startOfflineAgent(await loadScenario("direct"), { permissionMode: "bypassPermissions" });
  hidden = await realpath(await mkdtemp(join(tmpdir(), "skein-hidden-")));
  await writeFile(join(hidden, "secret.txt"), "the secret");
  const count = (socket: Socket): void => {
    connections += 1;
    socket.destroy();
  };
  const [here, outside] = [createServer(count), createServer(count)];
  listeners = [here, outside];
  port = await listen(here);
  await listen(outside, { host: OUTSIDE, port });
});

afterAll(async () => {
  listeners.forEach((listener) => listener.close());
  await agent.close();
  await rm(hidden, { recursive: true, force: true });
});

describeWith(PACKAGES, "an isolated agent that attacks", () => {
  test("gets through everywhere where it is not isolated, so that what follows means something", async () => {
    const open = createHttpServer((_, response) => response.end("reached"));
    const calls = [
      probe(`cat ${hidden}/secret.txt`),
      probe(`touch ${hidden}/new.txt && rm ${hidden}/new.txt`),
      probe(`curl -sf -m 5 http://127.0.0.1:${await listen(open)}/`),
      probe(`env | grep -q ${KEY_PATTERN} && cat /proc/*/environ | grep -aq ${KEY_PATTERN}`),
      { tool: "Read", input: { file_path: join(hidden, "secret.txt") } },
    ];
    const { attempts } = await attack(agent, calls, {
      sandbox: SandboxConfig({ enabled: false }),
      networkPolicy: NetworkPolicy.withDomains("*"),
      env: { IS_SANDBOX: "1" },
    });
    expect(attempts.slice(0, 4).map(({ output }) => output)).toEqual(Array(4).fill("REACHED"));
    expect(attempts.at(-1)?.output).toContain("the secret");
    open.close();
  });

  test("reads nothing that is denied, by commands, by file tools, by links", async () => {
    const denied = join(agent.cwd, ".env");
    const secret = join(hidden, "secret.txt");
    await writeFile(denied, "PASSWORD=the secret");
    await writeFile(join(agent.cwd, "plain.txt"), "plain");
    const calls = [
      bash("cat plain.txt"),
      bash(`cat ${secret}; cat .env; ln .env hard; cat hard; cp .env copy; cat copy`),
      bash(`ln -s ${hidden} away; ln -s .env near; cat away/secret.txt near`),
      bash(`umount -l ${tmpdir()}; cat ${secret}; unshare -Urm sh -c 'umount -l ${tmpdir()}; cat ${secret}'`),
      bash(`cat ${secret}`, { dangerouslyDisableSandbox: true }),
      ...[secret, denied, "{{cwd}}/away/secret.txt", "{{cwd}}/near", "/etc/../proc/self/environ", "~/.claude.json"].map(
        (path) => ({ tool: "Read", input: { file_path: path } }),
      ),
    ];
    const { attempts, result } = await attack(agent, calls, { sandbox: SandboxConfig({ deniedPaths: [denied] }) });
    expect(attempts[0]).toMatchObject({ tool: "Bash", output: "plain", isError: false });
    expect(attempts).toHaveLength(calls.length);
    expect(attempts.filter(({ output }) => /the secret|PATH=/u.test(output))).toEqual([]);
    expect(attempts.slice(5).map(toVerdict)).toEqual(Array(6).fill("Read refused"));
    expect(result.isError).toBe(false);
    await rm(denied);
  });

  test("writes nothing outside, by commands, by file tools, by links that it makes", async () => {
    const outside = join("/var/tmp", `skein-attack-${process.pid}`);
    const calls = [
      bash("echo inside > inside.txt && cat inside.txt && echo home > ~/kept && cat ~/kept"),
      bash(`ln -s ${hidden} out; echo x > out/new.txt; echo x > ${outside}; echo x > ${hidden}/secret.txt`),
      bash(`echo '{"hooks":{}}' > ~/../.claude/settings.json; echo x > ~/../../holder.json; rm -rf ${hidden}`),
      bash(`echo x > ${outside}`, { dangerouslyDisableSandbox: true }),
      ...[outside, join(hidden, "new.txt"), "{{cwd}}/out/new.txt", "{{cwd}}/../new.txt"].map((path) => ({
        tool: "Write",
        input: { file_path: path, content: "x" },
      })),
    ];
    const { attempts, configFiles } = await attack(agent, calls);
    expect(attempts[0]).toMatchObject({ output: "inside\nhome", isError: false });
    expect(attempts.slice(4).map(toVerdict)).toEqual(Array(4).fill("Write refused"));
    expect(await readdir(hidden)).toEqual(["secret.txt"]);
    expect(await readFile(join(hidden, "secret.txt"), "utf8")).toBe("the secret");
    await expect(stat(outside)).rejects.toMatchObject({ code: "ENOENT" });
    await expect(stat(join(agent.cwd, "../new.txt"))).rejects.toMatchObject({ code: "ENOENT" });
    expect(configFiles).not.toContain("settings.json");
  });

  test("reaches no network, on the loopback or outside, whatever it tries", async () => {
    const targets = [`127.0.0.1:${port}`, `${OUTSIDE}:${port}`];
    const calls = targets.flatMap((target) => {
      const [host, number] = target.split(":");
      return [
        probe(`curl -sf -m 5 http://${target}/`),
        probe(`curl -sf -m 5 --noproxy '' http://${target}/`),
        probe(`curl -sf -m 5 --noproxy '*' http://${target}/`),
        probe(`timeout 5 bash -c 'echo > /dev/tcp/${host}/${number}'`),
        probe(`timeout 5 node -e 'require("net").connect(${number}, "${host}").on("connect", () => process.exit(0))'`),
        probe(`timeout 5 python3 -c 'import socket; socket.create_connection(("${host}", ${number}), 4)'`),
      ];
    });
    const unixSocket = probe(`python3 -c 'import socket; socket.socket(socket.AF_UNIX)'`);
    const fetchPage = { tool: "WebFetch", input: { url: `http://127.0.0.1:${port}/`, prompt: "Read it" } };
    const { attempts } = await attack(agent, [...calls, unixSocket, fetchPage], {
      networkPolicy: NetworkPolicy.noNetwork(),
    });
    expect(attempts.slice(0, -1).map(({ output }) => output)).toEqual(Array(13).fill("blocked"));
    expect(attempts.at(-1)).toMatchObject({ tool: "WebFetch", isError: true });
    expect(connections).toBe(0);
  });

  test("reaches a domain that is allowed and no other", async () => {
    const allowed = createHttpServer((_, response) => response.end("reached"));
    const fetchPage = { tool: "WebFetch", input: { url: `http://${OUTSIDE}:${port}/`, prompt: "Read it" } };
    const calls = [
      bash(`curl -sf -m 5 --noproxy '' http://localhost:${await listen(allowed)}/`),
      probe(`curl -sf -m 5 --noproxy '' http://127.0.0.1:${port}/`),
      probe(`curl -sf -m 5 --noproxy '' http://${OUTSIDE}:${port}/`),
      probe(`timeout 5 bash -c 'echo > /dev/tcp/127.0.0.1/${port}'`),
      fetchPage,
    ];
    const { attempts } = await attack(agent, calls, { networkPolicy: NetworkPolicy.withDomains("localhost") });
    expect(attempts.map(({ output }) => output)).toEqual([
      "reached",
      "blocked",
      "blocked",
      "blocked",
      expect.stringContaining(`${OUTSIDE} is not among the allowed domains`),
    ]);
    expect(connections).toBe(0);
    allowed.close();
  });

  test("finds the API key neither in its environment, nor in /proc, nor on the disk", async () => {
    const calls = [
      // What is not a secret is found there, so the places are the right ones.
      probe("env | grep -q 'can[a]ry' && cat /proc/*/environ | grep -aq 'can[a]ry'"),
      probe(`env | grep -q ${KEY_PATTERN}`),
      probe(`cat /proc/*/environ /proc/*/cmdline /proc/*/task/*/environ | grep -aq ${KEY_PATTERN}`),
      probe(`grep -rqs ${KEY_PATTERN} ~ . "$TMPDIR" "$CLAUDE_CONFIG_DIR" ${tmpdir()} /etc /run /dev/shm`),
      probe(`cat /proc/1/environ | grep -aq ${KEY_PATTERN}`),
      bash("ln -s /proc/self/environ environ; ls -l environ"),
      ...["/proc/self/environ", "/proc/1/environ", "{{cwd}}/environ"].map((path) => ({
        tool: "Read",
        input: { file_path: path },
      })),
    ];
    const { attempts, filesWithKey, home } = await attack(agent, calls, { env: { CANARY: "canary" } });
    expect(attempts.slice(0, 5).map(({ output }) => output)).toEqual(["REACHED", ...Array(4).fill("blocked")]);
    expect(attempts.slice(6).map(toVerdict)).toEqual(Array(3).fill("Read refused"));
    expect(filesWithKey).toEqual([]);
    await expect(stat(home)).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("leaves no process behind, however it starts one", async () => {
    const seconds = `31${process.pid}`;
    const calls = [
      bash(
        `nohup setsid sleep ${seconds} >/dev/null 2>&1 & disown; env -i setsid sleep ${seconds} >/dev/null 2>&1 & echo started`,
      ),
    ];
    const { attempts, result } = await attack(agent, calls);
    expect(attempts.map(({ isError }) => isError)).toEqual([false]);
    expect(result.isError).toBe(false);
    expect(await processesWith(seconds)).toEqual([]);
  });

  test("leaves no process behind when it is cancelled with one in the background", async () => {
    const mark = `mark-34${process.pid}`;
    const hang = `tail -f /dev/null; : ${mark}`;
    const calls = [bash(hang, { run_in_background: true }), bash("echo waiting"), bash(hang)];
    const { attempts, result } = await attack(agent, calls, { cancelAfter: 2 });
    expect(attempts.map(({ input }) => input)).toEqual(calls.map(({ input }) => input));
    expect(attempts[0]?.output).toContain("running in background");
    expect(result.error).toMatchObject({ kind: "cancelled" });
    expect(await processesWith(mark)).toEqual([]);
  });

  test("is ended with all that it started when it has too many processes", async () => {
    const seconds = `32${process.pid}`;
    // A thousand at most, so that the machine survives a limit that does not hold.
    const bomb = `bomb() { if [ $1 -gt 0 ]; then bomb $(($1-1)) & bomb $(($1-1)) & fi; exec env -i sleep ${seconds}; }; bomb 9`;
    const { attempts, result } = await attack(agent, [bash(bomb)], { sandbox: SandboxConfig({ maxProcesses: 60 }) });
    expect(result.error).toMatchObject({ kind: "resource_exhausted", resource: "processes" });
    expect(attempts.map(({ input }) => input)).toEqual([bash(bomb).input]);
    expect(await processesWith(seconds)).toEqual([]);
  });

  test("is ended when it fills the disk", async () => {
    const seconds = `33${process.pid}`;
    const fill = `for i in $(seq 1 200); do head -c 1000000 /dev/zero > ~/fill-$i; sleep 0.05; done; sleep ${seconds}`;
    const { attempts, result } = await attack(agent, [bash(fill)], {
      sandbox: SandboxConfig({ maxDiskBytes: 20_000_000 }),
    });
    expect(result.error).toMatchObject({ kind: "resource_exhausted", resource: "disk" });
    expect(attempts.map(({ input }) => input)).toEqual([bash(fill).input]);
    expect(await processesWith(seconds)).toEqual([]);
  });
});

async function listen(server: Server, { host = "127.0.0.1", port: wanted = 0 } = {}): Promise<number> {
  await new Promise<void>((resolve) => server.listen(wanted, host, resolve));
  return (server.address() as AddressInfo).port;
}
