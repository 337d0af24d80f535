import type { BuildOptions } from 'esbuild';

export const scriptOptions: BuildOptions & { readonly write: false };
export function buildScript(entry: URL): Promise<string>;
