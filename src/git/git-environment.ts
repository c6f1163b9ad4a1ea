/** Settings for every git that Skein runs: nothing of the user's is read, nothing of the workspace's is executed. */
export const GIT_SETTINGS: readonly string[] = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.untrackedCache=false",
  "core.autocrlf=false",
  "core.attributesFile=/dev/null",
  "core.quotePath=false",
  "core.precomposeUnicode=false",
  "core.protectHFS=false",
  "core.protectNTFS=false",
  "core.fsync=committed,pack-metadata,loose-object,reference",
  "core.fsyncMethod=batch",
  "core.compression=1",
  "gc.auto=0",
  "maintenance.auto=false",
  "protocol.allow=never",
  "diff.renameLimit=2000",
];

/**
 * The environment of every git that Skein runs. It is made anew: a `GIT_DIR` or `GIT_INDEX_FILE` that happens to be set
 * would send a snapshot into another repository.
 */
export function gitEnvironment(base: Readonly<Record<string, string | undefined>> = process.env): NodeJS.ProcessEnv {
  const kept = ["PATH", "TMPDIR", "TEMP", "TMP", "SystemRoot"].flatMap((name) =>
    base[name] === undefined ? [] : [[name, base[name]] as const],
  );
  return {
    ...Object.fromEntries(kept),
    LC_ALL: "C",
    HOME: "/nonexistent",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_LITERAL_PATHSPECS: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_ALLOW_PROTOCOL: "none",
    // Git gives up instead of unpacking something larger into memory: a few bytes can ask for any number.
    GIT_ALLOC_LIMIT: "1g",
    GIT_PROTOCOL_FROM_USER: "0",
    GIT_AUTHOR_NAME: "Skein",
    GIT_AUTHOR_EMAIL: "skein@localhost",
    GIT_COMMITTER_NAME: "Skein",
    GIT_COMMITTER_EMAIL: "skein@localhost",
  };
}
