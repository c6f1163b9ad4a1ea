import { CLI_SOURCE } from "./cli-source.ts";
import { STORE_SOURCE } from "./store-source.ts";

const PACKAGE_JSON = `{
  "name": "todo",
  "version": "1.0.0",
  "private": true,
  "type": "module",
  "scripts": {
    "start": "node src/cli.js",
    "test": "node --test"
  },
  "engines": {
    "node": ">=20"
  }
}
`;

const README = `# TODO

A TODO list for the command line. Needs Node 20 and nothing else.

    node src/cli.js add "Buy milk"
    node src/cli.js list
    node src/cli.js done 1
    node src/cli.js remove 1

The list is kept in \`todos.json\`, or in the file that \`TODO_FILE\` names.
`;

/** The app as it is first built, by path. */
export const APP_FILES: Readonly<Record<string, string>> = {
  "package.json": PACKAGE_JSON,
  "src/todo.js": STORE_SOURCE,
  "src/cli.js": CLI_SOURCE,
  "README.md": README,
};
