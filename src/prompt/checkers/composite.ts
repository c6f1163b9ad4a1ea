import { SkeinError } from "../../core/index.ts";
import type { Completion, CompletionChecker, CompletionContext } from "../completion-checker.ts";

/** The task is done when all checkers say so, or with `allMustPass: false` when one does. */
export function composite(
  checkers: readonly CompletionChecker[],
  { allMustPass = true }: { readonly allMustPass?: boolean } = {},
): CompletionChecker {
  if (checkers.length === 0) {
    const hint = "Give it at least one checker.";
    throw new SkeinError("composite needs at least one checker", { kind: "usage", target: "checkers", hint });
  }
  return {
    async check(context) {
      const found = await askAll(checkers, context, allMustPass);
      const complete = allMustPass ? found.every((one) => one.complete) : found.some((one) => one.complete);
      if (complete) return { complete };
      const feedback = found.flatMap((one) => (one.complete ? [] : (one.feedback ?? []))).join("\n");
      return { complete, ...(feedback === "" ? {} : { feedback }) };
    },
  };
}

/** One after the other: tests and builds would get into each other's way. Where one is enough, the rest is not asked. */
async function askAll(
  checkers: readonly CompletionChecker[],
  context: CompletionContext,
  allMustPass: boolean,
): Promise<readonly Completion[]> {
  const found: Completion[] = [];
  for (const checker of checkers) {
    const one = await checker.check(context);
    found.push(one);
    if (one.complete && !allMustPass) break;
  }
  return found;
}
