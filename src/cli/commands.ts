import { adopt } from "./commands/adopt.ts";
import { bootstrapGraph } from "./commands/bootstrap-graph.ts";
import { bootstrap } from "./commands/bootstrap.ts";
import { branch } from "./commands/branch.ts";
import { checkpoint } from "./commands/checkpoint.ts";
import { commandGraph } from "./commands/command-graph.ts";
import { commands } from "./commands/commands.ts";
import { compare } from "./commands/compare.ts";
import { deepLinkMode } from "./commands/deep-link-mode.ts";
import { deleteSession } from "./commands/delete-session.ts";
import { demo } from "./commands/demo.ts";
import { diff } from "./commands/diff.ts";
import { directConnectMode } from "./commands/direct-connect-mode.ts";
import { doctor } from "./commands/doctor.ts";
import { execCommand } from "./commands/exec-command.ts";
import { execTool } from "./commands/exec-tool.ts";
import { explore } from "./commands/explore.ts";
import { flushTranscript } from "./commands/flush-transcript.ts";
import { gc } from "./commands/gc.ts";
import { listSessions } from "./commands/list-sessions.ts";
import { loadSession } from "./commands/load-session.ts";
import { load } from "./commands/load.ts";
import { log } from "./commands/log.ts";
import { manifest } from "./commands/manifest.ts";
import { mcp } from "./commands/mcp.ts";
import { offlineServe } from "./commands/offline-serve.ts";
import { parityAudit } from "./commands/parity-audit.ts";
import { pull } from "./commands/pull.ts";
import { push } from "./commands/push.ts";
import { recover } from "./commands/recover.ts";
import { reindex } from "./commands/reindex.ts";
import { relink } from "./commands/relink.ts";
import { remoteMode } from "./commands/remote-mode.ts";
import { restore } from "./commands/restore.ts";
import { route } from "./commands/route.ts";
import { rpc } from "./commands/rpc.ts";
import { run } from "./commands/run.ts";
import { save } from "./commands/save.ts";
import { schema } from "./commands/schema.ts";
import { search } from "./commands/search.ts";
import { session } from "./commands/session.ts";
import { sessions } from "./commands/sessions.ts";
import { setupReport } from "./commands/setup-report.ts";
import { showCommand } from "./commands/show-command.ts";
import { showTool } from "./commands/show-tool.ts";
import { show } from "./commands/show.ts";
import { sshMode } from "./commands/ssh-mode.ts";
import { stats } from "./commands/stats.ts";
import { status } from "./commands/status.ts";
import { subsystems } from "./commands/subsystems.ts";
import { summary } from "./commands/summary.ts";
import { teleportMode } from "./commands/teleport-mode.ts";
import { toolPool } from "./commands/tool-pool.ts";
import { tools } from "./commands/tools.ts";
import { tree } from "./commands/tree.ts";
import { trust } from "./commands/trust.ts";
import { turnLoop } from "./commands/turn-loop.ts";
import { undo } from "./commands/undo.ts";
import { verify } from "./commands/verify.ts";
import { watch } from "./commands/watch.ts";
import type { TerminalCommand } from "./define-command.ts";

/** Every command there is, in the order in which the help lists them. */
export const COMMANDS: readonly TerminalCommand[] = [
  // Agents.
  run,
  explore,
  demo,
  // Recorded states.
  status,
  log,
  tree,
  show,
  diff,
  compare,
  checkpoint,
  restore,
  adopt,
  undo,
  branch,
  recover,
  // The store.
  push,
  pull,
  save,
  load,
  verify,
  gc,
  reindex,
  relink,
  // Transcripts.
  sessions,
  session,
  search,
  stats,
  watch,
  // For programs.
  listSessions,
  loadSession,
  deleteSession,
  flushTranscript,
  turnLoop,
  bootstrap,
  bootstrapGraph,
  commands,
  showCommand,
  execCommand,
  tools,
  showTool,
  execTool,
  route,
  toolPool,
  commandGraph,
  // Reports.
  summary,
  manifest,
  setupReport,
  subsystems,
  parityAudit,
  // Elsewhere.
  sshMode,
  teleportMode,
  deepLinkMode,
  remoteMode,
  directConnectMode,
  // Others.
  doctor,
  trust,
  schema,
  offlineServe,
  rpc,
  mcp,
];
