import type { Plugin } from 'esbuild';

export const builtScripts: Plugin;
export function putScripts(path: string): Promise<{ readonly text: string; readonly inputs: readonly string[] }>;
