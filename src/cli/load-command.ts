import type { TerminalCommand } from "./define-command.ts";

type Loaders = Readonly<Record<string, () => Promise<object>>>;

/** Where every command is, below its heading and in the order in which the help lists them: for people first, for programs last. Only the one that was typed is loaded. */
const LOADERS: Readonly<Record<string, Loaders>> = {
  "To begin:": {
    init: () => import("./commands/setup/init.ts"),
    demo: () => import("./commands/agents/demo.ts"),
    doctor: () => import("./commands/reports/reports.ts"),
  },
  "Every day:": {
    run: () => import("./commands/agents/run.ts"),
    status: () => import("./commands/states/status.ts"),
    log: () => import("./commands/states/log-tree.ts"),
    show: () => import("./commands/states/show.ts"),
    diff: () => import("./commands/states/diff-compare.ts"),
    undo: () => import("./commands/states/restore-recover.ts"),
    checkpoint: () => import("./commands/states/checkpoint-branch.ts"),
    restore: () => import("./commands/states/restore-recover.ts"),
    branch: () => import("./commands/states/checkpoint-branch.ts"),
    recover: () => import("./commands/states/restore-recover.ts"),
  },
  "Several ways at once:": {
    explore: () => import("./commands/agents/explore.ts"),
    team: () => import("./commands/agents/team.ts"),
    tree: () => import("./commands/states/log-tree.ts"),
    compare: () => import("./commands/states/diff-compare.ts"),
    adopt: () => import("./commands/states/restore-recover.ts"),
  },
  "Sessions:": {
    sessions: () => import("./commands/transcripts/sessions-search.ts"),
    session: () => import("./commands/transcripts/session.ts"),
    search: () => import("./commands/transcripts/sessions-search.ts"),
    index: () => import("./commands/transcripts/index-archive.ts"),
    stats: () => import("./commands/transcripts/stats-watch.ts"),
    watch: () => import("./commands/transcripts/stats-watch.ts"),
    archive: () => import("./commands/transcripts/index-archive.ts"),
    serve: () => import("./commands/servers/serve.ts"),
  },
  "Settings and records:": {
    trust: () => import("./commands/agents/trust.ts"),
    config: () => import("./commands/agents/config.ts"),
    "alerts test": () => import("./commands/servers/alerts-test.ts"),
    push: () => import("./commands/store/transfer.ts"),
    pull: () => import("./commands/store/transfer.ts"),
    save: () => import("./commands/store/transfer.ts"),
    load: () => import("./commands/store/transfer.ts"),
    verify: () => import("./commands/store/upkeep.ts"),
    gc: () => import("./commands/store/upkeep.ts"),
    reindex: () => import("./commands/store/upkeep.ts"),
    relink: () => import("./commands/store/upkeep.ts"),
    completion: () => import("./commands/setup/completion.ts"),
    man: () => import("./commands/setup/man.ts"),
  },
  "For programs:": {
    "list-sessions": () => import("./commands/programs/recorded-sessions.ts"),
    "load-session": () => import("./commands/programs/recorded-sessions.ts"),
    "delete-session": () => import("./commands/programs/recorded-sessions.ts"),
    "flush-transcript": () => import("./commands/programs/recorded-sessions.ts"),
    "turn-loop": () => import("./commands/programs/turn-loop.ts"),
    bootstrap: () => import("./commands/programs/bootstrap.ts"),
    "bootstrap-graph": () => import("./commands/programs/bootstrap.ts"),
    commands: () => import("./commands/catalogue/offer.ts"),
    "show-command": () => import("./commands/catalogue/offer.ts"),
    "exec-command": () => import("./commands/catalogue/exec.ts"),
    tools: () => import("./commands/catalogue/offer.ts"),
    "show-tool": () => import("./commands/catalogue/offer.ts"),
    "exec-tool": () => import("./commands/catalogue/exec.ts"),
    route: () => import("./commands/catalogue/offer.ts"),
    "tool-pool": () => import("./commands/catalogue/offer.ts"),
    "command-graph": () => import("./commands/catalogue/offer.ts"),
  },
  "Reports:": {
    summary: () => import("./commands/reports/reports.ts"),
    manifest: () => import("./commands/reports/reports.ts"),
    "setup-report": () => import("./commands/reports/reports.ts"),
    subsystems: () => import("./commands/reports/reports.ts"),
    "parity-audit": () => import("./commands/reports/reports.ts"),
  },
  "Other machines:": {
    "ssh-mode": () => import("./commands/elsewhere/ssh-mode.ts"),
    "teleport-mode": () => import("./commands/elsewhere/teleport-mode.ts"),
    "deep-link-mode": () => import("./commands/elsewhere/deep-link-mode.ts"),
    "remote-mode": () => import("./commands/elsewhere/remote-mode.ts"),
    "direct-connect-mode": () => import("./commands/elsewhere/direct-connect-mode.ts"),
  },
  "Protocols:": {
    schema: () => import("./commands/servers/protocols.ts"),
    "offline serve": () => import("./commands/servers/offline-serve.ts"),
    rpc: () => import("./commands/servers/protocols.ts"),
    mcp: () => import("./commands/servers/protocols.ts"),
  },
};

export const COMMAND_NAMES: readonly string[] = Object.values(LOADERS).flatMap((group) => Object.keys(group));

/** Loads a command by its name: `offline serve` is exported as `offlineServe`. */
export async function loadCommand(name: string): Promise<TerminalCommand> {
  const [heading, group] = Object.entries(LOADERS).find(([, loaders]) => Object.hasOwn(loaders, name)) ?? [];
  const exported = name.replaceAll(/[ -](\w)/gu, (_, letter: string) => letter.toUpperCase());
  const loaded = (await group?.[name]?.()) as Readonly<Record<string, TerminalCommand>> | undefined;
  const command = loaded?.[exported];
  if (!command) throw new Error(`There is no command ${name}`);
  return heading === undefined ? command : { ...command, heading };
}
