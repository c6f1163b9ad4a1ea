import { commandOf } from "./file-access.ts";
import { PASS, type PermissionPolicy } from "./permission-policy.ts";
import { SHELLS } from "./shell/inner-scripts.ts";
import { listProgramCalls, type ProgramCall } from "./shell/program-calls.ts";

/** A kind of command that does harm which cannot be undone. */
export interface DangerousCommand {
  readonly name: string;
  /** Why not, as the model is told. */
  readonly reason: string;
  /** Whether a call is of this kind; the other calls of the command line tell what it stands among. */
  readonly matches: (call: ProgramCall, all: readonly ProgramCall[]) => boolean;
}

/** What the guard stops. A table, so that it can be read, cut and added to. */
export const DANGEROUS_COMMANDS: readonly DangerousCommand[] = [
  {
    name: "rm-everything",
    reason: "it deletes a whole disk, home or working directory",
    matches: (call) =>
      (call.program === "rm" && hasFlag(call.args, "r", "R", "recursive") && operands(call.args).some(isWholeTree)) ||
      (call.program === "find" && call.args.includes("-delete") && searchedFolders(call.args).some(isWholeTree)),
  },
  {
    name: "format-disk",
    reason: "it makes a disk unreadable",
    matches: ({ program }) =>
      /^mkfs(?:\.\w+)?$/.test(program) || ["mkswap", "wipefs", "fdisk", "parted"].includes(program),
  },
  {
    name: "write-device",
    reason: "it overwrites a disk",
    matches: ({ program, args, command }) =>
      [
        ...command.outputs,
        ...(program === "dd" ? args.flatMap((arg) => (arg.startsWith("of=") ? [arg.slice(3)] : [])) : []),
        ...(["tee", "shred", "cp", "mv", "truncate"].includes(program) ? args : []),
      ].some((file) => /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|loop|mapper)/.test(file)),
  },
  {
    name: "open-permissions",
    reason: "it changes who may use a whole disk, home or working directory",
    matches: (call) =>
      ["chmod", "chown", "chgrp"].includes(call.program) &&
      hasFlag(call.args, "R", "recursive") &&
      operands(call.args).some((path, index) => isWholeTree(path) && (index > 0 || hasFlag(call.args, "reference"))),
  },
  {
    name: "run-download",
    reason: "it runs a program from the network that nobody has read",
    matches: (call, all) => {
      const runs = SHELLS.has(call.program) || INTERPRETERS.has(call.program);
      const takes = call.command.isPiped || call.command.words.some((word) => /\$\(|<\(|`/.test(word));
      return runs && takes && all.some(({ program }) => ["curl", "wget"].includes(program));
    },
  },
  {
    name: "git-force-push",
    reason: "it overwrites what others have pushed",
    matches: (call) => {
      const push = gitArguments(call, "push") ?? [];
      return hasFlag(push, "f", "force", "mirror") || operands(push).some((word) => /^\+./.test(word));
    },
  },
  {
    name: "git-clean",
    reason: "it deletes files that git cannot bring back",
    matches: (call) => {
      const clean = gitArguments(call, "clean") ?? [];
      return !hasFlag(clean, "n", "dry-run") && hasFlag(clean, "f", "force") && hasFlag(clean, "d", "x", "X");
    },
  },
  {
    name: "become-root",
    reason: "it acts with another user's rights",
    matches: ({ program }) => ["sudo", "doas", "su", "pkexec"].includes(program),
  },
  {
    name: "stop-machine",
    reason: "it stops or restarts the machine",
    matches: ({ program, args }) =>
      ["shutdown", "reboot", "halt", "poweroff"].includes(program) ||
      (["init", "telinit"].includes(program) && /^[06]$/.test(args[0] ?? "")) ||
      (program === "systemctl" && args.some((arg) => ["poweroff", "reboot", "halt", "kexec"].includes(arg))),
  },
  {
    name: "kill-everything",
    reason: "it ends every process of the user",
    matches: ({ program, args }) => program === "kill" && args.length > 1 && ["-1", "1"].includes(args.at(-1) ?? ""),
  },
  {
    name: "delete-crontab",
    reason: "it deletes all scheduled jobs",
    matches: (call) => call.program === "crontab" && hasFlag(call.args, "r"),
  },
];

/** Programs beside the shells that run what they are given. */
const INTERPRETERS = new Set("python python3 perl ruby node php eval source .".split(" "));
const GIT_OPTIONS_WITH_VALUE = new Set(["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"]);

/** Flags in any order and any bundle: `-rf`, `-f -r`, `--recursive`. What follows `--` is none. */
function hasFlag(args: readonly string[], ...names: readonly string[]): boolean {
  const end = args.indexOf("--");
  return (end === -1 ? args : args.slice(0, end)).some((arg) =>
    names.some((name) => (name.length === 1 ? /^-[^-]/.test(arg) && arg.includes(name) : isLongFlag(arg, name))),
  );
}

/** The programs take a beginning of a name for the whole; `--f` could be another, so three letters are asked for. */
function isLongFlag(arg: string, name: string): boolean {
  const given = arg.split("=", 1)[0] as string;
  return given.length >= 5 && `--${name}`.startsWith(given);
}

/** Where `find` begins: its words before the first condition, or the working directory. */
function searchedFolders(args: readonly string[]): readonly string[] {
  const words = args.filter((arg) => !/^-[HLP]$/.test(arg));
  const end = words.findIndex((word) => /^[-(!]/.test(word));
  const folders = end === -1 ? words : words.slice(0, end);
  return folders.length === 0 ? ["."] : folders;
}

function operands(args: readonly string[]): readonly string[] {
  const end = args.indexOf("--");
  return args.filter((arg, index) => (end !== -1 && index > end) || !arg.startsWith("-"));
}

/** The root, the home, the working directory or one above it, all that is in one of these, or a folder of the system. */
function isWholeTree(path: string): boolean {
  const bare = path.replaceAll(/\/{2,}/g, "/").replace(/(?:\/(?:\*|\.|\.\*|\{[^}]*\})?)+$/, "") || "/";
  if (/^(?:\/|~\w*|\*|\.|\$\{?(?:HOME|PWD)\}?|(?:\.\.\/)*\.\.)$/.test(bare)) return true;
  return /^\/(?:bin|boot|dev|etc|home|lib|lib64|opt|proc|root|sbin|srv|sys|usr|var|Users|System|Library)(?:\/\.\.)*$/.test(
    bare,
  );
}

/** The arguments of a git command, whatever options stand before its name. */
function gitArguments({ program, args }: ProgramCall, name: string): readonly string[] | undefined {
  if (program !== "git") return undefined;
  let index = 0;
  while (args[index]?.startsWith("-")) index += GIT_OPTIONS_WITH_VALUE.has(args[index] as string) ? 2 : 1;
  return args[index] === name ? args.slice(index + 1) : undefined;
}

/**
 * Denies commands that wreck a machine, a home or a repository. A guard against accidents and no security boundary: a
 * script, another language or a variable gets past it. What must not happen is for the sandbox to prevent.
 */
export function dangerousCommandGuard(dangers: readonly DangerousCommand[] = DANGEROUS_COMMANDS): PermissionPolicy {
  return (request) => {
    const command = commandOf(request);
    if (command === undefined) return PASS;
    if (FORK_BOMB.test(command)) return denial(request.tool, "it starts processes endlessly");
    const { calls } = listProgramCalls(command);
    const danger = dangers.find(({ matches }) => calls.some((call) => matches(call, calls)));
    return danger ? denial(request.tool, danger.reason) : PASS;
  };
}

/** A function that pipes itself into itself. */
const FORK_BOMB = /(?<![\w:.])(?<name>[\w:.]+)\s*\(\s*\)\s*\{\s*\k<name>\s*\|\s*\k<name>\s*&/;

function denial(tool: string, reason: string): { readonly type: "deny"; readonly message: string } {
  return { type: "deny", message: `${tool} was denied: this command is dangerous, ${reason}. Find a narrower way.` };
}
