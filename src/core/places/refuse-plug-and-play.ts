import { SkeinError } from "../errors.ts";

/**
 * Refuses Yarn's Plug'n'Play, with what to set: its file handles cannot flush, and the Claude Code CLI, which comes with the SDK, is
 * a program in a package that nothing else names.
 */
export function refusePlugAndPlay(versions: Readonly<Record<string, string | undefined>> = process.versions): void {
  if (versions["pnp"] === undefined) return;
  throw new SkeinError(
    "Skein does not work under Yarn's Plug'n'Play, whose file handles cannot flush what was written",
    {
      kind: "config",
      target: "nodeLinker",
      hint: "Write `nodeLinker: node-modules` into .yarnrc.yml, then run `yarn install` again",
    },
  );
}
