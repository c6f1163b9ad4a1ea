import { z } from "zod";
import { defined } from "../../../core/internal.ts";
import {
  configError,
  type Configuration,
  findConfigFolder,
  inspectConfig,
  mistakeLine,
  SETTINGS,
  shownAlertsValue,
  variableOf,
} from "../../../config/internal.ts";
import { asData, shellWord, toWords } from "../../../protocol/index.ts";
import { formatCard, formatList, formatTable, plainLine, type Terminal } from "../../../terminal/index.ts";
import { switchFlag } from "../../common-flags.ts";
import { defineCommand } from "../../define-command.ts";
import { cwdFlag, findAgentFolder } from "../../open-workspace.ts";

const File = z.strictObject({
  source: z.enum(["workspace", "user"]).describe("Whose file it is"),
  path: z.string().describe("Where it lies, or would lie"),
  is_there: z.boolean().describe("Whether there is such a file"),
  trust: z
    .enum(["trusted", "changed", "none", "own"])
    .describe("Whether it may loosen anything: `own` is the user's; `changed` was trusted as it was before"),
});

const Value = z.strictObject({
  key: z.string().describe("The key of the file, with its parts: `permissions.mode`"),
  flag: z.string().nullable().describe("The flag that comes before it; null where it has none"),
  variable: z.string().nullable().describe("The variable that comes after the flag; null where it has none"),
  value: z.unknown().describe("What holds; null where there is no limit or nothing"),
  source: z.enum(["environment", "workspace", "user", "default"]).describe("Who says so"),
  place: z.string().nullable().describe("The variable, or the file and its line; null for a default"),
});

const HeldBack = z.strictObject({
  key: z.string().describe("The key of the workspace's file"),
  value: z.unknown().describe("What it says there"),
  place: z.string().describe("The file and its line"),
  why: z.string().describe("Why it does not hold"),
});

const Mistake = z.strictObject({
  path: z.string().describe("The file, or the name of the variable"),
  line: z.int().nullable().describe("Counted from 1; null for a variable"),
  column: z.int().nullable().describe("Counted from 1; null for a variable"),
  key: z.string().describe("The key; empty where it is the whole file"),
  message: z.string().describe("What is wrong, and what is expected"),
  hint: z.string().nullable().describe("What to do about it"),
});

const data = z.strictObject({
  workspace: z.string().nullable().describe("The folder whose file holds here; null where there is none"),
  files: z.array(File).describe("The files that are looked for, the first one first"),
  values: z.array(Value).describe("All that can be configured"),
  held_back: z.array(HeldBack).describe("What a workspace's file says and nobody trusts"),
  mistakes: z.array(Mistake).describe("All that is wrong; commands that run agents fail while there is anything"),
});

type Data = z.infer<typeof data>;

export const config = defineCommand({
  name: "config",
  summary: "Show what is configured, and where each value comes from",
  effects: { changes: "nothing", isRepeatable: true, reaches: "machine" },
  args: z.object({
    cwd: cwdFlag,
    check: switchFlag("Fail if a file or a variable is wrong, and tell all that is"),
  }),
  data,
  examples: ["config", "config --check", "config --cwd ./my-project --output-format json"],
  async run({ cwd, check }, context) {
    const folder = await findAgentFolder(cwd, { ...context, notice: () => {} });
    const workspace = await findConfigFolder(folder, { root: context.confinement?.root });
    const configuration = await inspectConfig({ workspace: workspace ?? folder, env: context.env });
    if (check && configuration.mistakes.length > 0) {
      if (context.format === "text")
        await context.print(mistakeLines(toData(configuration, workspace), context.terminal));
      throw configError(configuration.mistakes);
    }
    return toData(configuration, workspace);
  },
  format(found, { terminal }) {
    const files = formatCard(found.files.map(fileRow), terminal);
    return `${files}\n${valueTable(found, terminal)}${heldBackLines(found, terminal)}${mistakeLines(found, terminal)}`;
  },
});

const FLAGS = new Map(SETTINGS.map(({ key, flag }) => [key, flag]));

