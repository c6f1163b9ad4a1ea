import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFakeEngine } from "../../testing/index.ts";
import { Conversation } from "../../trace/index.ts";
import { writeLoose, objectId } from "../../git/index.ts";
import { Workspace } from "../workspace.ts";

let root: string;
let workspace: Workspace;
let conversation: Conversation;
/** The states of the conversation, oldest first: its start and three turns. */
let ids: readonly string[];

const resolve = (name: string): Promise<string> => workspace.states.resolve(name);

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "skein-names-")));
  workspace = await Workspace.open(join(root, "w"), { home: join(root, "home") });
  conversation = await Conversation.start(workspace, { engine: createFakeEngine(() => "fine") });
  for (const prompt of ["one", "two", "three"]) await conversation.send(prompt);
  ids = await workspace.states.list([conversation.tip?.id ?? ""]);
  await workspace.states.setCheckpoint("good-one", ids[2] ?? "");
});

afterAll(async () => {
  await conversation.close();
  await workspace.close();
  await rm(root, { recursive: true, force: true, maxRetries: 9 });
});

describe("the name of a state", () => {
  it("is where the directory stands, a checkpoint, a conversation, an id or its beginning, and steps back from them", async () => {
    const [start = "", first = "", second = "", third = ""] = ids;
    const { id } = conversation;
    const names = ["@", "HEAD", "@~2", "@~", "@^^", "@~1~1^", "good-one", "good-one~", id, id.slice(0, 20), `${id}~1`];
    const found = await Promise.all(names.map(resolve));
    const expected = [third, third, first, second, first, start, second, first, third, third, second];
    expect(Object.fromEntries(names.map((name, at) => [name, found[at]]))).toEqual(
      Object.fromEntries(names.map((name, at) => [name, expected[at]])),
    );
    for (const length of [40, 39, 12, 8]) expect(await resolve(first.slice(0, length))).toBe(first);
  });

  it("that fits several is refused, and the hint names them", async () => {
    const other = await Conversation.start(workspace, { engine: createFakeEngine(() => "fine") });
    await workspace.states.moveTip(other.id, { from: undefined, to: ids[1] ?? "" });
    const shared = other.id.slice(0, 4);
    await expect(resolve(shared)).rejects.toMatchObject({ kind: "usage", target: shared });

    const [state = ""] = ids;
    const twin = await writeTwin(state, 4);
    const prefix = state.slice(0, 4);
    await expect(resolve(prefix)).rejects.toMatchObject({
      kind: "usage",
      message: `${prefix} matches 2 names`,
      hint: expect.stringContaining(twin.slice(0, 12)),
    });
    expect(await resolve(twin)).toBe(twin);
  });

  it.each([
    ["nothing", ""],
    ["a path", "../x"],
    ["a path to a ref", "../../HEAD"],
    ["a folder of refs", "."],
    ["ten kilobytes", "a".repeat(10_240)],
    ["ten kilobytes of steps", `@${"~".repeat(10_240)}`],
    ["more steps than there are", "@~4"],
    ["steps without number", `@~${"9".repeat(400)}`],
    ["letters of another script", "состояние"],
    ["a smile", "😀"],
    ["a line break", "@\n@"],
    ["a null", "@\0"],
    ["an option", "--all"],
    ["another syntax of git", "@{1}"],
    ["a range", "@~1..@"],
    ["an id of nothing", "0".repeat(40)],
    ["too few letters of an id", "a"],
  ])("that is %s is a state that is not there", async (_, name) => {
    await expect(resolve(name)).rejects.toMatchObject({ name: "SkeinError", kind: "state_not_found" });
  });

  it("is not that of a snapshot or of another object", async () => {
    const { snapshotId } = await workspace.states.read(ids[1] ?? "");
    await expect(resolve(snapshotId)).rejects.toMatchObject({ kind: "state_not_found" });
    await expect(resolve(snapshotId.slice(0, 12))).rejects.toMatchObject({ kind: "state_not_found" });
  });

  it("cannot be given where it would be taken for something else, or twice", async () => {
    const [state = ""] = ids;
    for (const name of ["", "@", "-x", "a/b", "a..b", "x.lock", "é", "a".repeat(101), "0".repeat(40), "a b", "a~1"]) {
      await expect(workspace.states.setCheckpoint(name, state)).rejects.toMatchObject({ kind: "usage" });
    }
    await expect(workspace.states.setCheckpoint("good-one", state)).rejects.toMatchObject({ kind: "usage" });
    await workspace.states.setCheckpoint("good-one", state, { replace: true });
    expect(await resolve("good-one")).toBe(state);
  });
});

/** Writes a state whose id begins like another's. */
async function writeTwin(state: string, letters: number): Promise<string> {
  const commit = (await workspace.states.content(state)).toString("utf8");
  for (let count = 0; ; count += 1) {
    const content = Buffer.from(`${commit}${count}\n`);
    if (!objectId("commit", content).startsWith(state.slice(0, letters))) continue;
    return await writeLoose(workspace.gitDirectory, "commit", content);
  }
}
