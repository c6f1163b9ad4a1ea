/** What became of a file, as a unified patch tells it. */
export interface PatchFile {
  readonly path: string;
  /** Its path before, where it was renamed. */
  readonly from: string | undefined;
  readonly change: "created" | "modified" | "deleted" | "renamed";
  /** Whether it has no lines to show: a picture, an archive. */
  readonly isBinary: boolean;
  readonly hunks: readonly Hunk[];
  readonly added: number;
  readonly removed: number;
  /** Why its lines are not here, where it has some. */
  readonly untold?: string;
}

export interface Hunk {
  readonly oldStart: number;
  readonly newStart: number;
  /** The function that it is in, where the patch says so. */
  readonly where: string;
  readonly lines: readonly PatchLine[];
}

export interface PatchLine {
  readonly type: "added" | "removed" | "same";
  readonly text: string;
  readonly oldLine: number | undefined;
  readonly newLine: number | undefined;
  /** Of a changed line the one that stands for it on the other side: words that differ are marked. */
  readonly pair?: string;
}

interface OpenFile {
  path: string;
  from: string | undefined;
  change: PatchFile["change"];
  isBinary: boolean;
  hunks: OpenHunk[];
}

interface OpenHunk {
  readonly oldStart: number;
  readonly newStart: number;
  readonly where: string;
  readonly lines: PatchLine[];
  oldLeft: number;
  newLeft: number;
  oldLine: number;
  newLine: number;
}

/** Reads a unified patch, as git and `diff` write it. What is no patch is no file. */
export function parsePatch(patch: string): readonly PatchFile[] {
  const files: OpenFile[] = [];
  let file: OpenFile | undefined;
  let hunk: OpenHunk | undefined;
  for (const line of patch.split("\n")) {
    // Within a hunk its counts say what a line is: one that is removed may look like a header.
    if (hunk && (hunk.oldLeft > 0 || hunk.newLeft > 0) && takeLine(hunk, line)) continue;
    hunk = undefined;
    const begun = fileOf(line, file);
    if (begun && begun !== file) files.push((file = begun));
    const opened = file && hunkOf(line);
    if (file && opened) file.hunks.push((hunk = opened));
    else if (file) describe(file, line);
  }
  return files.map(closeFile);
}

function fileOf(line: string, current: OpenFile | undefined): OpenFile | undefined {
  if (line.startsWith("diff --git ")) return begin(gitPath(line));
  // A patch without git's words begins with the two names.
  if (line.startsWith("--- ") && (current === undefined || current.hunks.length > 0))
    return begin(pathIn(line.slice(4)));
  return current;
}

function begin(path: string): OpenFile {
  return { path, from: undefined, change: "modified", isBinary: false, hunks: [] };
}

/** `diff --git a/x b/x` names a file twice; the names that follow are surer where there are any. */
function gitPath(line: string): string {
  const names = line.slice("diff --git ".length);
  const quoted = /"b\/((?:[^"\\]|\\.)*)"$/u.exec(names)?.[1];
  if (quoted !== undefined) return unquote(`"${quoted}"`);
  const half = (names.length - 1) / 2;
  return names[half] === " " ? names.slice(half + 3) : (names.split(" b/").at(-1) ?? names);
}

function describe(file: OpenFile, line: string): void {
  const rest = (words: string): string | undefined => (line.startsWith(words) ? line.slice(words.length) : undefined);
  const [before, after] = [rest("--- "), rest("+++ ")];
  const [renamedFrom, renamedTo] = [rest("rename from "), rest("rename to ")];
  if (line.startsWith("new file")) file.change = "created";
  else if (line.startsWith("deleted file")) file.change = "deleted";
  else if (renamedFrom !== undefined) [file.from, file.change] = [unquote(renamedFrom), "renamed"];
  else if (renamedTo !== undefined) file.path = unquote(renamedTo);
  else if (line.startsWith("Binary files ") || line.startsWith("GIT binary patch")) file.isBinary = true;
  else if (before === "/dev/null") file.change = "created";
  else if (after === "/dev/null") file.change = "deleted";
  else if (after !== undefined) file.path = pathIn(after);
}

