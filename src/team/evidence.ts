import type { ErrorRecord } from "../core/internal.ts";
import { selectByGlobs, type FileChange } from "../snapshot/index.ts";
import type { State, Transition } from "../trace/internal.ts";
import type { Workspace } from "../workspace/internal.ts";
import { toBytePath } from "../git/index.ts";
import type { GateResult } from "./gates.ts";

/** What is known of the work on an item without asking the one who did it. */
export interface Evidence {
  /** What is different from the state that the item began with. */
  readonly changes: readonly FileChange[];
  /** The same as a patch; of a long one the beginning. */
  readonly patch: string;
  readonly isPatchCut: boolean;
  readonly gates: readonly GateResult[];
  /** Files that were changed and must not be. */
  readonly violations: readonly string[];
  /** Files with marks of a conflict that nobody has settled. */
  readonly unsettled: readonly string[];
  /** Tool calls of the last turn that failed or were denied. */
  readonly toolErrors: number;
  /** Why the last turn failed, where it did. */
  readonly failure: ErrorRecord | undefined;
  /** What the worker said at the end: a claim, no evidence. */
  readonly claim: string;
  readonly costUsd: number;
}

export interface EvidenceSource {
  readonly workspace: Workspace;
  /** The state that the item began with. */
  readonly base: State;
  readonly state: State;
  readonly transition: Transition;
  readonly gates: readonly GateResult[];
  /** Globs of files that no worker may change. */
  readonly protect: readonly string[];
  /** Files that two workers changed, where the work is to settle that. */
  readonly conflicts: readonly string[];
}

const MOST_PATCH_CHARACTERS = 60_000;

/** Gathers what a manager judges an item by. */
export async function gatherEvidence(source: EvidenceSource): Promise<Evidence> {
  const { workspace, base, state, transition, gates, protect, conflicts } = source;
  const changes = await workspace.diff(base.id, state.id);
  const patch = changes.length === 0 ? "" : await workspace.patch(base.id, state.id);
  const { execution } = transition;
  return {
    changes,
    patch: patch.slice(0, MOST_PATCH_CHARACTERS),
    isPatchCut: patch.length > MOST_PATCH_CHARACTERS,
    gates,
    violations: findViolations(changes, protect),
    unsettled: await findUnsettled(workspace, state, conflicts),
    toolErrors: execution.tools.filter(({ isError, isDenied }) => isError || isDenied).length,
    failure: execution.isError ? (execution.error ?? UNKNOWN_FAILURE) : undefined,
    claim: execution.response,
    costUsd: execution.costUsd,
  };
}

const UNKNOWN_FAILURE: ErrorRecord = {
  name: "SkeinError",
  kind: "runtime",
  message: "The turn failed and does not say why",
  retryable: false,
};

/** The changed files that globs name; a glob without a slash is meant in every folder. */
function findViolations(changes: readonly FileChange[], protect: readonly string[]): readonly string[] {
  const globs = protect.map((glob) => (glob.includes("/") ? glob : `**/${glob}`));
  const selection = selectByGlobs(globs);
  const touched = changes.flatMap((change) => (change.type === "renamed" ? [change.from, change.path] : [change.path]));
  return [...new Set(touched)].filter((path) => selection.takesFile(toBytePath(path))).toSorted();
}

const MARK = /^(?:<{7}|>{7}) /mu;

async function findUnsettled(workspace: Workspace, state: State, paths: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const path of paths) {
    const text = await workspace.read(state.id, path).catch(() => undefined);
    if (text !== undefined && MARK.test(text.toString("utf8"))) found.push(path);
  }
  return found;
}
