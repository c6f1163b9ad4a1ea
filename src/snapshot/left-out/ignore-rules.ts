import { SkeinError } from "../../core/index.ts";
import { toBytePath, type BytePath, endOf, spawnGit, type GitProcess, gitError } from "../../git/index.ts";
import { createBuiltInRules, type Withholding } from "./built-in-rules.ts";
import { isDropping } from "./droppings.ts";
import { createSkeinIgnore } from "./skein-ignore.ts";

/** Answers which paths the ignore files and the built-in rules leave out. */
export interface IgnoreRules extends AsyncDisposable {
  /**
   * For each path why it is left out, if it is. The folders above it must be real ones, and not ignored. Git is not asked
   * where it would wait on an ignore file for ever.
   */
  ask(paths: readonly BytePath[], isUnruly?: boolean): Promise<readonly (IgnoreReason | undefined)[]>;
}

/** An ignore file names it, or only a built-in rule does. */
export type IgnoreReason = "named" | Withholding;

/** Where the rules are read from. */
export interface IgnoreSources {
  readonly gitDirectory: string;
  readonly root: string;
  /** A file with rules for the whole tree, weaker than the tree's own. */
  readonly excludesFile?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * A `.skeinignore` has the last word; for the rest git itself is asked, by one process that starts with the first question.
 * What no file ignores may still be left out by a built-in rule.
 */
export function createIgnoreRules(sources: IgnoreSources): IgnoreRules {
  let asker: Asker | undefined;
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

interface Asker {
  ask(paths: readonly BytePath[]): Promise<readonly boolean[]>;
  close(): Promise<void>;
}

interface Question {
  readonly count: number;
  readonly answers: boolean[];
  resolve(answers: readonly boolean[]): void;
  reject(reason: unknown): void;
}

function startAsker({ gitDirectory, root, excludesFile, signal }: IgnoreSources): Asker {
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
    ask: (paths) =>
      new Promise((resolve, reject) => {
        if (child.exitCode !== null) return reject(new SkeinError("git check-ignore ended early", { kind: "process" }));
        questions.push({ count: paths.length, answers: [], resolve, reject });
        // A leading colon would be magic to git, and this command refuses to take paths literally.
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
  let rest = "";
  let field = 0;
  let pattern = "";
  child.stdout.on("data", (chunk: Buffer) => {
    const fields = (rest + chunk.toString("latin1")).split("\0");
    rest = fields.pop() ?? "";
    for (const text of fields) {
      if (field === 2) pattern = text;
      field = (field + 1) % 4;
      if (field !== 0) continue;
      const question = questions[0];
      if (question === undefined) continue;
      question.answers.push(pattern !== "" && !pattern.startsWith("!"));
      if (question.answers.length === question.count) questions.shift()?.resolve(question.answers);
    }
  });
}
