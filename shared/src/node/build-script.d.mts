// Types of the script builder.
import type { BuildOptions } from 'esbuild';

type InMemory = BuildOptions & { readonly write: false };

/** The files of an app by name, and for each entry its own file and those that it needs at first. */
export type BuiltApp = {
  readonly files: Readonly<Record<string, string>>;
  readonly entries: Readonly<Record<string, { readonly file: string; readonly early: readonly string[] }>>;
};

export const scriptOptions: InMemory;
export function buildAppFrom(
  entryPoints: readonly string[],
  root: string,
): Promise<{ readonly app: BuiltApp; readonly inputs: readonly string[] }>;
export function buildScript(entry: URL): Promise<string>;
export function buildApp(...entries: URL[]): Promise<BuiltApp>;
