// What other rooms use of this one; users have `index.ts`.
export { configureEngine, configuredPolicy } from "./configured-engine.ts";
export { shownAlertsValue } from "./alerts-part.ts";
export { type Configuration, configuredValues, inspectConfig, loadConfig } from "./load-config.ts";
export { findConfigFolder } from "./find-config-folder.ts";
export { configError, mistakeLine } from "./read-config-file.ts";
export { SETTINGS, variableOf } from "./settings.ts";
