// The package that loads hardware modules, as it is on the disk. A packaged program brings its own in place of this file
// (scripts/package/pkcs11-addon.ts).
/** By a name that no compiler follows: the package is optional. */
const packageName: string = 'pkcs11js';

export const importPkcs11 = async (): Promise<unknown> =>
  ((await import(packageName)) as { readonly default: unknown }).default;

/** What to do where it cannot be loaded. */
export const remedy = 'it needs a C++ compiler and Python to be built: npm run setup';
