// Run by an ordinary user on the built package: plays the given scripts as turns of one isolation in a directory, and prints what came of
// each call as one line of JSON.
const room = (name) => import(new URL(`../../dist/${name}/index.js`, import.meta.url).href);
const { ClaudeEngine, claudePrompt } = await room("engine");
const { isolate, IsolationConfig } = await room("isolation");
const { loadScenario } = await room("offline");
const { startOfflineAgent } = await room("testing");

const [cwd, scripts] = process.argv.slice(2);
const agent = await startOfflineAgent(await loadScenario("direct"), { permissionMode: "bypassPermissions", cwd });
const isolated = await isolate(IsolationConfig({ apiKey: "sk-ant-skein-user" }), agent.options);
const turns = [];
try {
  for (const script of JSON.parse(scripts)) {
    const verdicts = [];
    const names = new Map();
    for await (const event of new ClaudeEngine(isolated.options).stream(claudePrompt(script))) {
      if (event.type === "tool-start") names.set(event.toolUseId, event.tool);
      if (event.type === "tool-end")
        verdicts.push(`${names.get(event.toolUseId)} ${event.isError ? "refused" : "done"}`);
    }
    turns.push(verdicts);
  }
} finally {
  await isolated[Symbol.asyncDispose]();
  await agent.close();
}
process.stdout.write(`${JSON.stringify({ uid: process.getuid(), turns })}\n`);
