import type { BuildOptions, BuildResult } from 'esbuild';

type InMemory = BuildOptions & { readonly write: false };

/** The files of an app by name, and for each entry its own and what it begins with. */
export type BuiltApp = {
  readonly files: Readonly<Record<string, string>>;
  readonly entries: Readonly<Record<string, { readonly file: string; readonly early: readonly string[] }>>;
};

export const scriptOptions: InMemory;
export const appOptions: InMemory & { readonly metafile: true };
export function toBuiltApp(made: BuildResult<InMemory & { readonly metafile: true }>): BuiltApp;
export function buildScript(entry: URL): Promise<string>;
export function buildApp(...entries: URL[]): Promise<BuiltApp>;
