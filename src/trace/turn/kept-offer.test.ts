import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bash } from "../../../test/support/direct-script.ts";
import { startTracedAgent, type TracedAgent } from "../../../test/support/traced-agent.ts";
import { Conversation } from "../conversation/conversation.ts";
import { keepOffer, readOffer } from "./kept-offer.ts";

let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "skein-offer-"));
});

afterEach(() => rm(home, { recursive: true, force: true }));

describe("what the CLI offers", () => {
  let traced: TracedAgent;
  beforeAll(async () => {
    traced = await startTracedAgent();
  });
  afterAll(() => traced.close());

  it("is kept when a turn begins, for its owner alone", async () => {
    const workspace = await traced.workspace();
    await using conversation = await Conversation.start(workspace, { engine: traced.agent.engine });
    await conversation.send(bash("echo done"));
    const offer = readOffer(workspace.home);
    expect(offer?.tools).toContain("Bash");
    expect(offer?.commands).toContain("compact");
    expect(offer?.agents).toContain("general-purpose");
    expect((await stat(join(workspace.home, "offer.json"))).mode & 0o777).toBe(0o600);
  });
});

it("keeps names that can be written, so many at most, and nothing of a message that is no such message", async () => {
  const many = Array.from({ length: 5000 }, (_, number) => `c${number}`);
  await keepOffer(home, {
    slash_commands: [...many, "again"],
    skills: ["a b", "\u001B[31mred", "\u202Eright", "fine", "fine", 7, null, "x".repeat(201)],
    agents: "no list",
    tools: ["Bash"],
  });
  const kept = { commands: many.slice(0, 1000), skills: ["fine"], agents: [], tools: ["Bash"] };
  expect(readOffer(home)).toEqual(kept);
  for (const wrong of [undefined, null, "init", [], {}, { tools: 7 }]) await keepOffer(home, wrong);
  expect(readOffer(home)).toEqual(kept);
  expect(await readdir(home)).toEqual(["offer.json"]);
});

it("reads no link, no large file and nothing of another shape, and never fails a turn", async () => {
  const path = join(home, "offer.json");
  await writeFile(
    join(home, "other"),
    JSON.stringify({ version: 1, commands: ["x"], skills: [], agents: [], tools: [] }),
  );
  await symlink(join(home, "other"), path);
  expect(readOffer(home)).toBeUndefined();
  await rm(path);
  for (const text of ["", "{", '{"version":2}', `{"version":1,"commands":["${"x".repeat(600_000)}"]}`, "[]"]) {
    await writeFile(path, text);
    expect(readOffer(home)).toBeUndefined();
  }
  await rm(path);
  await mkdir(path);
  await keepOffer(home, { tools: ["Bash"] });
  expect(readOffer(home)).toBeUndefined();
  await keepOffer(join(home, "nowhere"), { tools: ["Bash"] });
  expect((await readdir(home)).toSorted()).toEqual(["offer.json", "other"]);
});
