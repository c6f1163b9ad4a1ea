export {
  ALL_TOOLS_AT_ONCE,
  offlineInFolder,
  type AgentOffer,
  type TrustedSettings,
  askOffer,
} from "./offer/agent-offer.ts";
export type { CallContext, Command, CommandTable, ConfigureCall, ListedCommand } from "./command/command.ts";
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
  ErrorData,
  errorFromData,
  toErrorData,
} from "./command/envelope.ts";
export {
  type Flag,
  flagsOf,
  toWords,
  CommandDescription,
  describeCommand,
  describeTurnEvents,
  listCommand,
} from "./command/describe-command.ts";
export { listFields } from "./command/list-fields.ts";
export { ErrorDetails } from "./command/error-details.ts";
export { OfferedCommand, OfferedTool, findCommand, findTool } from "./offer/offered.ts";
export { KNOWN_TOOLS, ParitySection, SDK_PACKAGE, findParity, readSdkTypes } from "./report/parity.ts";
export { RouteMatch, rankOffer, matchedNames, matchNames } from "./offer/rank-offer.ts";
export { SetUp, describeSetUp } from "./report/set-up.ts";
export { SubsystemData, findSubsystems, installedVersion, readOwnPackage } from "./report/package-facts.ts";
export { ToolPoolData, findRuledOut, toToolPool, excludedBy, toolRuleFlags } from "./offer/tool-pool.ts";
export { confine } from "./command/confinement.ts";
export { receiveConversation } from "./elsewhere/teleport.ts";
export { completeCall } from "./command/complete-call.ts";
export { ownFlag } from "./command/own-word.ts";
export { parseArgs, usageError } from "./command/parse-args.ts";
export { powerFlags } from "./mcp/mcp-tools.ts";
export { runRemoteTurn } from "./elsewhere/remote-turn.ts";
export { serveMcp } from "./mcp/serve-mcp.ts";
export { serveRpc } from "./rpc/serve-rpc.ts";
export { checkCame, fetchConversation, preparePlace, sendState, shellWord, sshTarget } from "./elsewhere/ssh-place.ts";
export { asData, fromWire, type Recorded, toWire } from "./command/wire-keys.ts";
export { speakError, speakEvent } from "./command/speak-options.ts";
export { FilesData, isAboutFile, shownPath, toFilesData } from "./changes/files-data.ts";
export { gitLeftOut, GitLeftOutData, LeftOutData, UnheldData } from "./changes/left-out-data.ts";
export { RestoreData, toRestoreData } from "./changes/restore-data.ts";
export { ToolCallData } from "./changes/tool-call-data.ts";
