// The views that `npm run screens` plays. To add one, add a line here and run `npm run screens -- --update --only NAME`; look at what it wrote.
//   name     the pin's: test/screens/NAME.txt
//   command  for `sh`, in the project's folder
//   clock    "real" for what runs agents; otherwise time stands still for the command
//   keys     what is pressed, each as soon as the screen shows its text: [["Allow?", "y"]]
//   rows     of the terminal, where it matters; 200 by default
//   hide     what varies, as [pattern, what stands for it]; of the same width, so that columns stay where they are

/** @type {readonly { name: string, command: string, clock?: "fixed" | "real", keys?: readonly (readonly [string, string])[], rows?: number, hide?: readonly (readonly [RegExp, string])[] }[]} */
export const VIEWS = [
  { name: "first-lines", command: "skein" },
  { name: "help", command: "skein help" },
  { name: "help-all", command: "skein help --all" },
  { name: "config", command: "skein config" },
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
  { name: "verify", command: "skein verify" },
  { name: "undo", command: "skein undo --dry-run" },
  { name: "restore", command: "skein restore before-search --dry-run" },
  { name: "config", command: "skein config" },
];
