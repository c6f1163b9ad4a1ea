import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lookAt, readSmallFile } from "./files/plain-files.ts";
import { isRefName } from "./user-refs.ts";

/** Git's own files about a merge, rebase or the like that was not finished: name in `.git`, and one character a byte. */
type UnfinishedOperation = Readonly<Record<string, string>>;

export function readUnfinished(gitDirectory: string): UnfinishedOperation | undefined {
  const files = UNFINISHED_FILES.map((name) => [name, readPlain(gitDirectory, name)] as const);
  const inFolders = UNFINISHED_FOLDERS.flatMap((folder) => readFolder(gitDirectory, folder) ?? []);
  const found = [...files.filter(([, content]) => content !== undefined), ...inFolders];
  return found.length === 0 ? undefined : (Object.fromEntries(found) as UnfinishedOperation);
}

/** Makes a repository's unfinished work what it was. What no snapshot could hold is left alone. */
export function writeUnfinished(gitDirectory: string, wanted: UnfinishedOperation = {}): void {
  for (const name of UNFINISHED_FILES) {
    if (wanted[name] === undefined && readPlain(gitDirectory, name) !== undefined) rmSync(join(gitDirectory, name));
  }
  for (const folder of UNFINISHED_FOLDERS) {
    if (readFolder(gitDirectory, folder) !== undefined) rmSync(join(gitDirectory, folder), { recursive: true });
  }
  const writable = UNFINISHED_FOLDERS.filter((folder) => lookAt(join(gitDirectory, folder)) === undefined);
  for (const [name, content] of Object.entries(wanted)) {
    const [folder = "", file] = name.split("/");
    // Asked once more where it is written: a name that leads elsewhere would overwrite any file.
    if (!isUnfinishedFile(name, content) || (file !== undefined && !writable.includes(folder))) continue;
    if (file !== undefined) mkdirSync(join(gitDirectory, folder), { recursive: true });
    // A link in the file's place is taken away, not written through.
    rmSync(join(gitDirectory, name), { recursive: true, force: true });
    writeFileSync(join(gitDirectory, name), content, { encoding: "latin1", flag: "wx" });
  }
}

/** Undefined where there is no such folder, or one that has other things in it than what git writes there. */
function readFolder(gitDirectory: string, folder: string): readonly [string, string][] | undefined {
  const path = join(gitDirectory, folder);
  if (!lookAt(path)?.isDirectory()) return undefined;
  const found: [string, string][] = [];
  for (const name of readdirSync(path).toSorted()) {
    const content = readPlain(gitDirectory, `${folder}/${name}`);
    if (content === undefined || found.length === MOST_FILES) return undefined;
    found.push([`${folder}/${name}`, content]);
  }
  return found;
}

const MOST_FILES = 1000;

function readPlain(gitDirectory: string, name: string): string | undefined {
  const path = join(gitDirectory, name);
  const content = lookAt(path)?.isFile() ? readSmallFile(path)?.toString("latin1") : undefined;
  return content !== undefined && isUnfinishedFile(name, content) ? content : undefined;
}

/** Whether git makes such a file, and one that runs no program: `git rebase --continue` would run a to-do list's `exec` lines. */
export function isUnfinishedFile(name: string, content: string): boolean {
  // oxlint-disable-next-line no-control-regex -- one character stands for one byte
  if (content.length > MOST_BYTES || !/^[\x00-\xff]*$/.test(content)) return false;
  // The patches of `rebase-apply` are named by their numbers.
  if (/^rebase-apply\/\d{4,8}$/.test(name)) return true;
  const [folder = "", file, ...rest] = name.split("/");
  if (rest.length > 0) return false;
  const rule = file === undefined ? TOP.get(folder) : FOLDERS.get(folder)?.get(file);
  return rule?.(content) ?? false;
}

const MOST_BYTES = 1024 * 1024;

type Rule = (content: string) => boolean;
const text: Rule = () => true;
const commit: Rule = (content) => /^[0-9a-f]{40}\n?$/.test(content);
const commits: Rule = (content) => /^(?:[0-9a-f]{40}\n?)+$/.test(content);
const count: Rule = (content) => /^\d{1,9}\n?$/.test(content);
const flag: Rule = (content) => /^[\w -]{0,40}\n?$/.test(content);

