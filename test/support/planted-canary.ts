import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Programs that tell on themselves when they run on the host: what they write to is not there in a sandbox. */
export interface Canary extends AsyncDisposable {
  /** A program that notes its arguments, and fails. */
  readonly program: string;
  /** A folder with the same program by the names of others, for a path. */
  readonly programs: string;
  /** A shell script that plants the program wherever git and shells look for one, in the folder that it is given. */
  readonly plant: string;
  /** A UNIX socket of the host. */
  readonly socket: string;
  /** What ran outside of a sandbox, and how often somebody came to the socket. */
  seen(): Promise<{ readonly ran: readonly string[]; readonly connections: number }>;
}

/** Settings of git that name a program. */
const SETTINGS = [
  "core.alternateRefsCommand",
  "core.askPass",
  "core.editor",
  "core.fsmonitor",
  "core.gitProxy",
  "core.pager",
  "core.sshCommand",
  "credential.helper",
  "diff.evil.command",
  "diff.evil.textconv",
  "diff.external",
  "filter.evil.clean",
  "filter.evil.process",
  "filter.evil.smudge",
  "gpg.program",
  "uploadpack.packObjectsHook",
];

const HOOKS = ["post-checkout", "post-index-change", "pre-commit", "reference-transaction"];

/** Makes a canary that an agent finds in its directory. */
export async function plantCanary(cwd: string): Promise<Canary> {
  const hidden = await realpath(await mkdtemp(join(tmpdir(), "skein-canary-")));
  // An agent of another user has to be able to write there, if only it got out.
  await chmod(hidden, 0o777);
  const note = join(hidden, "ran");
  const program = join(cwd, "evil.sh");
  const programs = join(cwd, "node_modules/.bin");
  const text = `#!/bin/sh\n{ echo "$(basename "$0") $1" >> ${note}; } 2>/dev/null\nexit 1\n`;
  await mkdir(programs, { recursive: true });
  for (const path of [program, ...["git", "npm", "rg", "bwrap"].map((name) => join(programs, name))]) {
    await writeFile(path, text);
    await chmod(path, 0o755);
  }
  const plant = join(cwd, "plant.sh");
  await writeFile(plant, plantScript(program));
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.end("hello");
  });
  const socket = join(hidden, "host.sock");
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return {
    program,
    programs,
    plant,
    socket,
    seen: async () => ({ ran: await linesOf(note), connections }),
    [Symbol.asyncDispose]: async () => {
      await close(server);
      await rm(hidden, { recursive: true, force: true });
    },
  };
}

/** A repository whose every setting, filter and hook is the program, with a change that makes git look at all of them. */
function plantScript(program: string): string {
  return [
    'mkdir -p "$1" && cd "$1" || exit',
    "git init -q . && echo one > file.txt && git add file.txt",
    "git -c user.name=a -c user.email=a@b commit -qm one",
    "mkdir -p .git/info .git/hooks hooks",
    "echo '* filter=evil diff=evil' | tee .gitattributes > .git/info/attributes",
    ...SETTINGS.map((name) => `git config ${name} '${program} ${name}'`),
    'git config core.hooksPath "$PWD/hooks"',
    "git config remote.origin.url ssh://host/repository",
    ...HOOKS.map((name) => `cp ${program} hooks/${name}; cp ${program} .git/hooks/${name}`),
    "echo two > file.txt",
    "echo planted",
  ].join("\n");
}

async function linesOf(path: string): Promise<readonly string[]> {
  const text = await readFile(path, "utf8").catch(() => "");
  return text.split("\n").filter((line) => line !== "");
}

async function close(server: Server): Promise<void> {
  await new Promise((resolve) => server.close(resolve));
}
