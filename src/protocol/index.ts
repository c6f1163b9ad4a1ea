export { ALL_TOOLS_AT_ONCE, offlineInFolder } from "./offer/folder-settings.ts";
export { type AgentOffer, type TrustedSettings, askOffer } from "./offer/agent-offer.ts";
export type { CallContext, Command, CommandTable, ListedCommand } from "./command/command.ts";
export { Check, runChecks } from "./report/doctor-checks.ts";
export { type DeepLink, formatDeepLink, parseDeepLink } from "./elsewhere/deep-link.ts";
export {
  ENVELOPE_VERSIONS,
  type EnvelopeSource,
  type EnvelopeVersion,
  type ExitCode,
  OUTPUT_FORMATS,
  type OutputFormat,
  errorEnvelope,
  exitCodeOf,
  successEnvelope,
} from "./command/envelope.ts";
export { type Flag, flagsOf, toWords } from "./command/flags.ts";
export { OfferedCommand } from "./offer/offered-command.ts";
export { OfferedTool } from "./offer/offered-tool.ts";
export { ParitySection, findParity } from "./report/parity-data.ts";
export { RouteMatch, rankOffer } from "./offer/rank-offer.ts";
export { SDK_PACKAGE, readSdkTypes } from "./report/sdk-types.ts";
export { SetUp, describeSetUp } from "./report/set-up.ts";
export { Stage, type StageClock, type StageToDo, createStageClock } from "./report/stage-clock.ts";
export { SubsystemData, findSubsystems } from "./report/subsystem-data.ts";
export { ToolPoolData, findRuledOut, toToolPool } from "./offer/tool-pool-data.ts";
export { checkCame, fetchConversation, preparePlace, sendState } from "./elsewhere/ssh-exchange.ts";
export { confine } from "./command/confinement.ts";
export { describeCommand } from "./command/describe-command.ts";
export { errorSchema } from "./command/envelope-schema.ts";
export { excludedBy, toolRuleFlags } from "./offer/tool-rules.ts";
export { findBounds } from "./mcp/mcp-bounds.ts";
export { findCommand, findTool } from "./offer/find-offered.ts";
export { installedVersion, readOwnPackage } from "./report/package-facts.ts";
export { matchNames } from "./offer/match-names.ts";
export { noMonitor } from "./elsewhere/no-monitor.ts";
export { parseArgs, usageError } from "./command/parse-args.ts";
export { powerFlags } from "./mcp/mcp-powers.ts";
export { runRemoteTurn } from "./elsewhere/remote-turn.ts";
export { serveMcp } from "./mcp/serve-mcp.ts";
export { serveRpc } from "./rpc/serve-rpc.ts";
export { shellWord } from "./elsewhere/shell-word.ts";
export { sshTarget } from "./elsewhere/ssh-target.ts";
export { toWire } from "./command/wire-keys.ts";
