import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Place } from "./place.ts";

/** Names of what exists only while a process is at work, wherever it lies. */
const IN_WORK =
  /\.lock$|\.holder$|\.new-|\/temporary\/.|\/journals\/.|\/restores\/.|workspaces\/[^/]+\/branches\/.|\/copies\/.|tmp_|\/\.tmp-|\.skein-|\.half|refs\/skein\/turns\/.|\/processes\/.|\/writers\/./u;

/** What the CLI keeps for itself, and what git leaves in the repository that is pushed to: that is not ours to touch. */
const NOT_OURS =
  /^skein\/offline\/|^tmp\/(?:cc-socks|claude-\d+|claude-http-[0-9a-f]+\.sock|srt-mux-[\d-]+\.sock)$|^empty\.git\/(?:objects\/tmp_objdir-incoming-|.*\.lock$)/u;

/** What somebody who was killed has left: processes, mounts, and files of work in progress. What is about to end may end first. */
export async function leftBehind(place: Place): Promise<readonly string[]> {
  let processes = processesOf(place);
  for (let round = 0; processes.length > 0 && round < 200; round += 1) {
    await pause(50);
    processes = processesOf(place);
  }
  return [
    ...processes.map(({ pid, command }) => `process ${pid} ${command.slice(0, 300)}`),
    ...mountsOf(place).map((path) => `mount ${path}`),
    ...filesOf(place).map((path) => `file ${path}`),
  ];
}

/** The processes that have to do with a place, by their command lines and environments. */
export function processesOf({ root }: Place): readonly { readonly pid: number; readonly command: string }[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name))
    .flatMap((name) => {
      const command = readProc(name, "cmdline").replaceAll("\0", " ");
      const isOf = command.includes(`${root}/`) || readProc(name, "environ").includes(`=${root}/`);
      return isOf && Number(name) !== process.pid ? [{ pid: Number(name), command }] : [];
    });
}

/** The places below which something is mounted still. */
export function mountsOf({ root }: Place): readonly string[] {
  const lines = readFileSync("/proc/self/mounts", "utf8").split("\n");
  return lines.map((line) => line.split(" ")[1] ?? "").filter((path) => path.startsWith(`${root}/`));
}

function filesOf({ root }: Place): readonly string[] {
  const names = readdirSync(root, { recursive: true, withFileTypes: true }).map((each) =>
    join(each.parentPath, each.name).slice(root.length + 1),
  );
  const temporary = readdirSync(join(root, "tmp")).map((name) => `tmp/${name}`);
  return [...names.filter((name) => IN_WORK.test(`/${name}`)), ...temporary].filter((name) => !NOT_OURS.test(name));
}

function readProc(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "latin1");
  } catch {
    return "";
  }
}
