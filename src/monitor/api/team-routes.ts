import { z } from "zod";
import { findTeams, readTeam, type TeamPlace } from "../teams/read-team.ts";
import { TeamData, TeamSummaryData, toTeamData, toTeamSummary } from "../teams/team-data.ts";
import { RunData, toRunData } from "../runs/run-data.ts";
import { agentFields, placeOf, requireAllowed, teamFields, teamLimits, toFlags } from "./launch-body.ts";
import { notFound } from "./not-found.ts";
import { pageFields, pageOf, pageQuery, route, type ApiContext } from "./route.ts";

export const listTeams = route({
  path: "/api/teams",
  operation: "listTeams",
  summary: "Managers with their workers, of all workspaces, newest first",
  query: z.strictObject({
    ...pageQuery,
    workspace: z.string().optional().describe("Only teams of the workspace with this path"),
  }),
  data: z.strictObject({ teams: z.array(TeamSummaryData).describe("The teams"), ...pageFields }),
  async answer({ limit, offset, workspace }, context) {
    const found = (await findTeams(context)).filter(({ store }) => (workspace ?? store.workspace) === store.workspace);
    const { items, next_offset } = pageOf(found.slice(offset, offset + limit + 1), { limit, offset });
    // One whose journal cannot be read, by a newer version's or by damage, hides no other.
    const teams = await Promise.all(items.map(async (place) => await readTeam(place, context).catch(() => undefined)));
    return { teams: teams.flatMap((team) => (team ? [toTeamSummary(team)] : [])), next_offset };
  },
});

const parameters = z.strictObject({ team: z.uuid().describe("The team's id") });

export const getTeam = route({
  path: "/api/teams/{team}",
  operation: "getTeam",
  summary: "A team: its plan, what workers and the manager did, what was handed over, and how well it works together",
  parameters,
  data: z.strictObject({ team: TeamData.describe("The team") }),
  async answer({ team: id }, context) {
    const team = await readTeam(await placeOfTeam(id, context), context);
    if (!team) throw notFound("team", id);
    return { team: toTeamData(team) };
  },
});

async function placeOfTeam(id: string, context: ApiContext): Promise<TeamPlace> {
  const place = (await findTeams(context)).find((each) => each.id === id);
  if (!place) throw notFound("team", id);
  return place;
}

const Started = z.strictObject({
  run: RunData.describe("The team's run, which has just begun: `team` names the team"),
});

const { workspace: _workspace, directory: _directory, ...agent } = agentFields;

export const startTeam = route({
  method: "POST",
  path: "/api/teams",
  operation: "startTeam",
  summary: "Has a manager plan a goal and workers do it, in a process of its own",
  body: z.strictObject({ ...agentFields, ...teamFields, ...teamLimits }),
  mostBodyBytes: 2 * 1024 ** 2,
  data: Started,
  async answer({ body: { workspace, directory, goal, ...flags } }, context) {
    requireAllowed(context, "permission_mode", flags.permission_mode === "bypassPermissions");
    requireAllowed(context, "ask", flags.ask === "remote");
    requireAllowed(context, "gate", flags.gate.length > 0);
    const cwd = await placeOf({ workspace, directory }, context);
    const order = { command: "team", flags: toFlags({ cwd, ...flags }), input: goal, attachments: [] };
    return { run: toRunData(await context.launches.start(order, "team")) };
  },
});

export const resumeTeam = route({
  method: "POST",
  path: "/api/teams/{team}/resume",
  operation: "resumeTeam",
  summary: "Has a team go on that was cut off or did not come to its end, in a process of its own",
  parameters,
  body: z.strictObject({ ...agent, ...teamLimits }),
  data: Started,
  async answer({ team: id, body: flags }, context) {
    requireAllowed(context, "permission_mode", flags.permission_mode === "bypassPermissions");
    requireAllowed(context, "ask", flags.ask === "remote");
    const { store } = await placeOfTeam(id, context);
    const cwd = await placeOf({ directory: store.workspace }, context);
    const order = { command: "team", flags: toFlags({ cwd, resume: id, ...flags }), input: undefined, attachments: [] };
    return { run: toRunData(await context.launches.start(order, "team")) };
  },
});

export const TEAM_ROUTES = [listTeams, getTeam, startTeam, resumeTeam] as const;
