export { configureEngine, configOptions, type ConfigureEngineOptions } from "./configured-engine.ts";
export type { ConfigFile } from "./config-file.ts";
export type { ConfigMistake } from "./file-mistake.ts";
export {
  type ConfigFileFacts,
  type Configuration,
  type ConfiguredPlugin,
  configuredValues,
  type ConfiguredValue,
  type HeldBackValue,
  inspectConfig,
  loadConfig,
  type LoadConfigOptions,
} from "./load-config.ts";
