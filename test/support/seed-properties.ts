import fc from "fast-check";

// The same cases every time, so that a run fails for what was changed and not for its luck; another number looks at other cases.
const seed = Number(process.env["SKEIN_PROPERTY_SEED"] ?? 11);
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
