// Loading the installed package for hardware modules. Packaged programs replace this file
// (scripts/package/pkcs11-addon.ts).
/** In a variable, so that no bundler or compiler resolves it: the package is optional. */
const packageName: string = 'pkcs11js';

export const importPkcs11 = async (): Promise<unknown> =>
  ((await import(packageName)) as { readonly default: unknown }).default;

/** What to do if it cannot be loaded. */
export const remedy = 'it needs a C++ compiler and Python to be built: npm run setup';
