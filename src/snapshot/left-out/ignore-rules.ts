import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PRIVATE_FILE, PRIVATE_FOLDER, SkeinError } from "../../core/internal.ts";
import {
  type BytePath,
  endOf,
  findUserRepository,
  gitError,
  type GitProcess,
  readPlainFile,
  spawnGit,
  toBytePath,
  writeTogether,
} from "../../git/index.ts";
import { dataPaths } from "../store/data-paths.ts";
import type { Repository } from "../store/repository.ts";
import { BUILT_IN_RULES_KEY, createBuiltInRules, type Withholding } from "./built-in-rules.ts";
import { DROPPING_KEY, isDropping } from "./droppings.ts";
import { createSkeinIgnore } from "./skein-ignore.ts";

export interface IgnoreRules extends AsyncDisposable {
  /** Why each path is left out, if it is; the folders above must be real and not ignored. Git would wait at an unruly file. */
  ask(paths: readonly BytePath[], isUnruly?: boolean): Promise<readonly ("named" | Withholding | undefined)[]>;
}

interface IgnoreSources {
  readonly gitDirectory: string;
  readonly root: string;
  readonly excludesFile?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A `.skeinignore` has the last word, then git, by one process that starts with the first question, then the built-in rules. */
export function createIgnoreRules(sources: IgnoreSources): IgnoreRules {
  let asker: ReturnType<typeof startAsker> | undefined;
  const root = toBytePath(sources.root);
  const skeinIgnore = createSkeinIgnore(root);
  const builtIn = createBuiltInRules(root);
  return {
    async ask(paths, isUnruly = false) {
      const verdicts = paths.map((path) => (isDropping(path) ? "ignored" : skeinIgnore(path)));
      const open = isUnruly ? [] : paths.filter((_, index) => verdicts[index] === undefined);
      const answers = (open.length === 0 ? [] : await (asker ??= startAsker(sources)).ask(open)).values();
      return paths.map((path, index) => {
        const verdict = verdicts[index];
        if (verdict !== undefined) return verdict === "ignored" ? "named" : undefined;
        return answers.next().value === true ? "named" : builtIn(path);
      });
    },
    async [Symbol.asyncDispose]() {
      await asker?.close();
    },
  };
}

interface Question {
  readonly count: number;
  readonly answers: boolean[];
  resolve(answers: readonly boolean[]): void;
  reject(reason: unknown): void;
}

function startAsker({ gitDirectory, root, excludesFile, signal }: IgnoreSources) {
  const child = spawnGit({
    gitDirectory,
    workTree: root,
    cwd: root,
    settings: ["core.bare=false", `core.excludesFile=${excludesFile ?? "/dev/null"}`],
    env: { GIT_LITERAL_PATHSPECS: "0" },
    args: ["check-ignore", "--no-index", "--verbose", "--non-matching", "-z", "--stdin"],
    signal,
  });
  const questions: Question[] = [];
  readAnswers(child, questions);
  child.stdin.on("error", () => undefined);
  const fail = (reason: unknown): void => questions.splice(0).forEach((question) => question.reject(reason));
  // Whoever asked is told; the end has no other hearer.
  const ended = endOf(child).then((end) => fail(signal?.aborted ? signal.reason : gitError("check-ignore", end)), fail);
  return {
    ask: (paths: readonly BytePath[]) =>
      new Promise<readonly boolean[]>((resolve, reject) => {
        if (child.exitCode !== null) return reject(new SkeinError("git check-ignore ended early", { kind: "process" }));
        questions.push({ count: paths.length, answers: [], resolve, reject });
        // A leading colon would be magic to git, and this command refuses to take paths literally.
        writeTogether(child.stdin);
        child.stdin.write(Buffer.from(paths.map((path) => `./${path}\0`).join(""), "latin1"));
      }),
    async close() {
      child.stdin.end();
      await ended;
    },
  };
}

/** An answer has four fields: source, line, pattern and path. No pattern, or a negated one, means not ignored. */
function readAnswers(child: GitProcess, questions: Question[]): void {
  let field = 0;
  /** The first byte of the pattern; zero where there is none. */
  let pattern = 0;
  let isFirstByte = true;
  // There is an answer for each path of a tree: its bytes are looked at where they are.
  child.stdout.on("data", (chunk: Buffer) => {
    for (let at = 0; at < chunk.length;) {
      if (field === 2 && isFirstByte) pattern = chunk[at] ?? 0;
      const zero = chunk.indexOf(0, at);
      isFirstByte = zero !== -1;
      if (zero === -1) return;
      at = zero + 1;
      field = (field + 1) % 4;
      const question = field === 0 ? questions[0] : undefined;
      if (question === undefined) continue;
      question.answers.push(pattern !== 0 && pattern !== NEGATED);
      if (question.answers.length === question.count) questions.shift()?.resolve(question.answers);
    }
  });
}

const NEGATED = 0x21;

/**
 * The rules that lie outside of a tree. Its repository's own are copied to a file beside the store: git shall open no pipe that stands in
 * its place. `reserved` is where Skein keeps its data; `key` changes when any rule does, or when other ignored files are asked for.
 */
export async function readTreeRules(repository: Repository, directory: string, include: readonly string[]) {
  const user = findUserRepository(directory);
  const own = user && readPlainFile(user.commonDirectory, "info/exclude");
  const text = own?.toString("latin1") ?? "";
  const paths = dataPaths(repository, directory);
  const reserved = new Set(paths);
  const key = createHash("sha256")
    .update(JSON.stringify([text, include, BUILT_IN_RULES_KEY, DROPPING_KEY, ...paths]))
    .digest("hex");
  if (!/^\s*[^#\s]/m.test(text)) return { excludesFile: undefined, reserved, key };
  const excludesFile = join(repository.home, "ignore", key);
  await mkdir(join(repository.home, "ignore"), PRIVATE_FOLDER);
  await writeFile(excludesFile, text, { encoding: "latin1", mode: PRIVATE_FILE });
  return { excludesFile, reserved, key };
}