const branch: Rule = (content) => {
  const name = content.replace(/\n$/, "");
  return name === "detached HEAD" || (name.startsWith("refs/heads/") && isRefName(name));
};

const COMMANDS = new Set(
  "pick p revert edit e reword r fixup f squash s break b drop d label l reset t merge m noop update-ref u".split(" "),
);

/** A to-do list without a command that is run by a shell. What begins with anything but a letter is a remark. */
const todo: Rule = (content) =>
  !content.includes("\0") &&
  content.split("\n").every((line) => {
    const word = /^[ \t]*([A-Za-z][^ \t\r]*)/.exec(line)?.[1];
    return word === undefined || COMMANDS.has(word);
  });

/** Git runs `git-merge-NAME`, which a name with a slash in it would take from the workspace. */
const STRATEGY = /^(?:ours|octopus|resolve|recursive|subtree|ort)$/;
const strategy: Rule = (content) => STRATEGY.test(content.replace(/\n$/, ""));

const options: Rule = (content) =>
  content.split("\n").every((line) => {
    const [, name = "", value = ""] = /^\t([a-z-]+) = (.*)$/.exec(line) ?? [];
    if (name === "strategy") return STRATEGY.test(value);
    return name !== "" || line === "" || line === "[options]";
  });

/** Options of `git apply`, each in quotes; none of those that let a patch write outside of the work tree. */
const applyOptions: Rule = (content) =>
  /^(?: ?'(?:-[Cp]\d{1,3}|--(?:whitespace=[a-z-]+|ignore-whitespace|ignore-space-change|reject|inaccurate-eof))')*\n?$/.test(
    content,
  );

const commitOrNone: Rule = (content) => content.trim() === "" || commit(content);

function rules(given: readonly (readonly [rule: Rule, names: string])[]): ReadonlyMap<string, Rule> {
  return new Map(given.flatMap(([rule, names]) => names.split(" ").map((name) => [name, rule] as const)));
}

/** The files of `.git` itself in which git keeps an operation that was not finished, in the order in which snapshots list them. */
const TOP = rules([
  [commit, "MERGE_AUTOSTASH"],
  [commits, "MERGE_HEAD"],
  [flag, "MERGE_MODE"],
  [text, "MERGE_MSG SQUASH_MSG"],
  [commit, "CHERRY_PICK_HEAD REVERT_HEAD"],
]);

/** Every name that git 2.30 to 2.51 writes in its folders. */
const FOLDERS: ReadonlyMap<string, ReadonlyMap<string, Rule>> = new Map(
  Object.entries({
    "rebase-apply": rules([
      [text, "author-script final-commit info patch msg msg-clean patch-merge-index patch-merge-tmp-index rewritten"],
      [text, "original-commit messageid gpg_sign_opt strategy_opts"],
      [flag, "applying rebasing abort-safety-flag dirtyindex keep keepcr scissors sign threeway utf8 quiet"],
      [flag, "no_inbody_headers allow_rerere_autoupdate quoted-cr no-reflog"],
      [count, "next last"],
      [commit, "onto orig-head autostash"],
      [commitOrNone, "abort-safety"],
      [branch, "head-name"],
      [applyOptions, "apply-opt"],
      [strategy, "strategy"],
    ]),
    "rebase-merge": rules([
      [todo, "git-rebase-todo git-rebase-todo.backup"],
      [text, "done author-script message message-squash message-fixup current-fixups patch rewritten-list"],
      [text, "rewritten-pending refs-to-delete update-refs gpg_sign_opt strategy_opts dropped"],
      [flag, "interactive quiet verbose signoff no-reschedule-failed-exec reschedule-failed-exec"],
      [flag, "allow_rerere_autoupdate keep_redundant_commits drop_redundant_commits cdate_is_adate ignore_date"],
      [flag, "committer_date_is_author_date trailer"],
      [count, "msgnum end"],
      [commit, "onto orig-head autostash amend squash-onto stopped-sha"],
      [branch, "head-name"],
      [strategy, "strategy"],
    ]),
    sequencer: rules([
      [todo, "todo"],
      [commit, "head"],
      [commitOrNone, "abort-safety"],
      [options, "opts"],
    ]),
  }),
);

export const UNFINISHED_FILES: readonly string[] = [...TOP.keys()];
export const UNFINISHED_FOLDERS: readonly string[] = [...FOLDERS.keys()];
