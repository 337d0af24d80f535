// Commit of a packaged program, inserted by packaging. Undefined when run from the sources.
export const buildCommit: string | undefined = undefined;
