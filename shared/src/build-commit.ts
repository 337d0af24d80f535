/** The commit that a packaged program was built from: packaging puts it here. Nothing where the sources themselves run. */
export const buildCommit: string | undefined = undefined;
