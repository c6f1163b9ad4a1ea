import { z } from "zod";
import { asData } from "../../../protocol/index.ts";
import { pageFields, pageOf, pageQuery, route } from "../route.ts";
import { stateParameters } from "./state-routes.ts";

const CommitData = z.strictObject({
  commit: z.string().describe("Its id"),
  parents: z.array(z.string()).describe("The commits before it"),
  author: z.string().describe("Who wrote it"),
  authored_at: z.string().describe("When it was written, ISO 8601"),
  subject: z.string().describe("The first line of its message"),
});

export const getLog = route({
  path: "/api/workspaces/{workspace}/states/{state}/log",
  operation: "listCommits",
  summary: "The commits of the user's own repository that led to where it was at a state, the newest first",
  parameters: stateParameters,
  query: z.strictObject(pageQuery),
  data: z.strictObject({
    commits: z
      .array(CommitData)
      .describe("The commits; none where the state has no repository, or that has lost them since"),
    ...pageFields,
  }),
  async answer({ workspace: id, state, limit, offset }, { workspaces }) {
    const found = await workspaces.use(id, ({ workspace }) => workspace.log(state, { limit: limit + 1, offset }));
    const { items, next_offset } = pageOf(found, { limit, offset });
    return { commits: items.map((commit) => asData(CommitData, commit)), next_offset };
  },
});
