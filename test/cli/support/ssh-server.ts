import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { vi } from "vitest";

const run = promisify(execFile);

/** What has to be there for it. */
export const SSH_PACKAGES = [
  { command: "sshd", package: "openssh-server" },
  { command: "ssh", package: "openssh-client" },
] as const;

/** An ssh server of its own on loopback, for the user who runs the tests. */
export interface SshServer extends AsyncDisposable {
  readonly host: string;
  /** What `ssh -o` needs to reach it. */
  readonly options: readonly string[];
}

/** Starts one on a free port, with its own keys and settings; nothing of the system's or the user's is read. */
export async function startSshServer(): Promise<SshServer> {
  const folder = await mkdtemp(join(tmpdir(), "skein-sshd-"));
  const [hostKey, userKey, known] = [join(folder, "host"), join(folder, "user"), join(folder, "known")];
  for (const key of [hostKey, userKey]) await run("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
  const port = await freePort();
  await writeFile(known, `[127.0.0.1]:${port} ${await readFile(`${hostKey}.pub`, "utf8")}`);
  await writeFile(join(folder, "sshd_config"), settings({ folder, port, hostKey, userKey }));
  // The Debian package leaves the making of it to the service, which is not started here.
  if (process.getuid?.() === 0) await mkdir("/run/sshd", { recursive: true });
  const child = spawn(findOnPath("sshd"), ["-D", "-e", "-f", join(folder, "sshd_config")], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  await vi.waitFor(
    () => {
      if (!said.includes("Server listening")) throw new Error(`sshd does not listen: ${said}`);
    },
    { timeout: 10_000, interval: 20 },
  );
  const given = { Port: port, IdentityFile: userKey, UserKnownHostsFile: known, IdentityAgent: "none" };
  return {
    host: `${userInfo().username}@127.0.0.1`,
    options: [...Object.entries(given).map(([name, value]) => `${name}=${value}`), "IdentitiesOnly=yes"],
    async [Symbol.asyncDispose]() {
      const closed = once(child, "close");
      if (child.kill()) await closed;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface ServerFiles {
  readonly folder: string;
  readonly port: number;
  readonly hostKey: string;
  readonly userKey: string;
}

function settings({ folder, port, hostKey, userKey }: ServerFiles): string {
  return [
    `ListenAddress 127.0.0.1:${port}`,
    `HostKey ${hostKey}`,
    `PidFile ${join(folder, "pid")}`,
    `AuthorizedKeysFile ${userKey}.pub`,
    "StrictModes no",
    "UsePAM no",
    "PasswordAuthentication no",
    "KbdInteractiveAuthentication no",
    "PermitRootLogin prohibit-password",
    `SetEnv PATH=${process.env["PATH"] ?? ""}`,
    "",
  ].join("\n");
}

/** Asks the system for a port that nobody uses. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** sshd starts itself again for every connection, and so wants its whole path. */
function findOnPath(command: string): string {
  const places = (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, command));
  return places.find((place) => existsSync(place)) ?? command;
}
