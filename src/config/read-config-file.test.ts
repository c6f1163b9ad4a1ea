import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { mistakeLine, readConfigFile } from "./read-config-file.ts";

let folder: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "skein-config-")));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** The mistakes of a file, each as a line without its path, and the hint after it. */
async function mistakesOf(text: string | Buffer): Promise<readonly string[]> {
  await writeFile(join(folder, "skein.config.json"), text);
  const read = await readConfigFile(folder);
  return (read?.mistakes ?? []).map((mistake) => {
    const line = mistakeLine(mistake).replace(`${mistake.path}:`, "");
    return [line, mistake.key, mistake.hint].filter((part) => part !== undefined && part !== "").join(" | ");
  });
}

describe("a configuration file", () => {
  it("that is not there is none, and one that says all there is to say has no mistake", async () => {
    expect(await readConfigFile(folder)).toBeUndefined();
    const whole = {
      $schema: "./node_modules/skein/skein.config.schema.json",
      model: "claude-sonnet-4-5",
      fallbackModel: "claude-haiku-4-5",
      permissions: { mode: "plan", allowedTools: ["Bash(git:*)"], disallowedTools: ["WebFetch"] },
      sandbox: { isolated: true, domains: ["*.npmjs.org", "*"], reveal: ["~/.aws"], allowWorktrees: false },
      budget: {
        maxResponses: 20,
        maxCostUsd: 0.5,
        maxConversationCostUsd: 5,
        timeoutSeconds: 600.5,
        idleTimeoutSeconds: 60,
      },
      resilience: {
        retry: { maxRetries: 0, baseDelayMs: 1, factor: 1, maxDelayMs: 1, jitter: 0 },
        breaker: { maxFailures: 1, openMs: 1, neededSuccesses: 1 },
        bulkhead: { maxConcurrent: 1, maxWaiting: 0 },
      },
      plugins: ["./log.mjs", { module: "some-package" }, { module: "other", options: { deep: [1] } }],
    };
    expect(await mistakesOf(`\ufeff${JSON.stringify(whole)}`)).toEqual([]);
    expect((await readConfigFile(folder))?.config).toEqual(whole);
    expect(await mistakesOf("{}")).toEqual([]);
  });

  it("that names a part of the policy has it, with the first of its defaults", async () => {
    await mistakesOf('{"resilience": {"retry": {}, "breaker": {"openMs": 5}}}');
    expect((await readConfigFile(folder))?.config).toEqual({
      resilience: { retry: { maxRetries: 3 }, breaker: { maxFailures: 5, openMs: 5 } },
    });
  });

  it.each([
    // JSON itself
    ["", "1:1: Expected a value, not the end of the file | The file must be JSON: see https://www.json.org"],
    ['{\n  "model": "a"\n  "budget": {}\n}', '3:3: Expected a comma or }, not "\\"" | Is a comma missing before it?'],
    ['{\n  "model": "a",\n}', "2:15: There is a comma too many | JSON has no comma after the last entry."],
    ["{ // no\n}", "1:3: JSON has no comments | Remove the comment."],
    ["{'model': 1}", "1:2: A text stands in double quotes | Write \"…\" in the place of '…'."],
    [
      '{"model": "a',
      "1:11: This text does not end, or has an escape or a line break that JSON does not have | The file must be JSON: see https://www.json.org",
    ],
    [
      '{"model" "a"}',
      '1:10: Expected a colon after "model", not "\\"" | The file must be JSON: see https://www.json.org',
    ],
    ['{"model": nul}', '1:11: Expected a value, not "n" | The file must be JSON: see https://www.json.org'],
    ['{"model": 01}', '1:11: Expected a value, not "0" | The file must be JSON: see https://www.json.org'],
    ["{model: 1}", '1:2: Expected a key in double quotes, not "m" | The file must be JSON: see https://www.json.org'],
    ["{} {}", '1:4: Nothing may follow the value, but "{" does | The file must be JSON: see https://www.json.org'],
    ['{"model": "a",\r\n"model": "b"}', '2:1: "model" is there twice | Keep one.'],
    // keys
    ['{\n  "modle": "a"\n}', '2:3: There is no key "modle" here | modle | Did you mean "model"?'],
    [
      '{"permissions": {"allowed_tools": []}}',
      '1:18: There is no key "allowed_tools" here | permissions.allowed_tools | Did you mean "allowedTools"?',
    ],
    [
      '{"sandbox": {"flavour": 1}}',
      '1:14: There is no key "flavour" here | sandbox.flavour | It takes isolated, domains, reveal, allowWorktrees.',
    ],
    [
      '{"resilience": {"retry": {"retries": 3}}}',
      '1:27: There is no key "retries" here | resilience.retry.retries | Did you mean "maxRetries"?',
    ],
    [
      '{"plugins": [{"module": "a", "option": {}}]}',
      '1:30: There is no key "option" here | plugins[0].option | Did you mean "options"?',
    ],
    ['{"plugins": [{}]}', "1:14: module is missing here | plugins[0]"],
    ['{"resilience": {"bulkhead": {}}}', "1:29: maxConcurrent is missing here | resilience.bulkhead"],
    ['{"__proto__": {"model": "a"}}', '1:2: There is no key "__proto__" here'],
    // values
    ["[]", "1:1: The file must be an object, not []"],
    ['{"model": ""}', '1:11: model must be a text that is not empty, not "" | model'],
    ['{"model": 3}', "1:11: model must be a text, not 3 | model"],
    [
      '{"permissions": {"mode": "yolo"}}',
      '1:26: permissions.mode must be one of default, acceptEdits, plan, dontAsk, bypassPermissions, auto, not "yolo" | permissions.mode',
    ],
    ['{"permissions": {"mode": "accept_edits"}}', 'Did you mean "acceptEdits"?'],
    [
      '{"permissions": {"allowedTools": "Read"}}',
      '1:34: permissions.allowedTools must be a list, not "Read" | permissions.allowedTools',
    ],
    ['{"permissions": {"allowedTools": ["Read", 3]}}', "1:43: permissions.allowedTools[1] must be a text, not 3"],
    ['{"sandbox": {"isolated": "yes"}}', '1:26: sandbox.isolated must be true or false, not "yes"'],
    ['{"sandbox": {"domains": ["https://a.org/"]}}', "1:26: sandbox.domains[0]: a domain is a name such as"],
    ['{"budget": {"maxResponses": 1.5}}', "1:29: budget.maxResponses must be a whole number, not 1.5"],
    ['{"budget": {"maxCostUsd": 0}}', "1:27: budget.maxCostUsd must be a number above 0, not 0"],
    ['{"budget": {"maxCostUsd": "1"}}', '1:27: budget.maxCostUsd must be a number, not "1"'],
    [
      '{"budget": {"timeoutSeconds": 9999999}}',
      "1:31: budget.timeoutSeconds must be a number of at most 2147483, not 9999999",
    ],
    ['{"resilience": {"retry": {"jitter": 2}}}', "1:37: resilience.retry.jitter must be a number of at most 1, not 2"],
    ['{"plugins": [3]}', "1:14: plugins[0] must be a text or an object, not 3 | plugins[0]"],
    ['{"plugins": [""]}', '1:14: plugins[0] must be a text that is not empty, not ""'],
    ['{"plugins": [{"module": "a", "options": []}]}', "1:41: plugins[0].options must be an object, not []"],
  ])("%j is told with its place", async (text, told) => {
    const [mistake, ...others] = await mistakesOf(text);
    expect(mistake).toContain(told);
    expect(others).toEqual([]);
  });

  it.each([
    ['{"alerts": {"errorRate": {"above": 2}}}', "1:36: alerts.errorRate.above must be a number of at most 1, not 2"],
    ['{"alerts": {"errorRate": {}}}', "1:26: above is missing here"],
    ['{"alerts": {"webhook": []}}', '1:13: There is no key "webhook" here'],
    ['{"alerts": {"webhooks": [{}]}}', "1:26: alerts.webhooks[0]: it needs one of url, urlEnv and urlFile"],
    ['{"alerts": {"webhooks": [{"urlEnv": "A", "secret": "s"}]}}', '1:42: There is no key "secret" here'],
    [
      '{"alerts": {"webhooks": [{"url": "http://example.org/hidden"}]}}',
      "1:34: alerts.webhooks[0].url: it must begin with https://, or lead to this machine",
    ],
    ['{"alerts": {"webhooks": [{"url": "https://me:hidden@a.org"}]}}', "1:34: alerts.webhooks[0].url: it must have no"],
    ['{"alerts": {"webhooks": [{"url": "file:///hidden"}]}}', "1:34: alerts.webhooks[0].url: it must be an https://"],
  ])("of the user, %j is told with its place, and no address with it", async (text, told) => {
    await writeFile(join(folder, "skein.config.json"), text);
    const { mistakes = [] } = (await readConfigFile(folder, { isOwn: true })) ?? {};
    expect(mistakes.map(mistakeLine)).toEqual([expect.stringContaining(`:${told}`)]);
    expect(JSON.stringify(mistakes)).not.toContain("hidden");
  });

  it("of a workspace says nothing of alerts: that is the user's", async () => {
    const text = '{"model": "a",\n "alerts": {"webhooks": [{"url": "https://evil.example/collect"}]}}';
    expect(await mistakesOf(text)).toEqual([expect.stringContaining('2:2: "alerts" may stand in your own file alone')]);
    expect((await readConfigFile(folder))?.config).toEqual({});
    const own = await readConfigFile(folder, { isOwn: true });
    expect(own).toMatchObject({ mistakes: [], config: JSON.parse(text) as object });
  });

  it("of a workspace does not say how long things are kept: that is the user's", async () => {
    const text = '{"retention": {"eventDays": 1}}';
    expect(await mistakesOf(text)).toEqual([expect.stringContaining('1:2: "retention" may stand in your own file')]);
    const own = await readConfigFile(folder, { isOwn: true });
    expect(own).toMatchObject({ mistakes: [], config: JSON.parse(text) as object });
  });

  it("has all of its mistakes told, in one go", async () => {
    expect(await mistakesOf('{\n"modle": 1,\n"budget": {"maxCostUsd": -1},\n"plugins": [{"module": 1}]\n}')).toEqual([
      '2:1: There is no key "modle" here | modle | Did you mean "model"?',
      "3:26: budget.maxCostUsd must be a number above 0, not -1 | budget.maxCostUsd",
      "4:24: plugins[0].module must be a text, not 1 | plugins[0].module",
    ]);
  });

  it("that is nested too deeply is refused, however deep it goes", async () => {
    const [mistake = ""] = await mistakesOf("[".repeat(100_000));
    expect(mistake).toContain("1:66: It is nested deeper than 64 levels");
  });

  it("is not read where it is no file, too large, not text, or a link that leads out of its folder", async () => {
    expect(await mistakesOf(Buffer.from([0x7b, 0xff, 0x7d]))).toEqual(["1:1: It is not text in UTF-8"]);
    expect(await mistakesOf(" ".repeat(300_000))).toEqual(["1:1: It has more than 256 KB"]);
    const [inside, outside] = [join(folder, "inside"), join(folder, "outside.json")];
    await mkdir(inside);
    await writeFile(outside, '{"model": "secret"}');
    await symlink(outside, join(inside, "skein.config.json"));
    expect(await readConfigFile(inside)).toMatchObject({
      config: {},
      mistakes: [{ message: "It is a link that leads out of its folder" }],
    });
    expect(await readConfigFile(inside, { isOwn: true })).toMatchObject({ config: { model: "secret" } });
    await rm(join(inside, "skein.config.json"));
    await mkdir(join(inside, "skein.config.json"));
    expect(await readConfigFile(inside)).toMatchObject({ mistakes: [{ message: "It is not a file" }] });
  });
});
