// A host of a team, in a process of its own: it says what happens, in lines, and kills itself at the event that it is told.
import { ClaudeEngine } from "skein/engine";
import { DualAgent } from "skein/team";

const { directory, home, options, killAt, count = 1, resumes } = JSON.parse(process.argv[2]);
const team = new DualAgent({
  workspace: directory,
  workspaceOptions: { home },
  engine: new ClaudeEngine(options),
  worker: { allowedTools: ["Bash"] },
  gates: ["! grep -q bad *.txt"],
});
let seen = 0;
for await (const event of resumes ? team.resume() : team.run("Make it good")) {
  process.stdout.write(`${event.type}\n`);
  if (event.type === killAt && (seen += 1) === count) process.kill(process.pid, "SIGKILL");
  if (event.type === "team-end")
    process.stdout.write(`outcome ${event.result.outcome} ${event.result.merged.join(",")}\n`);
}
