import { createContext } from "react";

/** The directory in which the agent of a timeline worked: paths below it are shown without it. */
export const Directory = createContext<string | undefined>(undefined);
