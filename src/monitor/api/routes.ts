import { ADOPT_ROUTES, createBranch, previewUndo, RESTORE_ROUTES, undo } from "./workspaces/arrival-routes.ts";
import { listAllConversations, listAllStates, listRecordedSearches } from "./workspaces/all-state-routes.ts";
import { listAlerts, listLimits } from "./alert-routes.ts";
import { removeCheckpoint, setCheckpoint } from "./workspaces/checkpoint-routes.ts";
import { changeRun, interruptRun } from "./control-routes.ts";
import { health, processes } from "./general-routes.ts";
import { getRunResult, startRun, startSearch } from "./launch-routes.ts";
import { agentMetrics, heatmap, metrics, metricsSeries } from "./metrics-routes.ts";
import { answerQuestion, listQuestions } from "./question-routes.ts";
import type { Route } from "./route.ts";
import { getRun, getRunEvents, listRuns, listSearches } from "./run-routes.ts";
import { importSession, setSessionFlags } from "./sessions/session-change-routes.ts";
import { getSessionMessages, listSubagents } from "./sessions/session-message-routes.ts";
import { TEAM_ROUTES } from "./team-routes.ts";
import { getUsage } from "./sessions/usage-routes.ts";
import { getSession, listProjects, listSessions, searchSessions } from "./sessions/session-routes.ts";
import { getSuggestions } from "./workspaces/suggestion-routes.ts";
import { listFolder } from "./workspaces/folder-routes.ts";
import { getLog } from "./workspaces/log-routes.ts";
import { getDiff, getFile, getMessages, getState, listFiles, markState } from "./workspaces/state-routes.ts";
import { getTree, getWorkspace, listConversations, listStates, listWorkspaces } from "./workspaces/workspace-routes.ts";

/** Everything that can be asked, in the order in which its description lists it. */
export const ROUTES: readonly Route[] = [
  health,
  processes,
  metrics,
  metricsSeries,
  agentMetrics,
  heatmap,
  listAlerts,
  listLimits,
  listRuns,
  getRun,
  getRunEvents,
  getRunResult,
  listSearches,
  startRun,
  startSearch,
  ...TEAM_ROUTES,
  interruptRun,
  changeRun,
  listQuestions,
  answerQuestion,
  listAllStates,
  listAllConversations,
  listRecordedSearches,
  listWorkspaces,
  getWorkspace,
  listConversations,
  listStates,
  getTree,
  getSuggestions,
  getState,
  getMessages,
  getDiff,
  listFiles,
  listFolder,
  getFile,
  getLog,
  markState,
  setCheckpoint,
  removeCheckpoint,
  ...RESTORE_ROUTES,
  ...ADOPT_ROUTES,
  previewUndo,
  undo,
  createBranch,
  listSessions,
  getSession,
  getSessionMessages,
  listSubagents,
  setSessionFlags,
  importSession,
  listProjects,
  getUsage,
  searchSessions,
];
