// Loader of the optional package pkcs11js, the driver of hardware modules. Packaged programs contain a replacement of
// this file (scripts/package/native-addons.ts).
/** In a variable, so that no bundler or compiler resolves it: the package is optional. */
const packageName: string = 'pkcs11js';

export const importPkcs11 = async (): Promise<unknown> =>
  ((await import(packageName)) as { readonly default: unknown }).default;

/** What to do if it cannot be loaded. */
export const remedy = 'it needs a C++ compiler and Python to be built: npm run setup';
