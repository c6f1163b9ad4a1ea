/** The port of a monitor, unless another is said. */
export const DEFAULT_PORT = 4269;
