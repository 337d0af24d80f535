// Finds exports that no other file uses. Names are searched in the files that import the module in any form: named, as
// a namespace, dynamically, or as a re-export.
import { posix } from 'node:path';

export type SourceText = { readonly path: string; readonly text: string };
export type LonelyExport = { readonly path: string; readonly name: string };

const declaration =
  /^export (?:declare )?(?:async )?(?:function\*?|const|let|class|abstract class|type|interface)\s+([A-Za-z_$][\w$]*)/gm;
const specifier = /(?:\bfrom\s*|\bimport\s*\(?\s*|\bmodule\s+)['"]([^'"]+)['"]/g;
/** Contracts are used as a whole: documents, routes and clients iterate over all their exports. */
const isContract = (text: string, name: string): boolean =>
  new RegExp(`^export const ${name}\\b[^;]*?\\bendpoint\\(|^export const \\w+Endpoints\\b`, 'm').test(text);

function toPath(from: string, to: string): string {
  if (to.startsWith('.')) return posix.join(posix.dirname(from), to);
  const own = /^@recordproof\/(\w+)\/(.+)$/.exec(to);
  return own ? `${own[1]}/src/${own[2]}` : to;
}

export function listLonelyExports(sources: readonly SourceText[], wanted: (path: string) => boolean): LonelyExport[] {
  const takers = new Map<string, string[]>();
  for (const { path, text } of sources)
    for (const to of new Set([...text.matchAll(specifier)].map(([, to = '']) => toPath(path, to))))
      takers.set(to, [...(takers.get(to) ?? []), text]);
  return sources
    .filter(({ path }) => wanted(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(declaration)]
        .map(([, name = '']) => name)
        .filter(name => !isContract(text, name))
        .filter(
          name =>
            !(takers.get(path) ?? []).some(taker =>
              new RegExp(`(?<![\\w$])${RegExp.escape(name)}(?![\\w$])`).test(taker),
            ),
        )
        .map(name => ({ path, name })),
    );
}
