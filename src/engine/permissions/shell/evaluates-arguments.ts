/** Whether a command of the shell reads an argument once more, as a sum or as the name of a variable with a subscript. */
export function evaluatesArguments(program: string, args: readonly string[], dynamic: readonly boolean[]): boolean {
  const isSubscripted = args.some((arg) => /^[^=]*\[/.test(arg));
  const isUnnamed = args.some((arg, index) => dynamic[index] === true && !/^(?:-|\w+\+?=)/.test(arg));
  switch (program) {
    case "let":
    case "read":
    case "mapfile":
    case "readarray":
    case "getopts":
    case "unset":
      return true;
    case "declare":
    case "typeset":
    case "local":
    case "export":
    case "readonly":
      return isSubscripted || isUnnamed || args.some((arg) => /^[-+]\w*[in]/.test(arg));
    case "printf":
      return args.some((arg) => arg.startsWith("-v"));
    case "wait":
      return args.some((arg) => /^-\w*p/.test(arg));
    case "test":
    case "[":
    case "[[":
      return args.some((arg) => /^-(?:v|R|eq|ne|lt|le|gt|ge)$/.test(arg));
    default:
      return false;
  }
}
