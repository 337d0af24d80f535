// Every endpoint that a screen calls works in the desktop app, too, or the screen exists only in a browser.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findEndpoint } from './endpoints.ts';

const api = join(import.meta.dirname, '../../../shared/src/api');
const renderer = join(import.meta.dirname, '../renderer');

/** Screens that the desktop app does not show, and calls that answer with a token. */
const onlyInBrowsers = [
  'approveDeviceSignIn',
  'connectProvider',
  'createApiToken',
  'createServiceToken',
  'findDeviceSignIn',
];

const isEndpoint = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'path' in value && 'answerForm' in value;

async function listEndpoints(): Promise<ReadonlySet<string>> {
  const files = (await readdir(api)).filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  const modules: Record<string, unknown>[] = await Promise.all(files.map(name => import(join(api, name))));
  return new Set(modules.flatMap(module => Object.keys(module).filter(name => isEndpoint(module[name]))));
}

test('the desktop app lists every endpoint that its screens call', async () => {
  const endpoints = await listEndpoints();
  const files = (await readdir(renderer, { recursive: true })).filter(name => /(?<!\.test)\.tsx?$/.test(name));
  const called = new Set<string>();
  for (const file of files)
    for (const [, name = ''] of (await readFile(join(renderer, file), 'utf8')).matchAll(/\bcall\((\w+)/g))
      if (endpoints.has(name)) called.add(name);
  expect(called.size).toBeGreaterThan(60);
  expect([...called].filter(name => !findEndpoint(name)).sort()).toEqual(onlyInBrowsers);
});