function pathIn(name: string): string {
  const path = unquote(name.replace(/\t.*$/u, ""));
  return path.replace(/^[abciw]\//u, "");
}

/** Names with characters of their own are quoted by git, byte by byte. */
function unquote(name: string): string {
  if (!name.startsWith('"') || !name.endsWith('"')) return name;
  const bytes: number[] = [];
  const words = { n: 10, t: 9, r: 13, a: 7, b: 8, f: 12, v: 11 } as Readonly<Record<string, number>>;
  for (const [part] of name.slice(1, -1).matchAll(/\\[0-7]{3}|\\.|[^\\]+/gsu)) {
    if (/^\\[0-7]{3}$/u.test(part)) bytes.push(Number.parseInt(part.slice(1), 8));
    else if (part.startsWith("\\")) bytes.push(words[part.slice(1)] ?? part.charCodeAt(1));
    else bytes.push(...new TextEncoder().encode(part));
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

function hunkOf(line: string): OpenHunk | undefined {
  const found = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/u.exec(line);
  if (!found) return undefined;
  const [, oldStart, oldCount = "1", newStart, newCount = "1", where = ""] = found;
  const [oldLine, newLine] = [Number(oldStart), Number(newStart)];
  const counts = { oldLeft: Number(oldCount), newLeft: Number(newCount), oldLine, newLine };
  return { oldStart: oldLine, newStart: newLine, where, lines: [], ...counts };
}

/** Takes a line of a hunk; false where it cannot be one. */
function takeLine(hunk: OpenHunk, line: string): boolean {
  const [mark, text] = [line[0] ?? " ", line.slice(1)];
  if (mark === "\\") return true;
  if (mark === "+") {
    hunk.newLeft -= 1;
    hunk.lines.push({ type: "added", text, oldLine: undefined, newLine: hunk.newLine++ });
  } else if (mark === "-") {
    hunk.oldLeft -= 1;
    hunk.lines.push({ type: "removed", text, oldLine: hunk.oldLine++, newLine: undefined });
  } else if (mark === " ") {
    hunk.oldLeft -= 1;
    hunk.newLeft -= 1;
    hunk.lines.push({ type: "same", text, oldLine: hunk.oldLine++, newLine: hunk.newLine++ });
  } else return false;
  return true;
}

function closeFile({ hunks, ...file }: OpenFile): PatchFile {
  const closed = hunks.map(({ oldStart, newStart, where, lines }) => ({
    oldStart,
    newStart,
    where,
    lines: pairUp(lines),
  }));
  const count = (type: PatchLine["type"]): number =>
    closed.reduce((sum, { lines }) => sum + lines.filter((line) => line.type === type).length, 0);
  return { ...file, hunks: closed, added: count("added"), removed: count("removed") };
}

/** Lines that were removed and those that came in their place stand for each other, in order. */
export function pairUp(lines: readonly PatchLine[]): readonly PatchLine[] {
  const paired = [...lines];
  for (let at = 0; at < lines.length;) {
    const removed = runOf(lines, at, "removed");
    const added = runOf(lines, at + removed, "added");
    for (let place = 0; place < Math.min(removed, added); place += 1) {
      const [before, after] = [lines[at + place], lines[at + removed + place]];
      if (!before || !after) continue;
      paired[at + place] = { ...before, pair: after.text };
      paired[at + removed + place] = { ...after, pair: before.text };
    }
    at += Math.max(1, removed + added);
  }
  return paired;
}

function runOf(lines: readonly PatchLine[], start: number, type: PatchLine["type"]): number {
  let end = start;
  while (lines[end]?.type === type) end += 1;
  return end - start;
}
