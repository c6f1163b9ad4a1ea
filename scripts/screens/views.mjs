// The views that `npm run screens` plays. To add one, add a line here and run `npm run screens -- --update --only NAME`; look at what it wrote.
//   name     the pin's: test/screens/NAME.txt
//   command  for `sh`, in the project's folder
//   clock    "real" for what runs agents; otherwise time stands still for the command
//   keys     what is pressed, each as soon as the screen shows its text, which has to go away: [["◆  Allow?", "y"]]
//   rows     of the terminal, where it matters; 200 by default
//   hide     what varies, as [pattern, what stands for it]; of the same width, so that columns stay where they are

/** For what runs agents: a folder and records of its own, so that views that are played at once do not meet. */
const FRESH = 'export SKEIN_HOME="$(mktemp -d ~/XXXXXXXXXX)" && cd "$(mktemp -d ~/XXXXXXXXXX)" && ';
const OFFLINE = '--offline "$SCREENS/offline.json"';
/** What is another each time, or on another machine. */
const VARYING = [
  [/~\/\w{10}|\/tmp\/(?:skein-demo-\w{6}\/project|screens-______\/home\/\w{10})/gu, "~/__________"],
  [/[\d,]+ in \([\d,]+ cached\) · [\d,]+ out/gu, "… in (… cached) · … out"],
  [/\$[\d.]+(?= by price list)/gu, "$…"],
  [/(?<= )(?:\d+ min )?[\d.]+ m?s\b(?= ·|$)/gmu, "… ms"],
];

/** @type {readonly { name: string, command: string, clock?: "fixed" | "real", keys?: readonly (readonly [string, string])[], rows?: number, hide?: readonly (readonly [RegExp, string])[] }[]} */
export const VIEWS = [
  { name: "first-lines", command: "skein" },
  { name: "help", command: "skein help" },
  { name: "help-all", command: "skein help --all" },
  { name: "log", command: "skein log" },
  { name: "log-graph", command: "skein log --graph --limit 50" },
  { name: "tree", command: "skein tree" },
  { name: "show", command: "skein show before-search~1" },
  { name: "show-failed", command: "skein show @" },
  { name: "show-branch", command: "skein show way-2" },
  { name: "show-files", command: "skein show @ --files" },
  { name: "diff", command: "skein diff before-search" },
  { name: "diff-stat", command: "skein diff before-search --stat" },
  { name: "diff-patch", command: "skein diff before-search --patch" },
  { name: "compare", command: "skein compare way-2 way-5" },
  { name: "list-sessions", command: "skein list-sessions" },
  { name: "sessions", command: "skein sessions" },
  { name: "session", command: "skein session 1111" },
  { name: "search", command: "skein search flaky" },
  { name: "search-tools", command: "skein search npm --role tool" },
  { name: "stats", command: "skein stats" },
  { name: "stats-by-tool", command: "skein stats --by tool" },
  { name: "stats-by-model", command: "skein stats --by model" },
  { name: "push", command: 'far=$(mktemp -d) && git init -q --bare "$far" && skein push "$far"; rm -rf "$far"' },
  { name: "status", command: "skein status" },
  { name: "config", command: "skein config" },
  { name: "verify", command: "skein verify" },
  { name: "undo", command: "skein undo --dry-run" },
  { name: "restore", command: "skein restore before-search --dry-run" },
  { name: "run", clock: "real", command: `${FRESH}skein run "Write the price list" ${OFFLINE}`, hide: VARYING },
  {
    name: "run-questions",
    clock: "real",
    command: `${FRESH}skein run "Install the tools" ${OFFLINE}`,
    keys: [
      ["◆  Allow Write?", "Enter"],
      ["◆  Allow WebFetch?", "Enter"],
      ["◆  Allow Bash?", "Enter"],
    ],
    hide: VARYING,
  },
  {
    name: "explore",
    clock: "real",
    command: `${FRESH}skein explore --prompt "way 1" --prompt "way 2" --reward "grep -q 2 way.txt" ${OFFLINE}`,
    hide: [
      ...VARYING,
      [/ +(?:\d+ ms|[\d.]+ s)(?=  [0-9a-f]{12}$)/gmu, "    … ms"],
      [/ +Time(?=  State)/gu, "    Time"],
    ],
  },
  {
    name: "team",
    clock: "real",
    // Its first try numbers tasks from 0, and the gate finds it. One worker: two would end in an order of their own.
    command: `${FRESH}skein team "Build a list of tasks" --offline team --gate "! grep -q tasks.length, *.mjs"`,
    hide: [...VARYING, [/offline(?= · … ms$)/gmu, "offline"]],
  },
  // Its table of branches is as wide as their times are.
  {
    name: "demo",
    clock: "real",
    command: "skein demo",
    hide: [...VARYING, [/^ {5}Branch [^\n]*\n(?:[^\n]*Fix slug[^\n]*\n){3}/gmu, "     (the branches)\n"]],
  },
  {
    name: "init",
    clock: "real",
    command: `${FRESH}skein init`,
    keys: [["◆  Write", "Enter"]],
    hide: [...VARYING, [/^ +Machine[^]*?(?=^ +Next)/gmu, "  Machine   …\n"]],
  },
];
