const part = encodeURIComponent;

/** What is being written is told to those who look: they see the first words after a moment. */
const watch = (page) => page.waitForTimeout(2000);

/**
 * Every view that has a picture: its name, its address in a seeded store, what is done there before, with `empty` also without any store, and with `inDocs` the name of its picture in the guide. `facts` has the
 * ids of what was seeded.
 */
export const VIEWS = [
  { name: "now", inDocs: "now", address: () => "/", empty: true, act: watch },
  { name: "start", address: () => "/?start=run", empty: true },
  { name: "runs", inDocs: "runs", address: () => "/runs", empty: true },
  { name: "run", inDocs: "run", address: ({ shop, flaky }) => `/w/${part(shop)}/states/${part(flaky)}` },
  { name: "run-failed", address: ({ shop, failed }) => `/w/${part(shop)}/states/${part(failed)}` },
  { name: "run-live", address: ({ live }) => `/runs/${part(live)}`, act: watch },
  { name: "trees", address: () => "/tree", empty: true },
  { name: "tree", address: ({ csv }) => `/w/${part(csv)}/tree` },
  { name: "tree-selected", inDocs: "tree", address: ({ csv, best }) => `/w/${part(csv)}/tree?select=${part(best)}` },
  {
    name: "tree-compared",
    inDocs: "tree-compared",
    address: ({ csv, best, other }) => `/w/${part(csv)}/tree?select=${part(best)}&compare=${part(other)}`,
  },
  {
    name: "files",
    inDocs: "files",
    address: ({ shop, flaky }) => `/w/${part(shop)}/files?state=${part(flaky)}&path=${part("src/checkout.ts")}`,
  },
  { name: "sessions", inDocs: "sessions", address: () => "/sessions", empty: true },
  { name: "session", inDocs: "session", address: ({ session }) => `/sessions/${part(session)}` },
  { name: "teams", address: () => "/team", empty: true },
  { name: "team", address: ({ team }) => `/team/${part(team)}` },
  {
    name: "team-evidence",
    inDocs: "team",
    address: ({ team, sentBack }) => `/team/${part(team)}?select=w${sentBack}`,
  },
  { name: "costs", inDocs: "costs", address: () => "/costs", empty: true },
  { name: "find", address: () => "/runs", act: (page) => page.keyboard.press("Control+k") },
  { name: "keys", address: () => "/runs", act: (page) => page.keyboard.press("?") },
];

/** Finds out the ids of what was seeded, by asking the server. */
export async function findFacts({ get }) {
  const { workspaces } = await get("/api/workspaces");
  const idOf = (name) => workspaces.find(({ path }) => path.endsWith(`/${name}`))?.id;
  const [shop, csv] = [idOf("shop"), idOf("csv-parser")];
  const stateOf = async (workspace, query) => (await get(`/api/workspaces/${workspace}/states?${query}`)).states;
  const { sessions } = await get("/api/sessions?limit=50");
  const { runs } = await get("/api/runs?state=running");
  const rewarded = (await stateOf(csv, "limit=200&order=reward")).map(({ state_id: id }) => id);
  const { teams } = await get("/api/teams");
  const team = teams[0] && (await get(`/api/teams/${teams[0].team}`)).team;
  const facts = {
    team: team?.team,
    sentBack: team?.rounds.findIndex(({ by }) => by === "gates"),
    shop,
    csv,
    flaky: (await stateOf(shop, `text=${part("third run")}`))[0]?.state_id,
    failed: (await stateOf(shop, "outcome=failed"))[0]?.state_id,
    best: (await get(`/api/workspaces/${csv}/states/fastest-so-far`)).state_id,
    other: rewarded[3],
    session: sessions.find(({ project }) => project === "/home/ada/shop")?.session_id,
    live: runs.find(({ directory }) => directory.endsWith("/csv-guide"))?.run,
  };
  const missing = Object.keys(facts).filter((name) => facts[name] === undefined);
  if (missing.length > 0) throw new Error(`the seeded store lacks what views show: ${missing.join(", ")}`);
  return facts;
}
