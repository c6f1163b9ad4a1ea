import { spawn } from "node:child_process";
import { MARK_VARIABLE } from "./process-family.ts";

/** Clears away what the CLIs of the host left in folders, as `clearRemains` does, and forgets the host. */
const CLEAR_REMAINS = `folder=$(dirname "$2")
for list in "$folder/$1."*.left; do
  mv "$list" "$list.taken" 2>/dev/null || continue
  while IFS= read -r line; do
    grep -qsxF -- "$line" "$folder"/*.left && continue
    path=\${line#*:}
    case $line in
      empty:/*) [ -f "$path" ] && [ ! -L "$path" ] && [ ! -s "$path" ] && rm -f -- "$path" ;;
      hollow:/*) rmdir -- "$path" 2>/dev/null ;;
      *:*/../*) ;;
      resumed:/*)
        for found in "$(dirname "$path")"/claude-resume-*/projects/*/"$(basename "$path").jsonl"; do
          resumed=\${found%/projects/*}
          [ -f "$found" ] && ! grep -qsF -- "$resumed" /proc/[0-9]*/environ && rm -rf -- "$resumed"
        done
        for begun in "$(dirname "$path")"/claude-resume-*; do
          [ -d "$begun" ] && [ ! -L "$begun" ] && [ -O "$begun" ] && [ -z "$(find "$begun" ! -type d)" ] && sleep 1 || continue
          rmdir -- "$begun"/projects/* "$begun"/projects "$begun" 2>/dev/null
        done ;;
      tree:/*/claude-resume-*) rm -rf -- "$path" ;;
    esac
  done <"$list.taken"
  rm -f "$list.taken"
done
rm -f "$2"`;

/**
 * Waits until the host's end of the pipe closes, which the kernel does however the host dies, then ends what it left:
 * a CLI that waits on a silent API does not notice by itself. $1 is the host's mark, $2 its record, $3 where its control
 * groups are: what is in one is ended even if it carries no mark.
 */
const LINUX_SCRIPT = `cat >/dev/null
for round in 1 2 3 4 5 6 7 8 9 10; do
  files=$(grep -ls "${MARK_VARIABLE}=$1" /proc/[0-9]*/environ)
  [ -n "$files" ] || break
  for file in $files; do pid=\${file#/proc/}; kill -9 "\${pid%/environ}" 2>/dev/null; done
done
for group in "\${3:-/nowhere}/skein-$1."*; do
  for round in 1 2 3 4 5 6 7 8 9 10; do
    [ -d "$group" ] || break
    while read -r pid; do kill -9 "$pid" 2>/dev/null; done <"$group/cgroup.procs"
    rmdir "$group" 2>/dev/null || sleep 0.1
  done
done
${CLEAR_REMAINS}`;

const MACOS_SCRIPT = `cat >/dev/null
ps -axeww -o pid=,command= | grep "${MARK_VARIABLE}=$1" | grep -v grep | while read -r pid rest; do kill -9 "$pid"; done
${CLEAR_REMAINS}`;

/**
 * Starts the process that outlives this one if it is killed. It ends by itself, and keeps nothing from ending. Gives what lets it go: it then
 * finds nothing to end, removes the record and ends.
 */
export function startGuardian(hostMark: string, recordPath: string, groupParent = ""): () => void {
  if (process.platform === "win32") return () => undefined;
  const script = process.platform === "linux" ? LINUX_SCRIPT : MACOS_SCRIPT;
  const child = spawn("/bin/sh", ["-c", script, "skein-guardian", hostMark, recordPath, groupParent], {
    // Not the host's group: what ends that must not end the guardian. Not its mark either.
    detached: true,
    env: { PATH: process.env["PATH"] },
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.on("error", () => undefined);
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
  return () => child.stdin.end();
}
