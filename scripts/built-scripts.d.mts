import type { Plugin } from 'esbuild';

export const builtScripts: Plugin;
export const withoutDevtools: Plugin;
export function putScripts(path: string): Promise<{ readonly text: string; readonly inputs: readonly string[] }>;
