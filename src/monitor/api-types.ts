import type { z } from "zod";
import type { listAlerts, listLimits } from "./api/alert-routes.ts";
import type { listAllConversations, listAllStates, listRecordedSearches } from "./api/workspaces/all-state-routes.ts";
import type { createBranch, previewUndo } from "./api/workspaces/arrival-routes.ts";
import type { health, processes } from "./api/general-routes.ts";
import type { getRunResult, startRun, startSearch } from "./api/launch-routes.ts";
import type { agentMetrics, heatmap, metrics, metricsSeries } from "./api/metrics-routes.ts";
import type { answerQuestion, listQuestions } from "./api/question-routes.ts";
import type { getRun, getRunEvents, listRuns } from "./api/run-routes.ts";
import type { importSession, setSessionFlags } from "./api/sessions/session-change-routes.ts";
import type { getSessionMessages, listSubagents } from "./api/sessions/session-message-routes.ts";
import type { getTeam, listTeams, resumeTeam, startTeam } from "./api/team-routes.ts";
import type { getUsage } from "./api/sessions/usage-routes.ts";
import type { getSession, listProjects, listSessions, searchSessions } from "./api/sessions/session-routes.ts";
import type { getSuggestions } from "./api/workspaces/suggestion-routes.ts";
import type { listFolder } from "./api/workspaces/folder-routes.ts";
import type { getLog } from "./api/workspaces/log-routes.ts";
import type { getDiff, getFile, getMessages, getState, listFiles, markState } from "./api/workspaces/state-routes.ts";
import type {
  getTree,
  getWorkspace,
  listConversations,
  listStates,
  listWorkspaces,
} from "./api/workspaces/workspace-routes.ts";

// What the server's addresses take and answer, as types: the dashboard is written against these and imports nothing else of the server.
export type { AlertData } from "./alerts/alert-data.ts";
export type { StateData } from "./api/workspaces/state-data.ts";
export type { MetricsData } from "./metrics/metrics-data.ts";
export type { QuestionData } from "./runs/question-data.ts";
export type { RunData } from "./runs/run-data.ts";
export type { ClientMessage, ServerMessage } from "./stream/messages.ts";
export type { ErrorData } from "../protocol/index.ts";

type Answer<Route extends { readonly data: z.ZodObject }> = z.infer<Route["data"]>;
type Query<Route extends { readonly query: z.ZodObject }> = z.input<Route["query"]>;
type Body<Route extends { readonly body: z.ZodObject | undefined }> = z.input<NonNullable<Route["body"]>>;

export type Health = Answer<typeof health>;
export type ProcessList = Answer<typeof processes>;
export type AlertList = Answer<typeof listAlerts>;
export type LimitList = Answer<typeof listLimits>;

export type RunQuery = Query<typeof listRuns>;
export type RunList = Answer<typeof listRuns>;
export type RunAnswer = Answer<typeof getRun>;
export type RunEvents = Answer<typeof getRunEvents>;
export type RunResult = Answer<typeof getRunResult>;
export type StartRun = Body<typeof startRun>;
export type StartSearch = Body<typeof startSearch>;
export type TeamQuery = Query<typeof listTeams>;
export type TeamList = Answer<typeof listTeams>;
export type TeamAnswer = Answer<typeof getTeam>;
export type StartTeam = Body<typeof startTeam>;
export type ResumeTeam = Body<typeof resumeTeam>;
export type QuestionList = Answer<typeof listQuestions>;
export type QuestionAnswer = Body<typeof answerQuestion>;

export type AllStatesQuery = Query<typeof listAllStates>;
export type AllStates = Answer<typeof listAllStates>;
export type AllConversations = Answer<typeof listAllConversations>;
export type RecordedSearches = Answer<typeof listRecordedSearches>;
export type WorkspaceList = Answer<typeof listWorkspaces>;
export type WorkspaceData = Answer<typeof getWorkspace>;
export type ConversationList = Answer<typeof listConversations>;
export type StateQuery = Query<typeof listStates>;
export type StateList = Answer<typeof listStates>;
export type TreeData = Answer<typeof getTree>;
export type StateDetail = Answer<typeof getState>;
export type StateMark = Body<typeof markState>;
export type StateMessages = Answer<typeof getMessages>;
export type DiffData = Answer<typeof getDiff>;
export type FileList = Answer<typeof listFiles>;
export type FileContent = Answer<typeof getFile>;
export type SuggestionQuery = Query<typeof getSuggestions>;
export type SuggestionList = Answer<typeof getSuggestions>;
export type FolderList = Answer<typeof listFolder>;
export type CommitList = Answer<typeof getLog>;
export type ArrivalData = Answer<typeof previewUndo>;
export type BranchData = Answer<typeof createBranch>;

export type SessionQuery = Query<typeof listSessions>;
export type SessionList = Answer<typeof listSessions>;
export type SessionDetail = Answer<typeof getSession>;
export type SessionMessages = Answer<typeof getSessionMessages>;
export type SubagentList = Answer<typeof listSubagents>;
export type SessionFlagsBody = Body<typeof setSessionFlags>;
export type SessionFlagsAnswer = Answer<typeof setSessionFlags>;
export type ImportBody = Body<typeof importSession>;
export type ImportAnswer = Answer<typeof importSession>;
export type ProjectList = Answer<typeof listProjects>;
export type SearchHits = Answer<typeof searchSessions>;

export type MetricsQuery = Query<typeof metrics>;
export type MetricsAnswer = Answer<typeof metrics>;
export type SeriesQuery = Query<typeof metricsSeries>;
export type MetricsSeries = Answer<typeof metricsSeries>;
export type AgentMetrics = Answer<typeof agentMetrics>;
export type HeatmapQuery = Query<typeof heatmap>;
export type Heatmap = Answer<typeof heatmap>;
export type UsageQuery = Query<typeof getUsage>;
export type UsageAnswer = Answer<typeof getUsage>;
