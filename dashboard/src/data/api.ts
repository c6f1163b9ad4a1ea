import type * as Api from "../../../src/monitor/api-types.ts";
import { path, read, send, type QueryValue } from "./ask.ts";

type Signal = AbortSignal | undefined;

const asQuery = (query: object): Readonly<Record<string, QueryValue>> => query as Readonly<Record<string, QueryValue>>;

/** Every address of the server that the page uses, with what it takes and answers. */
export const api = {
  health: (signal?: Signal) => read<Api.Health>("/api/health", { signal }),
  processes: (signal?: Signal) => read<Api.ProcessList>("/api/processes", { signal }),
  alerts: (signal?: Signal) => read<Api.AlertList>("/api/alerts", { signal }),

  runs: (query: Api.RunQuery, signal?: Signal) => read<Api.RunList>("/api/runs", { query: asQuery(query), signal }),
  run: (run: string, signal?: Signal) => read<Api.RunAnswer>(path`/api/runs/${run}`, { signal }),
  runEvents: (run: string, query: { readonly after?: number; readonly limit?: number }, signal?: Signal) =>
    read<Api.RunEvents>(path`/api/runs/${run}/events`, { query, signal }),
  runResult: (run: string, query: { readonly wait?: number }, signal?: Signal) =>
    read<Api.RunResult>(path`/api/runs/${run}/result`, { query, signal }),
  startRun: (body: Api.StartRun) => send<Api.RunAnswer>("POST", "/api/runs", body),
  startSearch: (body: Api.StartSearch) => send<Api.RunAnswer>("POST", "/api/searches", body),
  teams: (query: Api.TeamQuery, signal?: Signal) => read<Api.TeamList>("/api/teams", { query: asQuery(query), signal }),
  team: (team: string, signal?: Signal) => read<Api.TeamAnswer>(path`/api/teams/${team}`, { signal }),
  startTeam: (body: Api.StartTeam) => send<Api.RunAnswer>("POST", "/api/teams", body),
  resumeTeam: (team: string, body: Api.ResumeTeam) =>
    send<Api.RunAnswer>("POST", path`/api/teams/${team}/resume`, body),
  interruptRun: (run: string) => send<{ run: string }>("POST", path`/api/runs/${run}/interrupt`, {}),
  changeRun: (run: string, body: { readonly model?: string; readonly permission_mode?: string }) =>
    send<{ run: string }>("POST", path`/api/runs/${run}/settings`, body),

  questions: (signal?: Signal) => read<Api.QuestionList>("/api/questions", { signal }),
  answer: (question: string, body: Api.QuestionAnswer) =>
    send<{ question_id: string; run: string }>("POST", path`/api/questions/${question}/answer`, body),

  allStates: (query: Api.AllStatesQuery, signal?: Signal) =>
    read<Api.AllStates>("/api/states", { query: asQuery(query), signal }),
  allConversations: (
    query: { readonly limit?: number; readonly offset?: number; readonly workspaces?: string },
    signal?: Signal,
  ) => read<Api.AllConversations>("/api/conversations", { query, signal }),
  recordedSearches: (query: { readonly limit?: number; readonly offset?: number }, signal?: Signal) =>
    read<Api.RecordedSearches>("/api/states/searches", { query, signal }),
  workspaces: (signal?: Signal) => read<Api.WorkspaceList>("/api/workspaces", { signal }),
  workspace: (id: string, signal?: Signal) => read<Api.WorkspaceData>(path`/api/workspaces/${id}`, { signal }),
  conversations: (id: string, query: { readonly limit?: number; readonly offset?: number } = {}, signal?: Signal) =>
    read<Api.ConversationList>(path`/api/workspaces/${id}/conversations`, { query, signal }),
  states: (id: string, query: Api.StateQuery, signal?: Signal) =>
    read<Api.StateList>(path`/api/workspaces/${id}/states`, { query: asQuery(query), signal }),
  tree: (id: string, signal?: Signal) => read<Api.TreeData>(path`/api/workspaces/${id}/tree`, { signal }),
  state: (id: string, state: string, signal?: Signal) =>
    read<Api.StateDetail>(path`/api/workspaces/${id}/states/${state}`, { signal }),
  messages: (id: string, state: string, signal?: Signal) =>
    read<Api.StateMessages>(path`/api/workspaces/${id}/states/${state}/messages`, { signal }),
  diff: (id: string, state: string, query: { readonly from?: string; readonly path?: string } = {}, signal?: Signal) =>
    read<Api.DiffData>(path`/api/workspaces/${id}/states/${state}/diff`, { query, signal }),
  files: (
    id: string,
    state: string,
    query: { readonly after?: string; readonly limit?: number } = {},
    signal?: Signal,
  ) => read<Api.FileList>(path`/api/workspaces/${id}/states/${state}/files`, { query, signal }),
  file: (id: string, state: string, file: string, signal?: Signal) =>
    read<Api.FileContent>(path`/api/workspaces/${id}/states/${state}/file`, { query: { path: file }, signal }),
  folder: (id: string, state: string, query: { readonly under?: string } = {}, signal?: Signal) =>
    read<Api.FolderList>(path`/api/workspaces/${id}/states/${state}/folder`, { query, signal }),
  suggestions: (id: string, query: Api.SuggestionQuery, signal?: Signal) =>
    read<Api.SuggestionList>(path`/api/workspaces/${id}/suggestions`, { query: asQuery(query), signal }),
  log: (
    id: string,
    state: string,
    query: { readonly limit?: number; readonly offset?: number } = {},
    signal?: Signal,
  ) => read<Api.CommitList>(path`/api/workspaces/${id}/states/${state}/log`, { query, signal }),
  mark: (id: string, state: string, body: Api.StateMark) =>
    send<{ state_id: string }>("PUT", path`/api/workspaces/${id}/states/${state}/mark`, body),

  setCheckpoint: (id: string, name: string, body: { readonly state?: string; readonly replace?: boolean }) =>
    send<object>("PUT", path`/api/workspaces/${id}/checkpoints/${name}`, body),
  removeCheckpoint: (id: string, name: string) =>
    send<object>("DELETE", path`/api/workspaces/${id}/checkpoints/${name}`),
  previewArrival: (id: string, how: "restore" | "adopt", state: string, signal?: Signal) =>
    read<Api.ArrivalData>(path`/api/workspaces/${id}/${how}`, { query: { state }, signal }),
  arrive: (
    id: string,
    how: "restore" | "adopt",
    body: { readonly state: string; readonly replace_unrecorded?: boolean },
  ) => send<Api.ArrivalData>("POST", path`/api/workspaces/${id}/${how}`, body),
  previewUndo: (id: string, query: { readonly on_conflict?: string } = {}, signal?: Signal) =>
    read<Api.ArrivalData>(path`/api/workspaces/${id}/undo`, { query, signal }),
  undo: (id: string, body: { readonly on_conflict?: string }) =>
    send<Api.ArrivalData>("POST", path`/api/workspaces/${id}/undo`, body),
  branch: (id: string, state: string) => send<Api.BranchData>("POST", path`/api/workspaces/${id}/branches`, { state }),

  sessions: (query: Api.SessionQuery, signal?: Signal) =>
    read<Api.SessionList>("/api/sessions", { query: asQuery(query), signal }),
  session: (id: string, signal?: Signal) => read<Api.SessionDetail>(path`/api/sessions/${id}`, { signal }),
  sessionMessages: (
    id: string,
    query: {
      readonly limit?: number;
      readonly before?: number;
      readonly after?: number;
      readonly agent?: string;
      readonly whole?: boolean;
    },
    signal?: Signal,
  ) => read<Api.SessionMessages>(path`/api/sessions/${id}/messages`, { query, signal }),
  subagents: (id: string, signal?: Signal) => read<Api.SubagentList>(path`/api/sessions/${id}/subagents`, { signal }),
  setSessionFlags: (id: string, body: Api.SessionFlagsBody) =>
    send<Api.SessionFlagsAnswer>("PUT", path`/api/sessions/${id}/flags`, body),
  importSession: (id: string, body: Api.ImportBody) =>
    send<Api.ImportAnswer>("POST", path`/api/sessions/${id}/import`, body),
  projects: (signal?: Signal) => read<Api.ProjectList>("/api/projects", { signal }),
  sessionPage: (id: string) => path`/api/sessions/${id}/page.html`,
  statePage: (id: string, state: string) => path`/api/workspaces/${id}/states/${state}/page.html`,
  search: (
    query: {
      readonly words: string;
      readonly session?: string | undefined;
      readonly project?: string | undefined;
      readonly limit?: number;
      readonly offset?: number;
    },
    signal?: Signal,
  ) => read<Api.SearchHits>("/api/search", { query, signal }),

  limits: (signal?: Signal) => read<Api.LimitList>("/api/limits", { signal }),
  agentMetrics: (query: Api.SeriesQuery, signal?: Signal) =>
    read<Api.AgentMetrics>("/api/metrics/agents", { query: asQuery(query), signal }),
  heatmap: (query: Api.HeatmapQuery, signal?: Signal) =>
    read<Api.Heatmap>("/api/metrics/heatmap", { query: asQuery(query), signal }),
  usage: (query: Api.UsageQuery, signal?: Signal) =>
    read<Api.UsageAnswer>("/api/usage", { query: asQuery(query), signal }),
  metrics: (query: Api.MetricsQuery, signal?: Signal) =>
    read<Api.MetricsAnswer>("/api/metrics", { query: asQuery(query), signal }),
  series: (query: Api.SeriesQuery, signal?: Signal) =>
    read<Api.MetricsSeries>("/api/metrics/series", { query: asQuery(query), signal }),
} as const;