function toData(configuration: Configuration, workspace: string | undefined): Data {
  const { files, values, heldBack, mistakes } = configuration;
  const isChanged = files.some(({ trust }) => trust === "changed");
  const why = isChanged
    ? "The file, or a plugin of it, has changed since the folder was trusted"
    : "Nobody has trusted the folder, and it would allow more than holds without it";
  return asData(data, {
    workspace,
    files,
    values: values.map((value) => {
      const flag = FLAGS.get(value.key);
      const shownValue = shownAlertsValue(value.key, value.value);
      return {
        ...value,
        value: shownValue,
        ...(flag === undefined ? {} : { flag: `--${toWords(flag)}`, variable: variableOf(flag) }),
      };
    }),
    heldBack: heldBack.map((value) => ({ ...value, why })),
    mistakes: mistakes.map((mistake) => defined(mistake)),
  });
}

const TRUST: Readonly<Record<Data["files"][number]["trust"], string>> = {
  trusted: "trusted",
  changed: "changed since it was trusted: commands that run agents refuse it",
  none: "not trusted: it can only tighten",
  own: "yours",
};

function fileRow({ source, path, is_there: isThere, trust }: Data["files"][number]): [string, string] {
  const name = source === "workspace" ? "Workspace" : "User";
  const gone =
    trust === "changed" ? "gone since it was trusted: commands that run agents refuse that" : "there is none";
  return [name, `${plainLine(path)} (${isThere ? TRUST[trust] : gone})`];
}

function valueTable({ values }: Data, terminal: Terminal): string {
  const { dim } = terminal.colors;
  const columns = [
    { name: "Key" },
    { name: "Value", narrow: "wrap", leastColumns: 16 },
    { name: "From", narrow: "cut", leastColumns: 16 },
    { name: "Variable", narrow: "drop" },
  ] as const;
  // What can stand in files alone is shown where it does.
  const told = values.filter(
    ({ source, variable, key }) => source !== "default" || variable !== null || key === "plugins",
  );
  const rows = told.map(({ key, value, source, place, variable }) => {
    const cells = [key, shown(value), placeWords(source, place), variable ?? ""];
    return source === "default" ? cells.map((cell) => dim(cell)) : cells;
  });
  return formatTable({ columns, rows }, terminal);
}

function placeWords(source: Data["values"][number]["source"], place: string | null): string {
  if (source === "default") return "default";
  if (source === "environment") return plainLine(place ?? "");
  return `${source}:${/:(\d+)$/u.exec(place ?? "")?.[1] ?? ""}`;
}

/** A value as people read it: words, and a list with commas between. */
function shown(value: unknown): string {
  if (value === null) return "none";
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(shown).join(", ");
  if (typeof value === "object") {
    const { module } = value as { readonly module?: unknown };
    if (typeof module === "string") return plainLine(module);
    const parts = Object.entries(value).map(([name, part]) => `${plainLine(name)} ${shown(part)}`);
    return `{${parts.join(", ")}}`;
  }
  return plainLine(typeof value === "string" ? value : JSON.stringify(value));
}

function heldBackLines({ held_back: heldBack, workspace }: Data, terminal: Terminal): string {
  if (heldBack.length === 0) return "";
  const { yellow, bold } = terminal.colors;
  const items = heldBack.map(({ key, value, place }) => ({
    mark: yellow("-"),
    text: `${key} = ${shown(value)}`,
    notes: [plainLine(place)],
  }));
  const how = `Look at it with skein trust --show --cwd ${shellWord(workspace ?? ".")}, then trust it with skein trust.`;
  return `\n${bold("Held back")}: ${heldBack[0]?.why}.\n${formatList(items, terminal)}  ${how}\n`;
}

function mistakeLines({ mistakes }: Pick<Data, "mistakes">, terminal: Terminal): string {
  if (mistakes.length === 0) return "";
  const { red, bold } = terminal.colors;
  const items = mistakes.map(({ line, column, hint, ...mistake }) => ({
    mark: red("✗"),
    text: plainLine(mistakeLine({ ...mistake, ...(line === null || column === null ? {} : { line, column }) })),
    notes: hint === null ? [] : [plainLine(hint)],
  }));
  return `\n${bold("Mistakes")}: commands that run agents fail until these are mended.\n${formatList(items, terminal)}`;
}
