// List of all endpoints: name in the contract, handling file, access rule and rate limit class, as `METHOD PATH → file
// name → access → rate`. --write stores it in server/routes.txt; a test compares the two.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AnyEndpoint } from '../shared/src/api/endpoint.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
export const routesFile = join(root, 'server', 'routes.txt');
const apiFolder = join(root, 'shared/src/api');

const listSources = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map(name => join(folder, name))
    .sort();

const isEndpoint = (value: unknown): value is AnyEndpoint =>
  typeof value === 'object' && value !== null && 'answerForm' in value && 'path' in value;

/** Every endpoint of the contract, in the order of its files. */
export async function listEndpoints(): Promise<AnyEndpoint[]> {
  const modules = await Promise.all(
    listSources(apiFolder).map(path => import(path) as Promise<Record<string, unknown>>),
  );
  return modules.flatMap(module => Object.values(module).filter(isEndpoint));
}

/**
 * `route(api.login, …)`, `plainRoute(login, …)` or `route({ ...login, … }, …)`: where an endpoint is bound to its
 * handler.
 */
const binding = /\b(?:route|plainRoute)\(\s*(?:\{\s*\.\.\.)?(?:\w+\.)?(\w+)\s*,/g;

function findBindings(): Map<string, string> {
  const handlers = new Map<string, string>();
  for (const path of listSources(join(root, 'server/src'))) {
    const text = readFileSync(path, 'utf8');
    for (const match of text.matchAll(binding)) {
      const name = match[1] ?? '';
      if (!handlers.has(name)) handlers.set(name, `${relative(join(root, 'server/src'), path)} ${name}`);
    }
  }
  return handlers;
}

/** Without endpoints that only the contract has: they are not served yet. */
export async function toRoutesText(): Promise<string> {
  const handlers = findBindings();
  const rows = (await listEndpoints()).flatMap(endpoint => {
    const handler = handlers.get(endpoint.name);
    if (handler === undefined) return [];
    return [endpoint.path, ...endpoint.aliases].map(path => [
      `${endpoint.method} ${path}`,
      handler,
      endpoint.access,
      endpoint.rate,
    ]);
  });
  const widths = [0, 1, 2].map(column => Math.max(...rows.map(row => row[column]?.length ?? 0)));
  const lines = rows.map(row =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join(' → ')
      .trimEnd(),
  );
  return `${lines.sort((a, b) => (a.split(' ')[1] ?? '').localeCompare(b.split(' ')[1] ?? '') || a.localeCompare(b)).join('\n')}\n`;
}

if (process.argv.includes('--write')) writeFileSync(routesFile, await toRoutesText());
